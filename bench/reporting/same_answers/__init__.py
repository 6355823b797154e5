"""Comparison of the answers that two checkouts give to equal searches of equal histories."""
