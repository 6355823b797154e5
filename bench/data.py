"""Histories and labelled queries, read once per process."""

from __future__ import annotations

import functools
import gzip
import io
import lzma
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from recall_rank.model import Flag, Message, Part, Session

SHARED = Path(__file__).resolve().parents[2] / "shared"  # beside the checkout, when there is one
HISTORIES = SHARED / "histories"
QUALITY = SHARED / "quality"

Answer = tuple[str, str | None, str | None]  # session, message, part


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A question and what answers it; `exclude` holds the messages a ranking must leave out."""

    id: str
    kind: str
    query: str
    relevant: Sequence[Answer]
    project: str | None = None
    also: Sequence[Answer] = ()
    exclude: frozenset[tuple[str, str | None]] = frozenset()
    relevant_sessions: frozenset[str] = frozenset()

    @property
    def good(self) -> frozenset[Answer]:
        return frozenset([*self.relevant, *self.also])


def read_queries(path: Path) -> list[LabelledQuery]:
    """The queries of a file beside a history. Raises FileNotFoundError when it is absent."""
    return [_query(orjson.loads(line)) for line in path.read_bytes().splitlines() if line.strip()]


def _query(row: dict[str, Any]) -> LabelledQuery:
    relevant = [_answer(one) for one in row["relevant"]]
    named = row.get("relevant_sessions")
    return LabelledQuery(
        id=row["id"],
        kind=row["kind"],
        query=row["query"],
        relevant=relevant,
        project=row.get("project"),
        also=[_answer(one) for one in row.get("also") or ()],
        exclude=frozenset((one["session"], one["message"]) for one in row.get("exclude") or ()),
        relevant_sessions=frozenset(named if named is not None else (session for session, _, _ in relevant)),
    )


def _answer(row: dict[str, Any]) -> Answer:
    return row["session"], row.get("message"), row.get("part")


def find_history(folder: Path) -> Path:
    """The history file of a data folder. Raises FileNotFoundError naming what was looked for."""
    for name in ("history.jsonl.xz", "history.jsonl.gz", "history.jsonl"):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"no history.jsonl, history.jsonl.gz or history.jsonl.xz in {folder}")


@functools.lru_cache(maxsize=4)
def read_history(folder: Path) -> tuple[Session, ...]:
    """Every session of a data folder, in file order."""
    heads: dict[str, dict[str, Any]] = {}
    messages: dict[str, list[Message]] = defaultdict(list)
    for row in _rows(find_history(folder)):
        if row["t"] == "session":
            heads[row["id"]] = row
        else:
            messages[row["session"]].append(_message(row))
    return tuple(_session(head, messages[name]) for name, head in heads.items())


def by_project(sessions: Sequence[Session]) -> dict[str, list[Session]]:
    """Sessions grouped by project, in order of first appearance."""
    groups: dict[str, list[Session]] = defaultdict(list)
    for session in sessions:
        groups[session.project or ""].append(session)
    return dict(groups)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    packed = path.read_bytes()
    unpack = {".xz": lzma.decompress, ".gz": gzip.decompress}.get(path.suffix, bytes)
    for line in io.BytesIO(unpack(packed)):
        yield orjson.loads(line)


def _session(row: dict[str, Any], messages: list[Message]) -> Session:
    return Session(
        id=row["id"],
        messages=messages,
        title=row.get("title"),
        directory=row.get("directory"),
        project=row.get("project"),
        created=row.get("created") or 0,
        updated=row.get("updated") or 0,
        parent=row.get("parent"),
        source=row.get("source"),
        agent=row.get("agent_app"),
        flags=Flag.SUBAGENT if row.get("parent") else Flag.NONE,
    )


def _message(row: dict[str, Any]) -> Message:
    return Message(
        id=row["id"],
        role=row["role"],
        time=row.get("time") or 0,
        parts=[_part(part) for part in row["parts"]],
        author=row.get("author"),
        agent=row.get("agent"),
        model=row.get("model"),
    )


def _part(row: dict[str, Any]) -> Part:
    flags = Flag.SYNTHETIC if row.get("synthetic") else Flag.NONE
    flags |= Flag.PRUNED if row.get("pruned") else Flag.NONE
    flags |= Flag.ERROR if row.get("error") else Flag.NONE
    return Part(
        id=row["id"],
        type=row["type"],
        text=row.get("text"),
        tool=row.get("tool"),
        input=row.get("input"),
        output=row.get("output"),
        error=row.get("error"),
        title=row.get("title"),
        status=row.get("status"),
        flags=flags,
    )
