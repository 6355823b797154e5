"""ServerOffer: the name, version, instructions and tools that a server tells its client, as JSON values.

Nothing here imports the library of the protocol, so that a client is told before that library is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, Final

from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.mcp.clients import takes_structured
from recall_rank.frontends.mcp.descriptions import instructions
from recall_rank.frontends.tools.families import DEFAULT_FAMILIES, tools_of

NAME: Final = "recall-rank"
_CAPABILITIES: Final = {
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}


@dataclass(frozen=True)
class ServerOffer:
    """The offer of a server with these options to its client: the tools of `families`, and how to use them."""

    options: HostOptions
    families: Sequence[str] = DEFAULT_FAMILIES

    @cached_property
    def version(self) -> str:
        """The version of the installed package."""
        return version(NAME)

    @cached_property
    def instructions(self) -> str:
        """The instructions of the server, which a host may show its model."""
        return instructions(self.families)

    def initialize_result(self, protocol_version: str) -> dict[str, Any]:
        """Return the result of `initialize` for the version of the protocol that both sides will speak."""
        return {
            "protocolVersion": protocol_version,
            "capabilities": _CAPABILITIES,
            "serverInfo": {"name": NAME, "title": NAME, "version": self.version},
            "instructions": self.instructions,
        }

    def tools_result(self, client: str | None) -> dict[str, Any]:
        """Return the result of `tools/list` for a client, by its name; None for a client that gives none."""
        return self._tools_for(structured=takes_structured(client))

    def _tools_for(self, *, structured: bool) -> dict[str, Any]:
        from recall_rank.frontends.mcp.schema import tool_definitions  # imports the tools

        return {"tools": tool_definitions(self.options, tools_of(self.families), structured=structured)}
