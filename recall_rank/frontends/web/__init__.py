"""Pages for a browser: search, sessions, activity, lineage, coverage; served on this machine or written as one file."""
