"""The commands `search` and `demo`: print ranked hits from the histories, or from the demo history of the package."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from recall_rank.frontends.caller_context import context_of_working_directory, none_of_project
from recall_rank.frontends.cli.options.display_options import display_options, form_options, given_form
from recall_rank.frontends.cli.options.filters import OPTIONS, filter_options, given_filters, with_user_defaults
from recall_rank.frontends.cli.options.histories import (
    finish_refresh,
    history_option,
    open_recall,
    read_with_progress,
)
from recall_rank.frontends.cli.options.index_folder import index_option, open_index_folder
from recall_rank.frontends.cli.options.named_sources import DEMO
from recall_rank.frontends.cli.output.console import (
    HITS,
    NO_HISTORY,
    NOT_THERE,
    OUT_OF_MEMORY,
    USAGE,
    every_source_failed,
    fail,
    fail_without_history,
    print_json,
    print_lines,
    status_of_miss,
)
from recall_rank.frontends.cli.output.display import Display, given_display, has_terminal, is_quiet
from recall_rank.frontends.transcripts.reopen import put_reopen
from recall_rank.model.agent_names import exact_id, named_id
from recall_rank.model.option_errors import OptionError
from recall_rank.model.serialize import repaired

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recall_rank.frontends.cli.options.display_options import Form
    from recall_rank.frontends.cli.options.index_folder import SearchedFolder
    from recall_rank.frontends.cli.output.id_prefixes import IdPrefixes
    from recall_rank.model import SearchResponse
    from recall_rank.recall import Recall


_LONGEST: Final = 1 << 20  # bytes of stdin that are read as a query


@click.command(name="search", short_help="Search what coding agents said and did.")
@click.argument("query", nargs=-1, required=True)
@history_option
@index_option
@filter_options
@form_options
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as one line of JSON.")
@display_options
@click.pass_context
def search(
    ctx: click.Context,
    /,
    query: tuple[str, ...],
    histories: tuple[str, ...],
    index: str | None,
    as_json: bool,
    **filters: Any,
) -> None:
    """Search what coding agents said and did. Several words are one query; "-" reads it from stdin.

    Put "--" before a query that begins with a dash. Operators in a query narrow it: tool:bash, role:user, agent:codex,
    project:NAME, file:PATH, since:2w, until:DATE, in:title, +"must stand", -"must not", -word, and OR between words.

    On a terminal, `recall-rank get 1` shows the first hit in full; context, open, copy and reopen take its number, too.

    Times are read in UTC. Ends with 0 when there are hits and with 1 when there are none; recall-rank --help lists what
    else it can end with.
    """
    form = given_form(as_json=as_json)
    context, words = context_of_working_directory(), _query(query)
    if index is not None:
        with open_index_folder(index, histories, as_json=as_json, context=context) as folder:
            now = int(time.time() * 1000)
            options = given_filters(with_user_defaults(filters), context.worktree if context else None)
            response = _named_file(_search(folder, words, options, now=now, as_json=as_json), filters)
            _show(folder, response, form, now=now, offset=filters["offset"] or 0, histories=None)
        ctx.exit(_exit_code(response))
    with open_recall(histories, as_json=as_json, context=context) as recall:
        read_with_progress(recall)
        now = int(time.time() * 1000)
        options = given_filters(with_user_defaults(filters), context.worktree if context else None)
        options = _of_session(recall, options, as_json=as_json)
        response = _named_file(_search(recall, words, options, now=now, as_json=as_json), filters)
        none = not response.coverage.sessions.eligible and response.coverage.unread is None
        if filters["scope"] == "project" and none and context is not None:
            response = replace(response, warnings=(*response.warnings, none_of_project(context)))
        _show(recall, response, form, now=now, offset=filters["offset"] or 0, histories=histories)
        finish_refresh(recall, response.coverage.stale_ms)
    ctx.exit(_exit_code(response))


@click.command(name="demo", short_help="Search a small invented history.")
@click.argument("query", nargs=-1)
@filter_options
@form_options
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as one line of JSON.")
@display_options
@click.pass_context
def demo(ctx: click.Context, /, query: tuple[str, ...], as_json: bool, **filters: Any) -> None:
    """Search a small invented history; the default query is "rate limit". Takes the filters of search.

    Ages are counted from the day the history was written for, so the same demo looks the same every day.
    """
    from recall_rank.frontends.demo import NOW

    words, form = _query(query) if query else "rate limit", given_form(as_json=as_json)
    with open_recall([DEMO], as_json=as_json, cached=False) as recall:
        options = _of_session(recall, given_filters(filters), as_json=as_json)
        response = _named_file(_search(recall, words, options, now=NOW, as_json=as_json), filters)
        _show(recall, response, form, now=NOW, offset=filters["offset"] or 0, histories=(DEMO,))
    if response.results and form == "lines" and not given_display(sys.stdout).is_terminal:
        first = response.results[0]
        click.echo(f"read on: recall-rank context {first.session_id} {first.message_id} --history {DEMO}")
    ctx.exit(_exit_code(response))


def _query(words: Sequence[str]) -> str:
    """Return the query that the words of a command line are: joined by blanks, or for "-" what stdin gives."""
    if tuple(words) != ("-",):
        return " ".join(words)
    return sys.stdin.buffer.read(_LONGEST).decode("utf-8", "replace").rstrip("\r\n")


def _search(
    recall: Recall | SearchedFolder, query: str, options: dict[str, Any], *, now: int, as_json: bool
) -> SearchResponse:
    """Return the response to a query. A query or option that the library refuses ends the command as a usage error.

    Operators in the query are read, unless the query is to be matched as it stands.
    """
    options.setdefault("syntax", options.get("match") not in ("literal", "regex"))
    if options.get("scope") == "session" and not options.get("session_id"):
        fail("--scope session needs --session ID: a shell has no session of its own", USAGE, as_json=as_json)
    try:
        response = recall.search(repaired(query), now=now, **options)
    except OptionError as error:
        fail(f"{OPTIONS.get(error.option, error.option)} {error.problem}", USAGE, as_json=as_json)
    except (ValueError, TypeError, RuntimeError) as error:
        fail(str(error), USAGE, as_json=as_json)
    if "redact" not in options:
        return response
    from recall_rank.frontends.redaction.redacted_answers import response_without_secrets

    return response_without_secrets(response)


def _of_session(recall: Recall, options: dict[str, Any], *, as_json: bool) -> dict[str, Any]:
    """Return options in which the session that --session names, by an id or a beginning of one, is told from those of
    other machines with its id. Ends the command where there is no such session.
    """
    if not options.get("session_id"):
        return options
    try:
        found = recall.session(options["session_id"])
    except LookupError as error:
        fail_without_history(recall.sources(), as_json=as_json)
        fail(str(error.args[0]), NOT_THERE, as_json=as_json)
    return {**options, "session_id": exact_id(found.id, found.host)}


def _named_file(response: SearchResponse, filters: Mapping[str, Any]) -> SearchResponse:
    """Return the response with the parts that --file left out under its name; the library has them under `must`."""
    parts = response.coverage.parts
    if not filters["files"] or "must" not in parts.skipped:
        return response
    from recall_rank.frontends.cli.output.search_lines import MUST_OR_FILE

    others = filters["must"] or (response.syntax is not None and response.syntax.must)
    skipped = dict(parts.skipped)
    count, name = skipped.pop("must"), MUST_OR_FILE if others else "file"
    skipped[name] = skipped.get(name, 0) + count
    return replace(response, coverage=replace(response.coverage, parts=replace(parts, skipped=skipped)))


def _show(
    recall: Recall | SearchedFolder,
    response: SearchResponse,
    form: Form,
    *,
    now: int,
    offset: int,
    histories: Sequence[str] | None,
) -> None:
    """Print the response in a form; `offset` is the number of hits on earlier pages. Where its hits have numbers, they
    are kept for later commands in this terminal, which read `histories`; None keeps none.
    """
    if form == "json":
        answer = response.to_dict()
        for entry, hit in zip(answer["results"], response.results, strict=True):
            put_reopen(entry, hit.history, hit.session_id, hit.directory, hit.flags)
        print_json(answer)
        return
    from recall_rank.frontends.cli.output.render import show

    display = given_display(sys.stdout)
    if histories is not None and form in ("lines", "oneline") and has_terminal():
        from recall_rank.frontends.cli.last_search import LastSearch, ShownHit
        from recall_rank.frontends.cli.options.shown_hits import keep_numbers

        words = response.query if response.syntax is None else response.syntax.text
        hits = tuple(
            ShownHit(named_id(hit.session_id, hit.host), hit.message_id, hit.part_id) for hit in response.results
        )
        keep_numbers(LastSearch(offset + 1, hits, words, response.match_mode, tuple(histories)))
    if form == "lines":
        from recall_rank.frontends.cli.output.hit_layout import laid_out

        show(laid_out(response, now, offset, display, lambda: _ids(recall, response)), display)
        return
    from recall_rank.frontends.cli.output.record_lines import hit_rows
    from recall_rank.frontends.cli.output.search_lines import remark_lines, unread_lines

    show(hit_rows(response, form, now, offset, display), display if form == "oneline" else Display())
    print_lines(unread_lines(response.load_errors) if is_quiet() else remark_lines(response), sys.stderr)


def _ids(recall: Recall | SearchedFolder, response: SearchResponse) -> IdPrefixes:
    """Return what shortens the ids of the sessions of a response and of their messages."""
    from recall_rank.frontends.cli.output.id_prefixes import IdPrefixes

    found = recall.indexed({hit.session_id for hit in response.results})
    messages = {session.id: [message.id for message in session.messages] for session in found}
    return IdPrefixes((session.id for session in recall.sessions()), messages)


def _exit_code(response: SearchResponse) -> int:
    """Return the exit code: 0 with hits, 1 without, another one when none was found because reading failed."""
    reports = response.coverage.per_source
    if not response.results and any(failure.of_memory for report in reports for failure in report.failures):
        return OUT_OF_MEMORY
    if every_source_failed(reports):
        return NO_HISTORY
    return HITS if response.results else status_of_miss(response.coverage.limited_by)
