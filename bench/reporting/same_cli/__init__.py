"""Comparison of the command line of two checkouts."""
