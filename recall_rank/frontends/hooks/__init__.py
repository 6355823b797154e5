"""What a host may add to a conversation unasked."""
