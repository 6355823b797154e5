"""aider histories."""
