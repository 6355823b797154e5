"""Puts the hits of a search in their final order."""
