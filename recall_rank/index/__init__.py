"""The index: immutable segments, a reader over them, merging, and storage on disk."""
