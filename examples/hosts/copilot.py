"""Copilot CLI: an entry of its MCP servers, installed into a temporary home folder, asked and taken out again."""

from __future__ import annotations

import sys
from typing import Final

from examples.hosts.round_trip import HostExample, json_server, main, over_mcp

HOST: Final = HostExample("copilot", ".copilot/mcp-config.json", over_mcp(json_server))

if __name__ == "__main__":
    sys.exit(main(HOST))
