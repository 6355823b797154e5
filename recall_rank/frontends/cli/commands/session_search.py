"""The command `session-search`: past conversations by words, one of them to read in, or the newest."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

import click

from recall_rank.frontends.caller_context import context_of_working_directory
from recall_rank.frontends.cli.options.display_options import display_options
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.limit import limit_option
from recall_rank.frontends.cli.options.redact import redact_option
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
    note_line,
    print_json,
)
from recall_rank.frontends.cli.output.display import Display, given_display, has_terminal
from recall_rank.frontends.cli.output.render import show
from recall_rank.frontends.display_text import one_line
from recall_rank.frontends.tools.parameters import GENERATIONS, SCORINGS

_EXIT_CODES: Final = {  # category of a tool's error -> exit status; of every other category: USAGE
    **dict.fromkeys(("list_failed", "no_messages"), NO_HISTORY),
    "out_of_memory": OUT_OF_MEMORY,
    "internal": DEFECT,
}
_INDENT: Final = "    "
_LONGEST: Final = 240  # characters of a message in a list of messages


@click.command(name="session-search", short_help="Find past conversations, with what was said at the match.")
@click.argument("query", nargs=-1)
@click.option("--session", "session_id", metavar="ID", help="Read in this session; with a query, search only it.")
@click.option("--around", "around_message_id", metavar="N", help="Read around this message. Default: the last.")
@limit_option("sessions", 5, most=100)
@click.option("--window", type=click.IntRange(0, 100), metavar="N", help="Messages on each side. Default: 5.")
@click.option("--scoring", type=click.Choice(SCORINGS), help="Whose scores. Default: recall.")
@click.option("--generation", type=click.Choice(GENERATIONS), help="Of PraisonAI's scores. Default: g3.")
@click.option("--session-prefix", metavar="TEXT", help="Only sessions whose id begins with this.")
@click.option("--budget-ms", type=click.IntRange(1), metavar="MS", help="How long a search may take. Default: 2000.")
@redact_option
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as one line of JSON.")
@display_options
def session_search(
    query: tuple[str, ...], histories: tuple[str, ...], redact: bool, as_json: bool, **given: Any
) -> None:
    """Find past conversations by words, each with the messages around its best match.

    With --session and no query, read in that conversation; with neither, list the newest. The numbers before messages
    are for --around.
    """
    from recall_rank.frontends.host_options import HostOptions
    from recall_rank.frontends.tools.dispatch import RecallTools
    from recall_rank.model import Context

    options = HostOptions(max_window=100, max_session_list=100, max_results=100, redact=redact)
    args = {"query": " ".join(query), **{name: value for name, value in given.items() if value is not None}}
    if query and not args["query"].strip():
        fail("the query is blank", USAGE, as_json=as_json)
    if given["around_message_id"] is not None and (query or not given["session_id"]):
        why = "is not for a query: it reads" if query else "needs --session: it reads"
        fail(f"--around {why} in one session", USAGE, as_json=as_json)
    here = context_of_working_directory() or Context()
    with open_recall(histories, as_json=as_json, context=here) as recall:
        fail_without_history(read_with_progress(recall, index=bool(query)), as_json=as_json)
        answer = RecallTools(recall, options=options, context=here).call("session_search", args)
    if not answer["ok"]:
        fail(answer["error"], _EXIT_CODES.get(answer["error_category"], USAGE), as_json=as_json)
    if "unknown_session" in answer.get("warning_categories", ()):
        fail(answer["warnings"][0], NOT_THERE, as_json=as_json)
    if as_json:
        print_json(answer)
    else:
        if "results" in answer and has_terminal():
            from recall_rank.frontends.cli.last_search import LastSearch, ShownHit
            from recall_rank.frontends.cli.options.shown_hits import keep_numbers

            listed = tuple(ShownHit(entry["session_id"]) for entry in answer["results"])
            keep_numbers(LastSearch(1, listed, histories=tuple(histories)))
        display = given_display(sys.stdout)
        show(_lines(answer, display), display)
    raise click.exceptions.Exit(HITS if answer.get("results") or answer.get("messages") else NO_HITS)


def _lines(answer: Mapping[str, Any], display: Display) -> Iterator[Line]:
    """Yield an answer as lines for people."""
    for number, entry in enumerate(answer.get("results", ()), 1):
        yield [
            (f"{number:>2}. ", "dim"),
            (one_line(entry["title"]) or "untitled", "bold"),
            (f" · {one_line(_when(entry['when'], display))}", "green"),
            (f" · {one_line(entry['session_id'])}", "dim"),
            (f" · {entry['message_count']} messages" if "message_count" in entry else "", "dim"),
        ]
        if "snippet" in entry:
            yield [(_INDENT + one_line(entry["snippet"]), "")]
            yield from _message_lines(entry["messages"], entry["anchor_index"])
            yield [(f"{_INDENT}score {entry['score']:.3g}", "dim")]
        yield []
    yield from _message_lines(answer.get("messages", ()), None)
    if "total_found" in answer:
        least = "" if answer["total_exact"] else "at least "
        yield [(f"{len(answer['results'])} of {least}{answer['total_found']} sessions", "bold")]
    for warning in answer.get("warnings", ()):
        yield note_line(warning)


def _when(text: str | None, display: Display) -> str:
    """Return a time in ISO 8601 as it is shown: on a terminal as a minute in its zone."""
    if not display.is_terminal or text is None:
        return text or "undated"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:  # as a store of PraisonAI has it
        return text
    return display.minute(int(moment.timestamp() * 1000)) if moment.tzinfo is not None else text


def _message_lines(messages: Any, anchor: int | None) -> Iterator[Line]:
    for message in messages:
        text = one_line(str(message["content"] or ""))
        yield [
            (f"{_INDENT}{'>' if message['index'] == anchor else ' '}{message['index']:>4} ", "dim"),
            (one_line(str(message["role"])), "cyan"),
            (f": {text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}", ""),
        ]
