"""memo-agent sessions."""
