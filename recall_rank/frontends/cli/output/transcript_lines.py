"""Conversations as a person reads them: who said what when, what tools were given and what they gave back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from recall_rank.frontends.cli.output.ages import age, stamp
from recall_rank.frontends.cli.output.terminal import escape, one_line

if TYPE_CHECKING:
    from recall_rank.frontends.cli.output.human import Line

Entry = Mapping[str, Any]
_INDENT = "    "
_SILENT = ("step-start", "step-finish", "snapshot")  # what a program notes for itself between what was said


def turn_lines(answer: Entry, now: int) -> Iterator[Line]:
    """One message in full."""
    yield from _heading(answer["context"])
    yield from message_lines(answer, now)
    yield from _notes(answer)


def excerpt_lines(answer: Entry, now: int) -> Iterator[Line]:
    """Messages that follow each other, the one asked for marked."""
    yield from _heading(answer["context"])
    if answer["has_more_before"]:
        yield [("... more before", "dim")]
    for entry in answer["messages"]:
        yield from message_lines(entry, now)
    if answer["has_more_after"]:
        yield [("... more after", "dim")]
    yield from _notes(answer)


def page_lines(answer: Entry, now: int) -> Iterator[Line]:
    """A page of messages, and where the next one begins."""
    yield from _heading(answer["context"])
    for entry in answer["messages"]:
        yield from message_lines(entry, now)
    page = answer["pagination"]
    first, last = page["offset"] + 1, page["offset"] + page["returned"]
    shown = f"messages {first:,}-{last:,} of {page['total']:,}" if page["returned"] else "No messages"
    more = f" (next: --offset {last})" if page["has_more"] else ""
    yield [(shown, "bold"), (more, "")]
    yield from _notes(answer)


def session_lines(answer: Entry, now: int) -> Iterator[Line]:
    """Two lines a session: what it is called and when it was; where, and its id. A third where it can be reopened."""
    for entry in answer["sessions"]:
        updated = entry["time"]["updated"]
        yield [
            (one_line(entry["title"]) or "untitled", "bold"),
            (" · ", "dim"),
            (age(updated, now), "green"),
            (f" ({stamp(updated)})" if stamp(updated) else "", "dim"),
            (" · archived" if entry["archived"] else "", "dim"),
            (" · gone at its source" if "source_missing" in entry else "", "dim"),
        ]
        place = " · ".join(filter(None, (entry["directory"], entry["id"])))
        yield [(_INDENT + one_line(place), "dim")]
        if "reopen" in entry:
            yield [(_INDENT + "reopen: ", "dim"), (entry["reopen"], "")]
    shown, count = answer["returned"], answer["total"]
    of = "" if shown == count else f"{shown:,} of "
    yield [(f"{of}{count:,} session{'' if count == 1 else 's'}" if shown else "No sessions", "bold")]
    yield from _notes(answer)


def message_lines(entry: Entry, now: int) -> Iterator[Line]:
    """A message with all its parts, an empty line after it."""
    message = entry["message"]
    who = " · ".join(filter(None, (message["role"], message.get("author"), message.get("model"))))
    yield [
        ("> " if entry.get("center") else "", "bold yellow"),
        (one_line(who), "cyan"),
        (" · ", "dim"),
        (age(message["time"], now), "green"),
        (f" ({stamp(message['time'])})" if stamp(message["time"]) else "", "dim"),
        (f" · {one_line(message['id'])}", "dim"),
    ]
    for part in entry["parts"]:
        if part["type"] not in _SILENT:
            yield from _part_lines(part)
    yield []


def _part_lines(part: Entry) -> Iterator[Line]:
    if "tool_name" in part:
        pruned = " (no longer in the agent's context)" if part["pruned"] else ""
        title = f": {part['title']}" if part.get("title") else ""
        yield [(_INDENT, ""), (one_line(f"{part['tool_name']}{title}{pruned}"), "bold")]
        for name, value in _given(part.get("input")):
            yield from _block(f"{name}: {value}", "dim")
    elif part["type"] == "reasoning":
        yield [(_INDENT + "reasoning", "dim")]
    for name, style in (("content", ""), ("output", ""), ("error", "red")):
        if part.get(name):
            yield from _block(part[name], style)


def _given(value: Any) -> Iterator[tuple[str, str]]:
    """What a tool was given, a line a name."""
    import json

    if isinstance(value, Mapping):
        for name, item in value.items():
            yield name, item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
    elif value is not None:
        yield "input", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _block(text: str, style: str) -> Iterator[Line]:
    """The text with its own lines, indented; nothing in it can act on a terminal."""
    for line in text.rstrip("\n").split("\n"):
        yield [(_INDENT + escape(line.rstrip("\r").replace("\t", "    ")), style)]


def _heading(context: Entry) -> Iterator[Line]:
    title = one_line(context.get("session_title") or "") or "untitled"
    place = one_line(context.get("directory") or "")
    yield [(title, "bold"), (f" · {place}" if place else "", "dim")]
    yield []


def _notes(answer: Entry) -> Iterator[Line]:
    for warning in answer.get("warnings", ()):
        yield [("note: ", "yellow"), (one_line(warning), "")]
