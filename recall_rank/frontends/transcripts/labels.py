"""Headings of sessions, messages and parts, and the texts of a part: what every form of an exported session shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from recall_rank.frontends.display_text import utc_minute
from recall_rank.frontends.transcripts.markdown import one_line
from recall_rank.model import Message, Session

Minute = Callable[[int], str]
"""Returns a time in epoch milliseconds as text, as utc_minute() does; "" for an unknown one."""


def title_of(session: Session) -> str:
    """Return the title of a session on one line, "Untitled session" when it has none."""
    return one_line(session.title or "") or "Untitled session"


def where_of(session: Session, minute: Minute = utc_minute) -> list[str]:
    """Return what is known of folder, time, agent and id of a session, each on one line; `minute` gives the time."""
    known = (session.directory, minute(session.created), session.agent, session.id)
    return [one_line(piece) for piece in known if piece]


def who_of(message: Message, minute: Minute = utc_minute) -> str:
    """Return role, author, model and time of a message on one line, as far as they are known; `minute` gives the
    time.
    """
    pieces = (message.role, message.author, message.model, minute(message.time))
    return " · ".join(one_line(piece) for piece in pieces if piece)


def part_texts(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each text of a part, given as JSON values, as (name, text, kind); the kind is "text", "tool" or "error"."""
    given = entry.get("input")
    for name, value in given.items() if isinstance(given, Mapping) else [("input", given)] if given is not None else []:
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        yield one_line(str(name)), written, "tool"
    for name, kind in (("content", "text"), ("output", "tool"), ("error", "error")):
        if entry.get(name):
            yield name, entry[name], kind


def part_heading(entry: Mapping[str, Any]) -> str:
    """Return the heading of a part, given as JSON values: "reasoning", the name and title of a tool call, or "" for any
    other part. A title that only repeats an argument is left out.
    """
    if "tool_name" not in entry:
        return "reasoning" if entry["type"] == "reasoning" else ""
    return one_line(": ".join(filter(None, (entry["tool_name"], title_of_call(entry)))))


def title_of_call(entry: Mapping[str, Any]) -> str:
    """Return the title of a tool call, given as JSON values; "" without one, and where it is just one of the arguments,
    which are shown below it.
    """
    title, given = entry.get("title") or "", entry.get("input")
    shown = given.values() if isinstance(given, Mapping) else [given]
    repeated = any(isinstance(value, str) and value.split() == title.split() for value in shown)
    return "" if repeated else title
