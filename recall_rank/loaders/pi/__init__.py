"""The loaders of pi and tallow sessions, which have one format."""
