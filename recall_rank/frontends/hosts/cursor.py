"""Cursor: an entry in mcp.json."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.hosts.host import Host, HostPlace, below, command_and_args

HOST: Final = Host(
    name="cursor",
    programs=("cursor", "cursor-agent"),
    user=lambda environ, home: below(environ, "", home, ".cursor", "mcp.json"),
    project=lambda project: HostPlace(project, (".cursor/mcp.json",)),
    entry=command_and_args,
    folder=".cursor",
)
