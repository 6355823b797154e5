"""Databases of other programs, read without leaving a trace."""
