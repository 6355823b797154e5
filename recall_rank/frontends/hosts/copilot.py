"""Copilot CLI: an entry in ~/.copilot/mcp-config.json, or in the .github/mcp.json of a project."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.hosts.host import Host, HostPlace, below, command_and_args

HOST: Final = Host(
    name="copilot",
    programs=("copilot",),
    user=lambda environ, home: below(environ, "COPILOT_HOME", home, ".copilot", "mcp-config.json"),
    project=lambda project: HostPlace(project, (".github/mcp.json",)),
    entry=lambda launch: {"type": "local", **command_and_args(launch), "tools": ["*"]},
    folder=".copilot",
    project_remarks=("a project's file is read only where the folder is trusted, and not by `copilot -p`",),
)
