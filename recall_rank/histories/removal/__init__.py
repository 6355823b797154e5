"""Take forgotten sessions and the indexes of vanished histories out of a cache, and count what only the cache has."""
