"""Sources combined into one searchable history: in memory, or cached on disk and refreshed."""
