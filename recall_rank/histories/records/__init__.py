"""What a cache records beside its index: the sources, units and sessions of the last scan, digests in place of names
that it must not hold, and the list of forgotten sessions.
"""
