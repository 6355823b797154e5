"""`recall-rank search`: ranked hits from every history on this machine, or from the ones named."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from recall_rank.frontends.cli.options.filters import OPTIONS, filter_options, given
from recall_rank.frontends.cli.options.histories import (
    context_of_working_directory,
    finish_refresh,
    history_option,
    open_recall,
    read_with_progress,
)
from recall_rank.frontends.cli.output.outcome import (
    ALL_SOURCES_FAILED,
    HITS,
    NO_HITS,
    USAGE,
    every_source_failed,
    fail,
    print_json,
)
from recall_rank.frontends.cli.output.reopen import put_reopen
from recall_rank.model.serialize import repaired

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
        options = given(filters, context.worktree if context else None)
        response = ask(recall, " ".join(query), options, now=now, as_json=as_json)
        if filters["scope"] == "project" and not response.coverage.sessions.eligible and context is not None:
            here = f"none of them ran in {context.worktree} or below it, which is the project here"
            response = replace(response, warnings=(*response.warnings, here))
        show(response, now, filters["offset"] or 0, as_json=as_json)
        finish_refresh(recall, response.coverage.stale_ms)
    ctx.exit(outcome(response))


def ask(recall: Recall, query: str, options: dict[str, Any], *, now: int, as_json: bool) -> SearchResponse:
    """The answer; a question the library refuses ends the command as a usage error.

    Of a session's id a beginning is enough, as everywhere.
    """
    wanted = options.get("session_id")
    if options.get("scope") == "session" and not wanted:
        fail("--scope session goes with --session ID: a shell is in no session", USAGE, as_json=as_json)
    try:
        if wanted:
            options = {**options, "session_id": recall.session(wanted).id}
        response = recall.search(repaired(query), now=now, **options)
    except LookupError as error:
        fail(str(error.args[0]), NO_HITS, as_json=as_json)
    except (ValueError, TypeError, RuntimeError) as error:
        fail(as_typed(str(error)), USAGE, as_json=as_json)
    if "redact" not in options:
        return response
    from recall_rank.frontends.redaction.answers import response_without_secrets

    return response_without_secrets(response)


def as_typed(message: str) -> str:
    """What the library says of an option, by the name that a person typed."""
    name, blank, rest = message.partition(" ")
    return f"{OPTIONS[name]}{blank}{rest}" if name in OPTIONS else message


def show(response: SearchResponse, now: int, offset: int, *, as_json: bool) -> None:
    """Prints the answer for a person or for a program."""
    if as_json:
        answer = response.to_dict()
        for entry, hit in zip(answer["results"], response.results, strict=True):
            put_reopen(entry, hit.history, hit.session_id, hit.directory, hit.flags)
        print_json(answer)
        return
    from recall_rank.frontends.cli.output.human import answer_lines
    from recall_rank.frontends.cli.output.paint import paint

    paint(answer_lines(response, now, offset))


def outcome(response: SearchResponse) -> int:
    """The exit code an answer deserves."""
    if every_source_failed(response.coverage.per_source):
        return ALL_SOURCES_FAILED
    return HITS if response.results else NO_HITS
