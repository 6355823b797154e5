"""The command `mcp`: the MCP server on stdin and stdout."""

from __future__ import annotations

import gc
import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions
from recall_rank.frontends.cli.options.curator import curator_option
from recall_rank.frontends.cli.options.families import named_families
from recall_rank.frontends.cli.options.histories import history_option, open_recall
from recall_rank.frontends.cli.output.console import USAGE, fail
from recall_rank.frontends.host_options import MATCHES, HostOptions, host_options
from recall_rank.frontends.tools.families import FAMILIES

if TYPE_CHECKING:
    from recall_rank.recall import Recall

_NO_SDK: Final = """the MCP server needs the extra "mcp": pip install 'recall-rank[mcp]'"""
_SDK: Final = ("mcp", "mcp_types", "anyio", "pydantic")
_FIRST_FRAME_SECONDS: Final = 0.02  # hosts send it as soon as they have started the process
_START: Final = HostOptions()


@click.command(name="mcp", short_help="Serve the recall tools to an agent over MCP.")
@history_option
@click.option("--session", envvar="RECALL_RANK_SESSION", metavar="ID", help="The session that asks.")
@click.option("--project", envvar="RECALL_RANK_PROJECT", metavar="NAME", help="The current project.")
@click.option(
    "--directory",
    envvar="RECALL_RANK_DIRECTORY",
    metavar="PATH",
    help="The current folder. Default: the client's first root, else the working directory.",
)
@click.option(
    "--tools",
    "families",
    default="recall",
    callback=named_families,
    metavar="FAMILIES",
    help=f"Families of tools to offer, separated by commas: {', '.join(FAMILIES)}. Default: recall.",
)
@curator_option
@click.option(
    "--global/--no-global", "global_", default=True, help="Whether other projects can be searched at all. Default: on."
)
@click.option("--redact/--no-redact", default=True, help="Take keys and passwords out of answers. Default: on.")
@click.option("--max-results", type=int, default=_START.max_results, show_default=True, help="Most results of a call.")
@click.option("--max-sessions", type=int, default=None, help="Search only the newest so many. Default: all.")
@click.option(
    "--max-session-list",
    type=int,
    default=_START.max_session_list,
    show_default=True,
    help="Most sessions that are listed.",
)
@click.option(
    "--max-messages", type=int, default=_START.max_messages, show_default=True, help="Most messages of a page."
)
@click.option(
    "--max-window", type=int, default=_START.max_window, show_default=True, help="Most messages on each side of one."
)
@click.option(
    "--default-width", type=int, default=_START.default_width, show_default=True, help="Characters of a snippet."
)
@click.option(
    "--default-match",
    type=click.Choice(MATCHES),
    default="smart",
    help="How `recall` matches when a call does not say. Default: smart.",
)
@click.option(
    "--concurrency", type=int, default=_START.concurrency, show_default=True, help="Calls that run at once, 4 at most."
)
def mcp(
    histories: tuple[str, ...],
    session: str | None,
    project: str | None,
    directory: str | None,
    families: tuple[str, ...],
    curator: str | None,
    **options: Any,
) -> None:
    """Serve the recall tools to a coding agent over the Model Context Protocol on stdin and stdout.

    Started by the agent, ends when the agent closes stdin. Histories are only read; what is in an answer is marked as
    data.
    """
    from recall_rank.frontends.mcp.handshake import Handshake
    from recall_rank.frontends.mcp.offer import ServerOffer
    from recall_rank.frontends.mcp.pipes import private_pipes

    if any(find_spec(name) is None for name in _SDK):
        fail(_NO_SDK, USAGE, as_json=False)
    chosen = host_options({name.rstrip("_"): value for name, value in options.items() if value is not None})
    gc.disable()  # everything loaded now is kept: collecting takes a fifth of the start-up time
    pipes = private_pipes()
    offer = ServerOffer(chosen, families)
    handshake = Handshake(*pipes, offer)
    handshake.start()
    handshake.wait(_FIRST_FRAME_SECONDS)  # the imports that follow would slow its answer down
    offer.tools_result(handshake.client)  # hosts ask for it next: this imports the tools

    from recall_rank.frontends.mcp.background_reading import BackgroundHistories
    from recall_rank.frontends.mcp.client_context import context_of_command

    reading = BackgroundHistories(_open(histories))  # reads while the SDK is imported
    from recall_rank.frontends.mcp.server import serve_pipes

    gc.freeze()
    gc.enable()
    here = context_of_command(session, project, directory)
    serve_pipes(pipes, reading, chosen, here, families, curator, handshake)
    sys.stderr.flush()
    os._exit(0)  # the agent must not wait for threads that still read or search


def _open(histories: tuple[str, ...]) -> Recall:
    """Return the Recall to serve. A machine without histories is not an error, since an agent may write one later."""
    from recall_rank.recall import Recall

    if histories:
        return open_recall(histories)
    try:
        chosen = CacheOptions.given()
    except ValueError as error:
        fail(str(error), USAGE, as_json=False)
    model = None
    if chosen.embedder is not None:
        from recall_rank.semantic.adapters.choose import open_embedder

        model = open_embedder(chosen.embedder)
    return Recall.discover(chosen.cache, ignore=chosen.ignore, keep_vanished=chosen.keep_vanished, embedder=model)
