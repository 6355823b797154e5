"""The loader of memo-agent sessions."""
