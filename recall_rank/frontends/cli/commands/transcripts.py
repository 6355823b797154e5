"""The commands that show transcripts: `get`, `context`, `messages` and `sessions`, each one call of a recall tool."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from recall_rank.frontends.caller_context import context_of_working_directory
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.limit import MOST, limit_option
from recall_rank.frontends.cli.output.console import (
    DEFECT,
    HITS,
    NO_HISTORY,
    NO_HITS,
    NOT_THERE,
    OUT_OF_MEMORY,
    USAGE,
    Line,
    fail,
    fail_without_history,
    print_json,
    print_lines,
)
from recall_rank.frontends.cli.output.transcript_lines import excerpt_lines, page_lines, session_lines, turn_lines
from recall_rank.frontends.transcripts.reopen import put_reopen
from recall_rank.model import Flag

if TYPE_CHECKING:
    from recall_rank.recall import Recall

AnswerLines = Callable[[Mapping[str, Any], int], Iterator[Line]]
"""Gives the lines of a tool's answer at a time in epoch milliseconds."""

Completion = Callable[[dict[str, Any], "Recall"], None]
"""Adds to a tool's answer what only the command line shows."""

_EXIT_CODES: Final = {  # category of a tool's error -> exit status; of every other category: USAGE
    **dict.fromkeys(("message_not_found", "other"), NOT_THERE),
    **dict.fromkeys(("list_failed", "no_messages"), NO_HISTORY),
    "out_of_memory": OUT_OF_MEMORY,
    "internal": DEFECT,
}


def transcript_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --history and --json to a command."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as one line of JSON.")
    return history_option(as_json(command))


@click.command(name="get")
@click.argument("session_id", metavar="SESSION")
@click.argument("message_id", metavar="MESSAGE")
@transcript_options
def get(session_id: str, message_id: str, histories: tuple[str, ...], as_json: bool) -> None:
    """Show one message in full, nothing cut. Ids are those of a hit's last line; a beginning of them is enough."""
    args = {"session_id": session_id, "message_id": message_id}
    _run("recall_get", args, histories, as_json=as_json, lines=turn_lines, found="message")


@click.command(name="context")
@click.argument("session_id", metavar="SESSION")
@click.argument("message_id", metavar="MESSAGE")
@click.option("--window", type=click.IntRange(0), metavar="N", help="Messages on each side.")
@click.option("--before", type=click.IntRange(0), metavar="N", help="Messages in front, instead of --window.")
@click.option("--after", type=click.IntRange(0), metavar="N", help="Messages behind, instead of --window.")
@transcript_options
def context(histories: tuple[str, ...], as_json: bool, **args: Any) -> None:
    """Show a message with those around it, the message itself marked."""
    _run("recall_context", args, histories, as_json=as_json, lines=excerpt_lines, found="messages")


@click.command(name="messages")
@click.argument("session_id", metavar="SESSION")
@click.option("--query", metavar="TEXT", help="Only messages that contain this, whatever the case.")
@click.option("--role", type=click.Choice(["user", "assistant", "all"]), help="Who said it.")
@click.option("--reverse", is_flag=True, help="The newest first.")
@limit_option("messages", 10)
@click.option("--offset", type=click.IntRange(0), metavar="N", help="How many messages to leave out first.")
@transcript_options
def messages(histories: tuple[str, ...], as_json: bool, **args: Any) -> None:
    """Read a session, or the messages in it that contain a text."""
    _run("recall_messages", args, histories, as_json=as_json, lines=page_lines, found="messages")


@click.command(name="sessions")
@click.option("--scope", type=click.Choice(["project", "global"]), default="global", help="All, or this project's.")
@click.option("--search", metavar="TEXT", help="Only sessions whose title contains this.")
@click.option("--agent", metavar="NAME", help="Only sessions of this agent, such as codex.")
@limit_option("sessions", 20)
@transcript_options
def sessions(histories: tuple[str, ...], as_json: bool, **args: Any) -> None:
    """List sessions, newest first: what they are called, when and where they were, their ids, how to open them."""
    complete = partial(_complete_sessions, search=args["search"], agent=args["agent"])
    _run("recall_sessions", args, histories, as_json=as_json, lines=session_lines, found="sessions", complete=complete)


def _complete_sessions(output: dict[str, Any], recall: Recall, *, search: str | None, agent: str | None) -> None:
    """Add the total number of sessions to an answer, and to each listed session how to reopen it.

    A session that its agent has deleted is marked as gone.
    """
    output["total"] = len(recall.sessions(scope=output["scope"], search=search, agent=agent))
    for entry in output["sessions"]:
        session = recall.session(entry["id"])
        if session.flags & Flag.SOURCE_MISSING:
            entry["source_missing"] = True
        put_reopen(entry, session.source, session.id, session.directory, session.flags, session.places)


def _run(
    tool: str,
    args: Mapping[str, Any],
    histories: Sequence[str],
    *,
    as_json: bool,
    lines: AnswerLines,
    found: str,
    complete: Completion | None = None,
) -> NoReturn:
    """Call a tool, print its answer and exit: with 0 when the field `found` of the answer is not empty, else with 1.

    `lines` converts an answer to lines for people. `complete`, if given, adds fields to the answer first. Ends the
    command when no history could be read.
    """
    from recall_rank.frontends.host_options import HostOptions
    from recall_rank.frontends.tools.dispatch import RecallTools
    from recall_rank.model import Context

    options = HostOptions(max_messages=MOST, max_session_list=MOST, max_window=MOST)  # not what a host allows agents
    here = context_of_working_directory() or Context()
    with open_recall(histories, as_json=as_json, context=here) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=as_json)
        now = int(time.time() * 1000)
        given = {name: value for name, value in args.items() if value is not None}
        output = RecallTools(recall, options=options, context=here).call(tool, given, now=now)
        if complete is not None and output["ok"]:
            complete(output, recall)
    if not output["ok"]:
        fail(output["error"], _EXIT_CODES.get(output["error_category"], USAGE), as_json=as_json)
    if as_json:
        print_json(output)
    else:
        print_lines(lines(output, now))
    raise click.exceptions.Exit(HITS if output[found] else NO_HITS)
