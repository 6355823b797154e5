"""Message content in formats that several agents share."""
