"""Curators: programs and models that return, of recalled turns, only what a caller is looking for."""
