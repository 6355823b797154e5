"""Hermes: an entry in config.yaml, with session_search of recall-rank beside the host's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from recall_rank.frontends.hosts.host import YAML, Host, Launch, below, command_and_args

_FAMILIES: Final = ("recall", "session_search")

HOST: Final = Host(
    name="hermes",
    programs=("hermes",),
    user=lambda environ, home: below(environ, "HERMES_HOME", home, ".hermes", "config.yaml"),
    project=None,
    syntax=YAML,
    path=("mcp_servers",),
    entry=lambda launch: command_and_args(launch if launch.families else _with_search(launch)),
    folder=".hermes",
)


def _with_search(launch: Launch) -> Launch:
    return replace(launch, families=_FAMILIES)
