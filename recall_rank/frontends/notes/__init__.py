"""Notes and profiles for the start of a session: read behind a scanner for injected instructions, and appended to."""
