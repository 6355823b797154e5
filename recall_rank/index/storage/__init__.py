"""Segments, manifests and tables as files."""
