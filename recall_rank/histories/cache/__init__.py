"""The index on disk: a refresh reads only the units that changed and publishes the next generation."""
