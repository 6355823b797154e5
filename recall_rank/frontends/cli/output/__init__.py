"""Output of the commands: lines for people, JSON, and the formats of `export`."""
