"""`recall-rank search`: ranked hits from every history on this machine, or from the ones named."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from recall_rank.frontends.filters import filter_options, given
from recall_rank.frontends.histories import (
    context_of_working_directory,
    history_option,
    open_recall,
    read_with_progress,
)
from recall_rank.frontends.outcome import (
    ALL_SOURCES_FAILED,
    HITS,
    NO_HITS,
    USAGE,
    every_source_failed,
    fail,
    print_json,
)
from recall_rank.wire import repaired

if TYPE_CHECKING:
    from recall_rank.model import SearchResponse
    from recall_rank.recall import Recall


@click.command(name="search")
@click.argument("query", nargs=-1, required=True)
@history_option
@filter_options
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as one line of JSON.")
@click.pass_context
def command(
    ctx: click.Context, /, query: tuple[str, ...], histories: tuple[str, ...], as_json: bool, **filters: Any
) -> None:
    """Search what coding agents said and did. Several words are one query; put "--" before one that starts with "-".

    Times are read in UTC. Ends with 0 when there are hits, 1 when there are none, 2 when the question cannot be
    understood, 3 when no source could be read.
    """
    context = context_of_working_directory()
    with open_recall(histories, as_json=as_json, context=context) as recall:
        read_with_progress(recall)
        now = int(time.time() * 1000)
        response = ask(recall, " ".join(query), given(filters), now=now, as_json=as_json)
    show(response, now, filters["offset"] or 0, as_json=as_json)
    ctx.exit(outcome(response))


def ask(recall: Recall, query: str, options: dict[str, Any], *, now: int, as_json: bool) -> SearchResponse:
    """The answer; a question the library refuses ends the command as a usage error."""
    try:
        return recall.search(repaired(query), now=now, **options)
    except (ValueError, TypeError, RuntimeError) as error:
        fail(str(error), USAGE, as_json=as_json)


def show(response: SearchResponse, now: int, offset: int, *, as_json: bool) -> None:
    """Prints the answer for a person or for a program."""
    if as_json:
        print_json(response.to_json())
        return
    from recall_rank.frontends.human import answer_lines
    from recall_rank.frontends.paint import paint

    paint(answer_lines(response, now, offset))


def outcome(response: SearchResponse) -> int:
    """The exit code an answer deserves."""
    if every_source_failed(response.coverage.per_source):
        return ALL_SOURCES_FAILED
    return HITS if response.results else NO_HITS
