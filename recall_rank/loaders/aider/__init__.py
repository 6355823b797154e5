"""The loader of histories that aider wrote."""
