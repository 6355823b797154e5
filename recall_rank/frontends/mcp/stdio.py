"""One MCP connection over stdin and stdout, from its first frame to its last."""

from __future__ import annotations

import logging

import anyio

from recall_rank.frontends.mcp.frames import frames, private_pipes
from recall_rank.frontends.mcp.histories import Histories
from recall_rank.frontends.mcp.server import RecallServer
from recall_rank.frontends.tools.host_options import HostOptions
from recall_rank.model import Context


def serve(histories: Histories, options: HostOptions, context: Context) -> None:
    """Returns when the client has closed its side."""
    logging.disable(logging.CRITICAL)  # frames may be quoted in there, and nobody reads it
    inward, outward = private_pipes()
    anyio.run(_serve, histories, options, context, inward, outward)


async def _serve(histories: Histories, options: HostOptions, context: Context, inward: int, outward: int) -> None:
    server = RecallServer(histories, options, context).server
    async with frames(inward, outward) as (read, write):
        await server.run(read, write, server.create_initialization_options())
