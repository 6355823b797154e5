"""What the commands print: lines for people, JSON, export formats, exit codes."""
