"""`recall-rank mcp`: the recall tools for a coding agent, over stdin and stdout."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions
from recall_rank.frontends.cli.options.histories import history_option, open_recall
from recall_rank.frontends.cli.output.outcome import USAGE, fail
from recall_rank.frontends.tools.host_options import HostOptions, host_options

if TYPE_CHECKING:
    from recall_rank.recall import Recall

_NO_SDK: Final = """the MCP server needs the extra "mcp": pip install 'recall-rank[mcp]'"""
_START: Final = HostOptions()


@click.command(name="mcp")
@history_option
@click.option("--session", envvar="RECALL_RANK_SESSION", metavar="ID", help="The session that asks.")
@click.option("--project", envvar="RECALL_RANK_PROJECT", metavar="NAME", help="The current project.")
@click.option(
    "--directory",
    envvar="RECALL_RANK_DIRECTORY",
    metavar="PATH",
    help="The current folder. Default: the client's first root, else the working directory.",
)
@click.option("--global/--no-global", "global_", default=True, help="Whether other projects can be searched at all.")
@click.option("--redact/--no-redact", default=True, help="Whether keys and passwords are taken out of answers.")
@click.option("--max-results", type=int, default=_START.max_results, help="Most results of a call.")
@click.option("--max-sessions", type=int, default=None, help="Search only the newest so many sessions.")
@click.option("--max-session-list", type=int, default=_START.max_session_list, help="Most sessions that are listed.")
@click.option("--max-messages", type=int, default=_START.max_messages, help="Most messages of a page.")
@click.option("--max-window", type=int, default=_START.max_window, help="Most messages on each side of one.")
@click.option("--default-width", type=int, default=_START.default_width, help="Characters of a snippet.")
@click.option("--concurrency", type=int, default=_START.concurrency, help="Calls that run at once, 4 at most.")
def command(
    histories: tuple[str, ...],
    session: str | None,
    project: str | None,
    directory: str | None,
    **options: Any,
) -> None:
    """Serve the five recall tools to a coding agent over the Model Context Protocol on stdin and stdout.

    Started by the agent, ends when the agent closes stdin. Histories are only read; what is in an answer is marked as
    data.
    """
    from recall_rank.frontends.mcp.context import context_of_command
    from recall_rank.frontends.mcp.histories import Histories

    chosen = {name.rstrip("_"): value for name, value in options.items() if value is not None}
    gc.disable()  # what is loaded now stays: looking through it for garbage would take a fifth of the start
    reading = Histories(opened(histories))  # while the protocol's library loads
    try:
        from recall_rank.frontends.mcp.stdio import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio", "pydantic"):
            raise
        fail(_NO_SDK, USAGE, as_json=False)
    gc.freeze()
    gc.enable()
    serve(reading, host_options(chosen), context_of_command(session, project, directory))
    sys.stderr.flush()
    os._exit(0)  # a reading or a call that nobody waits for any more must not hold the agent up


def opened(histories: tuple[str, ...]) -> Recall:
    """The histories; a machine without any is served too, since the agent that asks is about to begin one."""
    from recall_rank.recall import Recall

    if histories:
        return open_recall(histories)
    try:
        said = CacheOptions.given()
    except ValueError as error:
        fail(str(error), USAGE, as_json=False)
    return Recall.discover(said.cache, ignore=said.ignore, keep_vanished=said.keep_vanished)
