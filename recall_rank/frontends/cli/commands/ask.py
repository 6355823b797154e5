"""The command `ask`: what past conversations say about one thing, picked by a curator."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from recall_rank.frontends.caller_context import context_of_working_directory
from recall_rank.frontends.cli.options.curator import curator_option
from recall_rank.frontends.cli.options.display_options import display_options
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.output.console import (
    DEFECT,
    HITS,
    NO_HITS,
    NOT_CURATED,
    OUT_OF_MEMORY,
    USAGE,
    Line,
    fail,
    fail_without_history,
    print_json,
    status_of_miss,
)
from recall_rank.frontends.cli.output.conversation_lines import warning_lines
from recall_rank.frontends.cli.output.display import given_display
from recall_rank.frontends.cli.output.render import show
from recall_rank.frontends.display_text import counted, escape

if TYPE_CHECKING:
    from recall_rank.model import SourceReport

_OPTIONS: Final = {  # argument of the tool -> what a person types
    "looking_for": "--for",
    "date_from": "--since",
    "date_to": "--until",
    "project": "--project",
    "budget_ms": "--budget-ms",
}
_EXIT_CODES: Final = {"out_of_memory": OUT_OF_MEMORY, "internal": DEFECT}  # by category; of every other one: USAGE
_STATUSES: Final = {  # status of an answer -> exit status
    "found": HITS,
    "empty": NO_HITS,
    "nothing_relevant": NO_HITS,
    "no_curator": USAGE,
    "curator_failed": NOT_CURATED,
}


@click.command(name="ask", short_help="Find past conversations and print only what you ask for.")
@click.argument("query", nargs=-1, required=True)
@click.option("--for", "looking_for", required=True, metavar="TEXT", help="What exactly to return of what is found.")
@curator_option
@click.option("--project", metavar="NAME", help="Only sessions of this project, as stats names it. Default: all.")
@click.option("--since", "--date-from", "date_from", metavar="DAY", help="The first day: 2026-03-04, March 4, 2w.")
@click.option("--until", "--date-to", "date_to", metavar="DAY", help="The last day, inclusive.")
@click.option("--session", envvar="RECALL_RANK_SESSION", metavar="ID", help="The current session, which is left out.")
@click.option("--budget-ms", type=click.IntRange(1), metavar="MS", help="How long the search may take. Default: 2000.")
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as one line of JSON.")
@display_options
def ask(
    query: tuple[str, ...],
    curator: str | None,
    session: str | None,
    histories: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Find past conversations by words, and print only what --for describes.

    A curator picks it from the best matching turns: a command that reads the turns on stdin, such as an agent without a
    terminal, or a model. Keys and passwords are taken out before.
    """
    from dataclasses import replace

    from recall_rank.frontends.host_options import HostOptions
    from recall_rank.frontends.tools.dispatch import RecallTools
    from recall_rank.model import Context

    args = {"query": " ".join(query), **{name: value for name, value in given.items() if value is not None}}
    _check_days(given, as_json=as_json)
    here = replace(context_of_working_directory() or Context(), session_id=session or None)
    with open_recall(histories, as_json=as_json, context=here) as recall:
        fail_without_history(read_with_progress(recall), as_json=as_json)
        names = None if as_json else _OPTIONS
        tools = RecallTools(recall, options=HostOptions(redact=True), context=here, curator=curator, names=names)
        answer = tools.call("session_recall", args)
        reports = recall.sources()
    if not answer["ok"]:
        fail(answer["error"], _EXIT_CODES.get(answer["error_category"], USAGE), as_json=as_json)
    status = answer["status"]
    if as_json:
        print_json(answer)
    elif status in ("no_curator", "curator_failed"):
        fail(answer["text"], _STATUSES[status], as_json=False)
    else:
        show(_lines(answer, reports), given_display(sys.stdout))
    code = _STATUSES[status]
    raise click.exceptions.Exit(status_of_miss(answer.get("limited_by", ())) if code == NO_HITS else code)


def _check_days(given: Mapping[str, Any], *, as_json: bool) -> None:
    """End the command for a day that cannot be read; the tool would ignore it with a warning."""
    import time

    from recall_rank.analysis.day_ranges import day_window

    try:
        day_window(int(time.time() * 1000), given["date_from"], given["date_to"])
    except ValueError as error:
        fail(str(error), USAGE, as_json=as_json)


def _lines(answer: Mapping[str, Any], reports: Sequence[SourceReport]) -> Iterator[Line]:
    """Yield an answer as lines for people."""
    for line in answer["text"].split("\n"):
        yield [(escape(line), "")]
    details = answer["details"]
    if answer["status"] == "found":
        turns = counted(details["match_count"], "turn", "turns")
        sessions = counted(details["session_count"], "session", "sessions")
        yield []
        yield [(f"picked by {escape(details['curator'])} from {turns} of {sessions}", "dim")]
    yield from warning_lines(answer.get("warnings", ()), reports)
