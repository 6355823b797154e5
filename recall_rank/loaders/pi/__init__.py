"""pi and tallow sessions."""
