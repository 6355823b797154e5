"""One view over the segments of an index."""
