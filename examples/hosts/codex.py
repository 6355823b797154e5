"""Codex: a table of its config.toml, installed into a temporary home folder, asked and taken out again."""

from __future__ import annotations

import sys
import tomllib
from typing import Final

from examples.hosts.round_trip import HostExample, main, over_mcp


def server(text: str) -> list[str]:
    """Return the command line of our server in a config.toml."""
    entry = tomllib.loads(text)["mcp_servers"]["recall"]
    return [entry["command"], *entry["args"]]


HOST: Final = HostExample(
    "codex", ".codex/config.toml", over_mcp(server), before="# mine\n[tools]\nweb_search = true\n"
)

if __name__ == "__main__":
    sys.exit(main(HOST))
