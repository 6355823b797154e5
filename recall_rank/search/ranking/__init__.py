"""The final order of the best candidates."""
