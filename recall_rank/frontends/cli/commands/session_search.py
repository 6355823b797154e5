"""The command `session-search`: past conversations by words, one of them to read in, or the newest."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from recall_rank.frontends.caller_context import context_of_working_directory
from recall_rank.frontends.cli.options.display_options import display_options
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.limit import limit_option
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.options.targets import why_unknown
from recall_rank.frontends.cli.output.console import (
    DEFECT,
    HITS,
    NO_HISTORY,
    NOT_THERE,
    OUT_OF_MEMORY,
    USAGE,
    Line,
    fail,
    fail_without_history,
    print_json,
    status_of_miss,
)
from recall_rank.frontends.cli.output.conversation_lines import (
    ShownConversation,
    conversation,
    conversation_heading,
    is_snippet_shown,
    message_lines,
    shown_time,
    warning_lines,
)
from recall_rank.frontends.cli.output.display import Display, given_display, has_terminal
from recall_rank.frontends.cli.output.id_prefixes import IdPrefixes
from recall_rank.frontends.cli.output.render import show
from recall_rank.frontends.display_text import counted, one_line
from recall_rank.frontends.tools.parameters import GENERATIONS, SCORINGS

if TYPE_CHECKING:
    from recall_rank.model import Session, SourceReport
    from recall_rank.recall import Recall

_EXIT_CODES: Final = {  # category of a tool's error -> exit status; of every other category: USAGE
    **dict.fromkeys(("list_failed", "no_messages"), NO_HISTORY),
    "out_of_memory": OUT_OF_MEMORY,
    "internal": DEFECT,
}
_INDENT: Final = "    "
_OPTIONS: Final = {  # argument of the tool -> what a person types
    "around_message_id": "--around",
    "session_id": "--session",
    "session_prefix": "--session-prefix",
    **{name: f"--{name.replace('_', '-')}" for name in ("limit", "window", "scoring", "generation", "budget_ms")},
}


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
    from recall_rank.frontends.redaction.redacted_answers import session_without_secrets
    from recall_rank.frontends.tools.dispatch import RecallTools
    from recall_rank.model import Context

    now = int(time.time() * 1000)
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
        names = None if as_json else _OPTIONS
        answer = RecallTools(recall, options=options, context=here, names=names).call("session_search", args, now=now)
        if not answer["ok"]:
            fail(answer["error"], _EXIT_CODES.get(answer["error_category"], USAGE), as_json=as_json)
        if "unknown_session" in answer.get("warning_categories", ()):
            unknown = why_unknown(recall, given["session_id"]) or answer["warnings"][0]
            fail(unknown, NOT_THERE, as_json=as_json)
        if as_json:
            print_json(answer)
            raise click.exceptions.Exit(_status(answer))
        if "results" in answer and has_terminal():
            from recall_rank.frontends.cli.last_search import LastSearch, ShownHit
            from recall_rank.frontends.cli.options.shown_hits import keep_numbers

            listed = tuple(ShownHit(entry["session_id"]) for entry in answer["results"])
            keep_numbers(LastSearch(1, listed, histories=tuple(histories)))
        display = given_display(sys.stdout)
        changed = session_without_secrets if redact else None
        seen = _Seen(recall, display, now, recall.sources(), changed, given["scoring"] != "praisonai")
        show(list(_lines(answer, seen)), display)
    raise click.exceptions.Exit(_status(answer))


def _status(answer: Mapping[str, Any]) -> int:
    found = answer.get("results") or answer.get("messages")
    return HITS if found else status_of_miss(answer.get("limited_by", ()))


@dataclass(frozen=True, slots=True)
class _Seen:
    """The histories that an answer comes from, for what its lines show beside it."""

    recall: Recall
    display: Display
    now: int  # epoch milliseconds
    reports: Sequence[SourceReport]
    changed: Callable[[Session], Session] | None  # takes keys and passwords out of a session
    numbered: bool  # whether the numbers of messages are their places in the session

    def conversation(self, session_id: str) -> ShownConversation | None:
        return conversation(self.recall, session_id, self.changed) if self.numbered else None

    def prefixes(self, found: ShownConversation | None) -> IdPrefixes | None:
        """Return what shortens the ids of messages on a terminal."""
        if found is None or not self.display.is_terminal:
            return None
        return IdPrefixes((), {found.session.id: found.ids.values()})


def _lines(answer: Mapping[str, Any], seen: _Seen) -> Iterator[Line]:
    """Yield an answer as lines for people."""
    for number, entry in enumerate(answer.get("results", ()), 1):
        count = counted(entry["message_count"], "message", "messages") if "message_count" in entry else ""
        yield [
            (f"{number:>2}. ", "dim"),
            (one_line(entry["title"]) or "untitled", "bold"),
            (f" · {one_line(shown_time(entry['when'], seen.now, seen.display))}", "green"),
            (f" · {one_line(entry['session_id'])}", "dim"),
            (f" · {count}" if count else "", "dim"),
        ]
        if "snippet" in entry:
            found, anchor = seen.conversation(entry["session_id"]), entry["anchor_index"]
            if not is_snippet_shown(entry["snippet"], entry["messages"], anchor, found):
                yield [(_INDENT + one_line(entry["snippet"]), "")]
            yield from message_lines(entry["messages"], anchor, found, seen.prefixes(found))
            yield [(f"{_INDENT}score {entry['score']:.3g}", "dim")]
        yield []
    if answer.get("messages"):
        found = seen.conversation(answer["session_id"])
        yield from conversation_heading(found, seen.now, seen.display) if found is not None else ()
        yield from message_lines(answer["messages"], None, found, seen.prefixes(found))
    if "total_found" in answer:
        shown, total = len(answer["results"]), answer["total_found"]
        least = "" if answer["total_exact"] else "at least "
        of = f"{shown:,} of {least}" if least or shown != total else ""
        yield [(f"{of}{counted(total, 'session', 'sessions')}" if total else "No sessions", "bold")]
    yield from warning_lines(answer.get("warnings", ()), seen.reports)
