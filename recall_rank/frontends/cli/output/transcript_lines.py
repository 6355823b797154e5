"""Format messages as lines for people: author and time, texts, input and output of tools.

The functions take the answers of the tools recall_get, recall_context, recall_messages and recall_sessions. `now` is
in epoch milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recall_rank.frontends.cli.output.console import Line, note_line
from recall_rank.frontends.display_text import age, escape, one_line, utc_minute

Entry = Mapping[str, Any]
_INDENT = "    "
_HIDDEN_TYPES = ("step-start", "step-finish", "snapshot")  # records of the agent between messages


def turn_lines(answer: Entry, now: int) -> Iterator[Line]:
    """Yield the lines of one message in full, an answer of recall_get."""
    yield from _heading(answer["context"])
    yield from message_lines(answer, now)
    yield from _warnings(answer)


def excerpt_lines(answer: Entry, now: int) -> Iterator[Line]:
    """Yield the lines of consecutive messages, an answer of recall_context; the requested message is marked."""
    yield from _heading(answer["context"])
    if answer["has_more_before"]:
        yield [("... more before", "dim")]
    for entry in answer["messages"]:
        yield from message_lines(entry, now)
    if answer["has_more_after"]:
        yield [("... more after", "dim")]
    yield from _warnings(answer)


def page_lines(answer: Entry, now: int) -> Iterator[Line]:
    """Yield the lines of a page of messages, an answer of recall_messages, and the offset of the next page."""
    yield from _heading(answer["context"])
    for entry in answer["messages"]:
        yield from message_lines(entry, now)
    page = answer["pagination"]
    first, last = page["offset"] + 1, page["offset"] + page["returned"]
    shown = f"messages {first:,}-{last:,} of {page['total']:,}" if page["returned"] else "No messages"
    more = f" (next: --offset {last})" if page["has_more"] else ""
    yield [(shown, "bold"), (more, "")]
    yield from _warnings(answer)


def session_lines(answer: Entry, now: int) -> Iterator[Line]:
    """Yield the lines of each session in an answer of recall_sessions.

    They are title and time; directory, agent and id; and the command that reopens the session, if there is one.
    """
    for entry in answer["sessions"]:
        updated = entry["time"]["updated"]
        yield [
            (one_line(entry["title"]) or "untitled", "bold"),
            (" · ", "dim"),
            (age(updated, now), "green"),
            (f" ({utc_minute(updated)})" if utc_minute(updated) else "", "dim"),
            (" · archived" if entry["archived"] else "", "dim"),
            (" · gone at its source" if "source_missing" in entry else "", "dim"),
        ]
        place = " · ".join(filter(None, (entry["directory"], entry.get("agent"), entry["id"])))
        yield [(_INDENT + one_line(place), "dim")]
        if "reopen" in entry:
            yield [(_INDENT + "reopen: ", "dim"), (entry["reopen"], "")]
    shown, count = answer["returned"], answer["total"]
    of = "" if shown == count else f"{shown:,} of "
    yield [(f"{of}{count:,} session{'' if count == 1 else 's'}" if shown else "No sessions", "bold")]
    yield from _warnings(answer)
    told = zip(answer.get("suggestions", ()), answer.get("suggestion_categories", ()), strict=True)
    for suggestion in (text for text, category in told if category == "unknown_agent"):
        yield [("try: ", "green"), (one_line(suggestion), "")]


def message_lines(entry: Entry, now: int) -> Iterator[Line]:
    """Yield the lines of a message with all of its parts, and an empty line."""
    message = entry["message"]
    author = " · ".join(filter(None, (message["role"], message.get("author"), message.get("model"))))
    yield [
        ("> " if entry.get("center") else "", "bold yellow"),
        (one_line(author), "cyan"),
        (" · ", "dim"),
        (age(message["time"], now), "green"),
        (f" ({utc_minute(message['time'])})" if utc_minute(message["time"]) else "", "dim"),
        (f" · {one_line(message['id'])}", "dim"),
    ]
    for part in entry["parts"]:
        if part["type"] not in _HIDDEN_TYPES:
            yield from _part_lines(part)
    yield []


def _part_lines(part: Entry) -> Iterator[Line]:
    if "tool_name" in part:
        pruned = " (no longer in the agent's context)" if part["pruned"] else ""
        title = f": {part['title']}" if part.get("title") else ""
        yield [(_INDENT, ""), (one_line(f"{part['tool_name']}{title}{pruned}"), "bold")]
        for name, value in _inputs(part.get("input")):
            yield from _indented(f"{name}: {value}", "dim")
    elif part["type"] == "reasoning":
        yield [(_INDENT + "reasoning", "dim")]
    for name, style in (("content", ""), ("output", ""), ("error", "red")):
        if part.get(name):
            yield from _indented(part[name], style)


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


def _heading(context: Entry) -> Iterator[Line]:
    title = one_line(context.get("session_title") or "") or "untitled"
    place = one_line(context.get("directory") or "")
    yield [(title, "bold"), (f" · {place}" if place else "", "dim")]
    yield []


def _warnings(answer: Entry) -> Iterator[Line]:
    yield from map(note_line, answer.get("warnings", ()))
