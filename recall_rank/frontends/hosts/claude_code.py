"""Claude Code: an entry in ~/.claude.json, or in the .mcp.json of a project."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.hosts.host import Host, HostPlace, below, command_and_args

HOST: Final = Host(
    name="claude-code",
    programs=("claude",),
    user=lambda environ, home: below(environ, "CLAUDE_CONFIG_DIR", home, "", ".claude.json"),
    project=lambda project: HostPlace(project, (".mcp.json",)),
    entry=lambda launch: {"type": "stdio", **command_and_args(launch)},
    folder=".claude",
)
