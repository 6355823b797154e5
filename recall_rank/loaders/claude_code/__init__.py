"""The loader of Claude Code transcripts."""
