"""Format answers of session_search for people: sessions with their times and ids, what was said, and tool calls apart
from it.

An answer has one text for each message, in which reasoning, input and output of tools stand as if they were said. The
lines here take the messages from the history instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.cli.output.console import Line, note_line
from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.cli.output.id_prefixes import IdPrefixes
from recall_rank.frontends.cli.output.search_lines import unread_lines
from recall_rank.frontends.cli.output.sources_hint import sources_command
from recall_rank.frontends.display_text import age, counted, one_line
from recall_rank.frontends.transcripts.tool_lines import tool_call
from recall_rank.model.agent_names import named_id

if TYPE_CHECKING:
    from recall_rank.model import Message, Part, Session, SourceReport
    from recall_rank.recall import Recall

_INDENT: Final = "    "
_BELOW: Final = " " * 10  # in front of what belongs to a message: as wide as its number
_LONGEST: Final = 240  # characters of a message in a list of messages
_CALLS: Final = 3  # tool calls of a message that are shown
_UNSAID: Final = ("reasoning", "tool", "step-start", "step-finish", "snapshot")  # types of parts that nobody says


@dataclass(frozen=True, slots=True)
class ShownConversation:
    """A session with the ids of its messages by their numbers in an answer, and the messages themselves; none of them
    for a session whose store has only texts.
    """

    session: Session
    ids: Mapping[int, str] = field(default_factory=dict)
    messages: Mapping[int, Message] = field(default_factory=dict)


def conversation(
    recall: Recall, session_id: str, changed: Callable[[Session], Session] | None
) -> ShownConversation | None:
    """Return the session with this id or beginning of one, after `changed`; None when it cannot be read."""
    from recall_rank.frontends.tools.sessions.session_windows import numbered_session
    from recall_rank.loaders.praisonai import NAME

    try:
        found = recall.session(session_id)
        if found.agent == NAME:
            known = numbered_session(recall, found)
            return ShownConversation(found, {number: message_id for message_id, number in known.numbers.items()})
        whole = recall.transcript(named_id(found.id, found.host))
    except (LookupError, OSError):
        return None
    shown = changed(whole) if changed is not None else whole
    ids = {number: message.id for number, message in enumerate(shown.messages)}
    return ShownConversation(shown, ids, dict(enumerate(shown.messages)))


def conversation_heading(found: ShownConversation, now: int, display: Display) -> Iterator[Line]:
    """Yield title, time, id and number of messages of a session, and an empty line."""
    session, count = found.session, len(found.ids)
    yield [
        (one_line(session.title or "") or "untitled", "bold"),
        (f" · {_moment(session.updated, now, display)}", "green"),
        (f" · {one_line(session.id)}", "dim"),
        (f" · {counted(count, 'message', 'messages')}", "dim"),
    ]
    yield []


def shown_time(text: str | None, now: int, display: Display) -> str:
    """Return a time in ISO 8601 as an age and a minute, `now` in epoch milliseconds; without a zone as it is."""
    if text is None:
        return "undated"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:  # as a store of PraisonAI has it
        return text
    return text if moment.tzinfo is None else _moment(int(moment.timestamp() * 1000), now, display)


def message_lines(
    messages: Any, anchor: int | None, found: ShownConversation | None, prefixes: IdPrefixes | None = None
) -> Iterator[Line]:
    """Yield messages of an answer, each with its number, role and id and what was said on one line, then a line for
    each of its first tool calls. The message with the number `anchor` is marked. `prefixes` shortens the ids.
    """
    for message in messages:
        number, text = message["index"], said_text(message, found)
        message_id = found.ids.get(number, "") if found is not None else ""
        if prefixes is not None and found is not None and message_id:
            message_id = prefixes.message(found.session.id, message_id)
        yield [
            (f"{_INDENT}{'>' if number == anchor else ' '}{number:>4} ", "dim"),
            (one_line(str(message["role"])), "cyan"),
            (f" · {one_line(message_id)}" if message_id else "", "dim"),
            (f": {_cut(text)}" if text else "", ""),
        ]
        if found is not None and number in found.messages:
            yield from _calls(found.messages[number])


def said_text(message: Mapping[str, Any], found: ShownConversation | None) -> str:
    """Return what was said in a message of an answer; its whole text where the history has nothing but that."""
    known = found.messages.get(message["index"]) if found is not None else None
    if known is None or known.role == "tool":
        return str(message["content"] or "")
    return "\n".join(part.text for part in known.parts if part.text and _is_said(part))


def warning_lines(warnings: Sequence[str], reports: Sequence[SourceReport]) -> Iterator[Line]:
    """Yield the warnings of an answer of session_search or session_recall. Those on files and stores are counted, since
    `sources` gives them in full; errors of reading are told.
    """
    from recall_rank.frontends.tools.sessions.source_warnings import others_than_sources
    from recall_rank.histories.source_reports import note_on_sources

    others = others_than_sources(warnings, reports)
    yield from map(note_line, others)
    if len(others) < len(warnings):
        yield from unread_lines([f"{report.agent}: {error}" for report in reports for error in report.errors])
        note = note_on_sources(reports, sources_command())
        yield from [note_line(note)] if note else []


def _is_said(part: Part) -> bool:
    return not part.tool and part.type not in _UNSAID


def _calls(message: Message) -> Iterator[Line]:
    """Yield a line for the reasoning of a message that says nothing else, and for each of its first tool calls."""
    calls = [part for part in message.parts if part.type == "tool" or part.tool]
    said = any(part.text and _is_said(part) for part in message.parts)
    thought = next((part.text for part in message.parts if part.type == "reasoning" and part.text), "")
    if thought and not said and not calls:
        yield [(f"{_BELOW}reasoning: {_cut(thought)}", "dim")]
    for part in calls[:_CALLS] if message.role != "tool" else ():
        call = tool_call(part)
        detail = f": {_cut(call.detail)}" if call.detail else ""
        yield [(f"{_BELOW}{one_line(call.name)}{detail}{' (failed)' if call.failed else ''}", "dim")]
    if len(calls) > _CALLS and message.role != "tool":
        yield [(f"{_BELOW}and {counted(len(calls) - _CALLS, 'more tool call', 'more tool calls')}", "dim")]


def is_snippet_shown(snippet: str, messages: Any, anchor: int | None, found: ShownConversation | None) -> bool:
    """Return whether the line of the message that matches shows the snippet."""
    shown = [_cut(said_text(message, found)) for message in messages if message["index"] == anchor]
    return any(one_line(snippet).strip("… ") in each for each in shown)


def _moment(time: int, now: int, display: Display) -> str:
    minute = display.minute(time)
    return f"{age(time, now)} ({minute})" if minute else age(time, now)


def _cut(text: str) -> str:
    """Return a text on one line, cut to _LONGEST characters."""
    line = one_line(text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
