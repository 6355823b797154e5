"""Hermes Agent sessions."""
