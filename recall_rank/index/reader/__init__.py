"""Read the segments of an index as one."""
