"""Sessions that no cache may hold: the list of the forgotten ones, and what stands in their place in an index."""
