"""Segments: what a search reads."""
