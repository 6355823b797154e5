"""The commands that show transcripts: `get`, `context`, `messages` and `sessions`, each one call of a recall tool."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import click

from recall_rank.frontends.caller_context import context_of_working_directory, none_of_project
from recall_rank.frontends.cli.options.completions import complete_agents, complete_messages, complete_sessions
from recall_rank.frontends.cli.options.display_options import Form, display_options, form_options, given_form
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.limit import MOST, limit_option
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.options.targets import Target, message_target, target_of, why_unknown
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
from recall_rank.frontends.cli.output.display import Display, given_display, has_terminal
from recall_rank.frontends.cli.output.record_lines import session_rows
from recall_rank.frontends.cli.output.render import fits, show
from recall_rank.frontends.cli.output.transcript_lines import (
    MessageStyle,
    excerpt_lines,
    page_lines,
    session_lines,
    session_total_lines,
    turn_lines,
)
from recall_rank.frontends.cli.output.word_marks import WordMarks
from recall_rank.frontends.transcripts.reopen import put_reopen
from recall_rank.model import Flag
from recall_rank.model.agent_names import named_id

if TYPE_CHECKING:
    from recall_rank.model.response import Match
    from recall_rank.recall import Recall

AnswerLines = Callable[[Mapping[str, Any], int, MessageStyle], Iterator[Line]]
"""Gives the lines of a tool's answer at a time in epoch milliseconds."""

Shown = Callable[[Mapping[str, Any], int], None]
"""Prints a tool's answer for people, at a time in epoch milliseconds."""

Completion = Callable[[dict[str, Any], "Recall"], None]
"""Adds to a tool's answer what only the command line shows."""

_EXIT_CODES: Final = {  # category of a tool's error -> exit status; of every other category: USAGE
    **dict.fromkeys(("message_not_found", "other"), NOT_THERE),
    **dict.fromkeys(("list_failed", "no_messages"), NO_HISTORY),
    "out_of_memory": OUT_OF_MEMORY,
    "internal": DEFECT,
}
_UNKNOWN: Final = ("other", "message_not_found")  # categories of a tool's error where the session may be unknown


def transcript_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --history, --json and the options of display to a command."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as one line of JSON.")
    return history_option(as_json(display_options(command)))


def message_arguments(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments that name a message: its ids, or the number of a hit."""
    session = click.argument("session_id", metavar="{NUMBER | SESSION MESSAGE}", shell_complete=complete_sessions)
    message = click.argument("message_id", metavar="", required=False, shell_complete=complete_messages)
    return session(message(command))


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --raw, --redact and the options of transcript_options() to a command that shows messages."""
    raw = click.option("--raw", is_flag=True, help="Show text as it was written; a terminal gets Markdown rendered.")
    return raw(redact_option(transcript_options(command)))


_mark_option = click.option(
    "--mark", metavar="TEXT", help="Mark these words on a terminal. Default: those of the search, for a number."
)


@click.command(name="get")
@message_arguments
@_mark_option
@reading_options
def get(session_id: str, message_id: str | None, histories: tuple[str, ...], as_json: bool, **look: Any) -> None:
    """Show one message in full, nothing cut.

    It is named by the number of a hit of the last search in this terminal, or by its session and its own id, of which
    a beginning is enough.
    """
    target = message_target(session_id, message_id, histories, as_json=as_json)
    args = {"session_id": target.session_id, "message_id": target.message_id}
    shown = _Look.of_target(target, **look)
    _run(
        "recall_get",
        args,
        target.histories,
        partial(shown.show, turn_lines),
        as_json=as_json,
        found="message",
        redact=shown.redact,
    )


@click.command(name="context", short_help="Show a message with those around it.")
@message_arguments
@click.option("--window", type=click.IntRange(0), metavar="N", help="Messages on each side. Default: 3.")
@click.option("--before", type=click.IntRange(0), metavar="N", help="Messages in front. Default: as --window.")
@click.option("--after", type=click.IntRange(0), metavar="N", help="Messages behind. Default: as --window.")
@_mark_option
@reading_options
def context(
    session_id: str,
    message_id: str | None,
    histories: tuple[str, ...],
    as_json: bool,
    window: int | None,
    before: int | None,
    after: int | None,
    **look: Any,
) -> None:
    """Show a message, then those around it, nearest first: -1 is the one before it. It is named as for `get`."""
    target = message_target(session_id, message_id, histories, as_json=as_json)
    args: dict[str, Any] = {"session_id": target.session_id, "message_id": target.message_id}
    args |= {"window": window, "before": before, "after": after}
    shown = _Look.of_target(target, **look)
    _run(
        "recall_context",
        args,
        target.histories,
        partial(shown.show, excerpt_lines),
        as_json=as_json,
        found="messages",
        redact=shown.redact,
    )


@click.command(name="messages", short_help="Read a session, or what in it contains a text.")
@click.argument("session_id", metavar="{NUMBER | SESSION}", shell_complete=complete_sessions)
@click.option("--query", metavar="TEXT", help="Only messages that contain this, whatever the case.")
@click.option("--role", type=click.Choice(["user", "assistant", "all"]), help="Who said it. Default: all.")
@click.option("--reverse", is_flag=True, help="The newest first.")
@limit_option("messages", 10)
@click.option("--offset", type=click.IntRange(0), metavar="N", help="How many messages to leave out first. Default: 0.")
@reading_options
def messages(session_id: str, histories: tuple[str, ...], as_json: bool, raw: bool, redact: bool, **args: Any) -> None:
    """Read a session, or the messages in it that contain a text.

    It is named by the number of a hit of the last search in this terminal, by an id or a beginning of one.
    """
    target = target_of(session_id, None, histories, as_json=as_json)
    args["session_id"] = target.session_id
    look = _Look(args["query"] or "", "literal", raw, redact)
    _run(
        "recall_messages",
        args,
        target.histories,
        partial(look.show, page_lines),
        as_json=as_json,
        found="messages",
        redact=redact,
    )


@click.command(name="sessions", short_help="List sessions, newest first.")
@click.option(
    "--scope", type=click.Choice(["project", "global"]), default="global", help="Default: global, all of them."
)
@click.option("--search", metavar="TEXT", help="Only sessions whose title contains this.")
@click.option(
    "--agent", metavar="NAME", shell_complete=complete_agents, help="Only sessions of this agent, such as codex."
)
@limit_option("sessions", 20)
@redact_option
@form_options
@transcript_options
def sessions(histories: tuple[str, ...], as_json: bool, redact: bool, **args: Any) -> None:
    """List sessions, newest first: what they are called, when and where they were, of which agent, and their ids."""
    shown = partial(_show_sessions, given_form(as_json=as_json), histories)
    complete = partial(_complete_sessions, search=args["search"], agent=args["agent"])
    _run("recall_sessions", args, histories, shown, as_json=as_json, found="sessions", complete=complete, redact=redact)


def _complete_sessions(output: dict[str, Any], recall: Recall, *, search: str | None, agent: str | None) -> None:
    """Add the total number of sessions to an answer, a warning where none is of the project, and to each listed session
    how to reopen it.

    A session that its agent has deleted is marked as gone.
    """
    output["total"] = len(recall.sessions(scope=output["scope"], search=search, agent=agent))
    here = context_of_working_directory()
    if output["scope"] == "project" and here is not None and not recall.sessions(scope="project"):
        output["warnings"] = [*output.get("warnings", ()), none_of_project(here)]
        output["warning_categories"] = [*output.get("warning_categories", ()), "other_project"]
    for entry in output["sessions"]:
        session = recall.session(named_id(entry["id"], entry.get("host")))
        if session.flags & Flag.SOURCE_MISSING:
            entry["source_missing"] = True
        put_reopen(entry, session.source, session.id, session.directory, session.flags, session.places)


@dataclass(frozen=True, slots=True)
class _Look:
    """The look of messages: the words that are marked, whether their text stands as it was written, and whether keys
    and passwords are replaced.
    """

    query: str = ""
    match: str = "smart"
    raw: bool = False
    redact: bool = False

    @classmethod
    def of_target(cls, target: Target, *, mark: str | None, raw: bool, redact: bool) -> _Look:
        """Return how a target is shown: the words that found it are marked, unless --mark names others."""
        return cls(target.query, target.match, raw, redact) if mark is None else cls(mark, "smart", raw, redact)

    def show(self, lines: AnswerLines, answer: Mapping[str, Any], now: int) -> None:
        """Print the lines of an answer that has messages."""
        display = given_display(sys.stdout)
        marks = WordMarks()
        if self.query and display.colour:
            entries = [answer] if "message" in answer else answer["messages"]
            marks = WordMarks(self.query, cast("Match", self.match), entries)
        show(lines(answer, now, MessageStyle(display, marks, self.raw)), display)


def _show_sessions(form: Form, histories: Sequence[str], answer: Mapping[str, Any], now: int) -> None:
    """Print an answer of recall_sessions in a form. Where its sessions have numbers, they are kept for later commands
    in this terminal, in place of those of a search.
    """
    display = given_display(sys.stdout)
    if form in ("lines", "oneline") and has_terminal():
        from recall_rank.frontends.cli.last_search import LastSearch, ShownHit
        from recall_rank.frontends.cli.options.shown_hits import keep_numbers

        listed = tuple(ShownHit(named_id(entry["id"], entry.get("host"))) for entry in answer["sessions"])
        keep_numbers(LastSearch(1, listed, histories=tuple(histories)))
    if form == "lines":
        rows = list(session_lines(answer, now, display))
        if not fits(rows, display):
            short = session_rows(answer["sessions"], "oneline", now, display)
            rows = [*short, *session_total_lines(answer, display)]
    else:
        rows = list(session_rows(answer["sessions"], form, now, display))
    show(rows, display if form in ("lines", "oneline") else Display())


def _run(
    tool: str,
    args: Mapping[str, Any],
    histories: Sequence[str],
    shown: Shown,
    *,
    as_json: bool,
    found: str,
    complete: Completion | None = None,
    redact: bool = False,
) -> NoReturn:
    """Call a tool, print its answer and exit: with 0 when the field `found` of the answer is not empty, else with 1.

    `shown` prints an answer for people. `complete`, if given, adds fields to the answer first; with `redact` keys and
    passwords in it are replaced. Ends the command when no history could be read.
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
        options_of_args = {name: f"--{name}" for name in args}
        names = None if as_json else {**options_of_args, "session_id": "SESSION", "message_id": "MESSAGE"}
        output = RecallTools(recall, options=options, context=here, names=names).call(tool, given, now=now)
        if complete is not None and output["ok"]:
            complete(output, recall)
        if not output["ok"] and output["error_category"] in _UNKNOWN and "session_id" in given:
            output["error"] = why_unknown(recall, given["session_id"]) or output["error"]
    if redact:
        from recall_rank.frontends.redaction.redacted_answers import without_secrets

        output = without_secrets(output)
    if not output["ok"]:
        fail(output["error"], _EXIT_CODES.get(output["error_category"], USAGE), as_json=as_json)
    if as_json:
        print_json(output)
    else:
        shown(output, now)
    raise click.exceptions.Exit(HITS if output[found] else status_of_miss(output.get("limited_by", ())))
