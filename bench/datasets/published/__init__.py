"""Builds the sets of the published figures from the public repositories that they come from."""
