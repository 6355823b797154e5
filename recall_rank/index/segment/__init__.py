"""One immutable segment in memory, and building it."""
