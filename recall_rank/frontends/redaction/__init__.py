"""Redaction: find secrets, such as keys and passwords, in recalled text, and replace them."""
