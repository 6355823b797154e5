"""Redaction: secrets in recalled text are found and replaced."""
