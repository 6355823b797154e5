"""Lines of history.jsonl and queries.jsonl, and the folder of a set that holds them."""

from __future__ import annotations

import datetime as dt
import hashlib
import lzma
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BuiltSet:
    """The lines of a set: its history, its queries, and misspelt copies of the queries by kind of change."""

    history: Sequence[Row]
    queries: Sequence[Row]
    perturbed: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write history.jsonl.xz, queries.jsonl and one queries file for each kind of change."""
        folder.mkdir(parents=True, exist_ok=True)
        with lzma.open(folder / "history.jsonl.xz", "wb", preset=1) as file:
            for row in self.history:
                file.write(orjson.dumps(row) + b"\n")
        for name, rows in {"": self.queries, **self.perturbed}.items():
            path = folder / f"queries{'.' if name else ''}{name}.jsonl"
            path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


def message(key: str, session: str, role: str, time: int, parts: Iterable[Row], **more: Any) -> Row:
    """Return the line of a message; its parts get the ids KEY:0, KEY:1 and so on."""
    numbered = [{"id": f"{key}:{number}", **part} for number, part in enumerate(parts)]
    return {"t": "message", "id": key, "session": session, "role": role, "time": time, **more, "parts": numbered}


def text(said: str) -> Row:
    """Return a part of text, without its id."""
    return {"type": "text", "text": said}


def session(key: str, messages: Sequence[Row], *, project: str, title: str | None = None, **more: Any) -> list[Row]:
    """Return the line of a session and then those of its messages, which date it."""
    times = [row["time"] for row in messages]
    head = {"t": "session", "id": key, "title": title, "directory": f"/{project}", "project": project}
    return [{**head, "created": min(times, default=0), "updated": max(times, default=0), **more}, *messages]


def query(key: str, kind: str, asked: str, project: str, messages: Iterable[str], sessions: Mapping[str, str]) -> Row:
    """Return the line of a query that whole messages answer; `sessions` maps message ids to session ids."""
    relevant = [{"session": sessions[one], "message": one} for one in messages]
    return {
        "id": key,
        "kind": kind,
        "project": project,
        "query": asked,
        "relevant": relevant,
        "relevant_sessions": sorted({one["session"] for one in relevant}),
    }


def sessions_of(history: Iterable[Row]) -> dict[str, str]:
    """Return the session id of every message id."""
    return {row["id"]: row["session"] for row in history if row["t"] == "message"}


def answers_held(history: Iterable[Row], queries: Iterable[Row]) -> tuple[int, int]:
    """Return how many of the answers of the queries a history holds, and how many there are."""
    held: set[tuple[str | None, ...]] = set()
    for row in history:
        if row["t"] == "session":
            held.add((row["id"], None, None))
        else:
            held |= {(row["session"], row["id"], part) for part in (None, *(one["id"] for one in row["parts"]))}
    answers = [tuple(map(one.get, ("session", "message", "part"))) for row in queries for one in row["relevant"]]
    return sum(one in held for one in answers), len(answers)


def blob_id(content: bytes) -> str:
    """Return the id that git gives to a file of this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def utc_millis(text: str, form: str) -> int:
    """Return the milliseconds of a time in UTC, written in a form of strptime. Raises ValueError for another form."""
    return int(dt.datetime.strptime(f"{text} +0000", f"{form} %z").timestamp()) * 1000
