"""Compaction for Claude Code: the edits of a project, and the hooks that keep what a compaction would lose."""
