"""Claude Code: an entry in ~/.claude.json, or in the .mcp.json of a project, and hooks in settings.json."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from recall_rank.frontends.hosts.host import Host, HostPlace, below, command_and_args


def _user(environ: Mapping[str, str], home: Path) -> HostPlace:
    """Return the user's place: ~/.claude.json beside the folder ~/.claude, both inside of CLAUDE_CONFIG_DIR if set."""
    inside = "" if environ.get("CLAUDE_CONFIG_DIR") else ".claude/"
    return below(environ, "CLAUDE_CONFIG_DIR", home, "", ".claude.json", hooks=f"{inside}settings.json")


HOST: Final = Host(
    name="claude-code",
    programs=("claude",),
    user=_user,
    project=lambda project: HostPlace(project, (".mcp.json",), hooks=".claude/settings.json"),
    entry=lambda launch: {"type": "stdio", **command_and_args(launch)},
    # Seconds. A summarizer of `recall-rank compact` may need long before a compaction.
    hooks={"SessionStart": 20, "UserPromptSubmit": 5, "PreCompact": 300, "SessionEnd": 10},
    folder=".claude",
)
