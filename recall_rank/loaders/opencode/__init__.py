"""OpenCode sessions: database, JSON tree and export."""
