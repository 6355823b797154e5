"""Records of a cache: sources, units and sessions of the last scan, digests in place of names, forgotten sessions."""
