"""Cursor: an entry in mcp.json, and in a project a rule that reminds the model; rules of a user are in no file."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.hosts.host import PROJECT, Host, HostPlace, ShippedFile, below, command_and_args

HOST: Final = Host(
    name="cursor",
    programs=("cursor", "cursor-agent"),
    user=lambda environ, home: below(environ, "", home, ".cursor", "mcp.json"),
    project=lambda project: HostPlace(project, (".cursor/mcp.json",), ".cursor/rules"),
    entry=command_and_args,
    files=(ShippedFile("cursor/recall-rank.mdc", "recall-rank.mdc", is_hook=True, scope=PROJECT),),
    folder=".cursor",
)
