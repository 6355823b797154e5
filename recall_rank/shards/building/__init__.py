"""Building shards: units of sources are read and indexed by tasks of processes or of Ray, and merged into folders."""
