"""The loaders of OpenCode sessions: from its database, its tree of JSON files, and its exported files."""
