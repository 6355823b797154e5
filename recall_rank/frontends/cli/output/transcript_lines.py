"""Format messages as lines for people: author and time, texts, input and output of tools.

The functions take the answers of the tools recall_get, recall_context, recall_messages and recall_sessions. `now` is
in epoch milliseconds. On a terminal times are local, folders short, the prose of agents is rendered as Markdown, and
the words of a query are marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from recall_rank.frontends.cli.output.console import Line, note_line
from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.cli.output.word_marks import WordMarks
from recall_rank.frontends.display_text import age, counted, escape, one_line
from recall_rank.frontends.tools.transcript_tools import centre_first
from recall_rank.frontends.transcripts.labels import title_of_call
from recall_rank.model.serialize_transcript import PROSE

Entry = Mapping[str, Any]
_INDENT = "    "
_HIDDEN_TYPES = ("step-start", "step-finish", "snapshot")  # records of the agent between messages


@dataclass(frozen=True, slots=True)
class MessageStyle:
    """The look of messages: their display, the words that are marked, and whether text stands as it was written."""

    display: Display = field(default_factory=Display)
    marks: WordMarks = field(default_factory=WordMarks)
    is_raw: bool = False


PIPE = MessageStyle()


def turn_lines(answer: Entry, now: int, style: MessageStyle = PIPE) -> Iterator[Line]:
    """Yield the lines of one message in full, an answer of recall_get."""
    yield from _heading(answer["context"], style)
    yield from message_lines(answer, now, style)
    yield from _warnings(answer)


def excerpt_lines(answer: Entry, now: int, style: MessageStyle = PIPE) -> Iterator[Line]:
    """Yield the lines of consecutive messages, an answer of recall_context: the requested message first, marked, then
    its neighbours outward, each with its distance; a reader who sees only the beginning sees what was asked for.
    """
    yield from _heading(answer["context"], style)
    for entry in centre_first(answer)["messages"]:
        yield from message_lines(entry, now, style)
    if answer["has_more_before"]:
        yield [("... more before", "dim")]
    if answer["has_more_after"]:
        yield [("... more after", "dim")]
    yield from _warnings(answer)


def page_lines(answer: Entry, now: int, style: MessageStyle = PIPE) -> Iterator[Line]:
    """Yield the lines of a page of messages, an answer of recall_messages, and the offset of the next page."""
    yield from _heading(answer["context"], style)
    for entry in answer["messages"]:
        yield from message_lines(entry, now, style)
    page = answer["pagination"]
    first, last = page["offset"] + 1, page["offset"] + page["returned"]
    total = page["total"]
    none = f"None left of {counted(total, 'message', 'messages')}" if total else "No messages"
    shown = f"messages {first:,}-{last:,} of {total:,}" if page["returned"] else none
    more = f" (next: --offset {last})" if page["has_more"] else ""
    yield [(shown, "bold"), (more, "")]
    yield from _warnings(answer)


def session_lines(answer: Entry, now: int, display: Display) -> Iterator[Line]:
    """Yield the lines of each session in an answer of recall_sessions.

    They are title and time; directory, agent and id; and, in a pipe, the command that reopens the session, if there is
    one. On a terminal each has a number, which the commands `open` and `reopen` take.
    """
    for number, entry in enumerate(answer["sessions"], 1):
        updated = entry["time"]["updated"]
        minute = display.minute(updated)
        yield [
            (f"{number:>2}. " if display.is_terminal else "", "dim"),
            (one_line(entry["title"]) or "untitled", "bold"),
            (" · ", "dim"),
            (age(updated, now), "green"),
            (f" ({minute})" if minute else "", "dim"),
            (" · archived" if entry["archived"] else "", "dim"),
            (" · gone at its source" if "source_missing" in entry else "", "dim"),
        ]
        place = " · ".join(filter(None, (display.folder(entry["directory"]), entry.get("agent"), entry["id"])))
        yield [(_INDENT + one_line(place), "dim")]
        if "reopen" in entry and not display.is_terminal:
            yield [(_INDENT + "reopen: ", "dim"), (entry["reopen"], "")]
    yield from session_total_lines(answer, display)


def session_total_lines(answer: Entry, display: Display) -> Iterator[Line]:
    """Yield the number of sessions that there are, the commands that read on, and warnings."""
    shown, count = answer["returned"], answer["total"]
    of = "" if shown == count else f"{shown:,} of "
    yield [(f"{of}{count:,} session{'' if count == 1 else 's'}" if shown else "No sessions", "bold")]
    if display.is_terminal and shown:
        yield [("read on: ", "green"), ("recall-rank open 1", ""), ("; also messages, transcript, reopen", "dim")]
    yield from _warnings(answer)
    told = zip(answer.get("suggestions", ()), answer.get("suggestion_categories", ()), strict=True)
    for suggestion in (text for text, category in told if category == "unknown_agent"):
        yield [("try: ", "green"), (one_line(suggestion), "")]


def message_lines(entry: Entry, now: int, style: MessageStyle = PIPE) -> Iterator[Line]:
    """Yield the lines of a message with all of its parts, and an empty line."""
    message = entry["message"]
    author = " · ".join(filter(None, (message["role"], message.get("author"), message.get("model"))))
    minute = style.display.minute(message["time"])
    yield [
        ("> " if entry.get("center") else "", "bold yellow"),
        (f"{entry['distance']:+} " if entry.get("distance") else "", "dim"),
        (one_line(author), "cyan"),
        (" · ", "dim"),
        (age(message["time"], now), "green"),
        (f" ({minute})" if minute else "", "dim"),
        (f" · {one_line(message['id'])}", "dim"),
    ]
    is_prose = message["role"] == "assistant" and style.display.is_terminal and not style.is_raw
    for part in entry["parts"]:
        if part["type"] not in _HIDDEN_TYPES:
            for line in _part_lines(part, style.display.columns if is_prose else None):
                yield style.marks.marked(line)
    yield []


def _part_lines(part: Entry, columns: int | None) -> Iterator[Line]:
    """Yield the lines of a part; its prose is rendered as Markdown at a width of `columns`, unless that is None."""
    if "tool_name" in part:
        pruned = " (no longer in the agent's context)" if part["pruned"] else ""
        title = title_of_call(part)
        heading = f"{part['tool_name']}: {title}" if title else part["tool_name"]
        yield [(_INDENT, ""), (one_line(f"{heading}{pruned}"), "bold")]
        for name, value in _inputs(part.get("input")):
            yield from _indented(f"{name}: {value}", "dim")
    elif part["type"] == "reasoning":
        yield [(_INDENT + "reasoning", "dim")]
    for name, style in (("content", ""), ("output", ""), ("error", "red")):
        text = part.get(name)
        if text and columns is not None and name == "content" and part["type"] in PROSE:
            yield from _rendered(text, columns)
        elif text:
            yield from _indented(text, style)


def _rendered(text: str, columns: int) -> Iterator[Line]:
    from recall_rank.frontends.cli.output.markdown_lines import markdown_lines

    for line in markdown_lines(text, columns - len(_INDENT)):
        yield [(_INDENT, ""), *line]


def _inputs(value: Any) -> Iterator[tuple[str, str]]:
    """Yield (name, text) for each value in the input of a tool call."""
    import json

    if isinstance(value, Mapping):
        for name, item in value.items():
            yield name, item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
    elif value is not None:
        yield "input", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _indented(text: str, style: str) -> Iterator[Line]:
    """Yield the lines of a text, escaped and indented."""
    for line in text.rstrip("\n").split("\n"):
        yield [(_INDENT + escape(line.rstrip("\r").replace("\t", "    ")), style)]


def _heading(context: Entry, style: MessageStyle) -> Iterator[Line]:
    title = one_line(context.get("session_title") or "") or "untitled"
    place = one_line(style.display.folder(context.get("directory") or ""))
    yield [(title, "bold"), (f" · {place}" if place else "", "dim")]
    yield []


def _warnings(answer: Entry) -> Iterator[Line]:
    yield from map(note_line, answer.get("warnings", ()))
