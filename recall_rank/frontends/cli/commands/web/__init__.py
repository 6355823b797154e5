"""The command that shows the histories in a browser."""
