"""The index on disk kept as new as its sources, reading only what changed."""
