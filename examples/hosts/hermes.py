"""Hermes: a server in its config.yaml, installed into a temporary home folder, asked and taken out again."""

from __future__ import annotations

import json
import sys
from typing import Final

from examples.hosts.round_trip import HostExample, main, over_mcp


def server(text: str) -> list[str]:
    """Return the command line of our server in a config.yaml; an install writes its values as JSON, which is YAML."""
    lines = (line.strip().partition(": ") for line in text.splitlines())
    found = {name: value for name, _, value in lines if name in ("command", "args")}
    return [json.loads(found["command"]), *json.loads(found["args"])]


HOST: Final = HostExample("hermes", ".hermes/config.yaml", over_mcp(server), before="# mine\ntimezone: UTC\n")

if __name__ == "__main__":
    sys.exit(main(HOST))
