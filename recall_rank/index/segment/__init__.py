"""Segments: immutable sets of indexed sessions in memory, and the functions that build them."""
