"""Figures, checks, plots and comparisons of results."""
