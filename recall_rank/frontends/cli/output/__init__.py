"""Output of the commands: lines for people, JSON, export formats, exit codes."""
