"""Gemini CLI: an entry in settings.json."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.hosts.host import Host, HostPlace, below, command_and_args

HOST: Final = Host(
    name="gemini",
    programs=("gemini",),
    user=lambda environ, home: below(environ, "", home, ".gemini", "settings.json"),
    project=lambda project: HostPlace(project, (".gemini/settings.json",)),
    # Headless, Gemini CLI does not offer the tools of a server that is not trusted. Ours only read.
    entry=lambda launch: {**command_and_args(launch), "trust": True},
    folder=".gemini",
)
