"""Reads histories and labelled queries from files. Each history is read once a process."""

from __future__ import annotations

import functools
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from recall_rank.loaders import read_all
from recall_rank.loaders.history_jsonl import HistoryJsonl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_rank.model import Session

SHARED = Path(__file__).resolve().parents[3] / "shared"  # beside the checkout, when there is one
HISTORIES = SHARED / "histories"
QUALITY = SHARED / "quality"

Answer = tuple[str, str | None, str | None]  # session, message, part


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query with its answers. `exclude` holds messages that a ranking must leave out; of those from the time `before`
    on, in milliseconds, a ranking must hold none.
    """

    id: str
    kind: str
    query: str
    relevant: Sequence[Answer]
    project: str | None = None
    also: Sequence[Answer] = ()
    exclude: frozenset[tuple[str, str | None]] = frozenset()
    relevant_sessions: frozenset[str] = frozenset()
    before: int | None = None

    @property
    def good(self) -> frozenset[Answer]:
        return frozenset([*self.relevant, *self.also])


def read_queries(path: Path) -> list[LabelledQuery]:
    """Return the labelled queries of a file. Raises FileNotFoundError when it is absent."""
    return [labelled_query(orjson.loads(line)) for line in path.read_bytes().splitlines() if line.strip()]


def labelled_query(row: dict[str, Any]) -> LabelledQuery:
    """Return the labelled query of one decoded line."""
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
        before=row.get("before"),
    )


def _answer(row: dict[str, Any]) -> Answer:
    return row["session"], row.get("message"), row.get("part")


def find_history(folder: Path) -> Path:
    """Return the history file of a data folder. Raises FileNotFoundError that names the accepted files."""
    for name in ("history.jsonl.xz", "history.jsonl.gz", "history.jsonl"):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"no history.jsonl, history.jsonl.gz or history.jsonl.xz in {folder}")


@functools.lru_cache(maxsize=4)
def read_history(folder: Path) -> tuple[Session, ...]:
    """Return every session of a data folder. Raises ValueError when a line of its history cannot be read."""
    sessions, (report,) = read_all([HistoryJsonl(find_history(folder))])
    if report.malformed or report.errors:
        raise ValueError(f"{report.location}: {[*report.errors, *report.malformed][0]}")
    return tuple(sessions)


def by_project(sessions: Sequence[Session]) -> dict[str, list[Session]]:
    """Return the sessions by project, projects in order of first appearance."""
    groups: dict[str, list[Session]] = defaultdict(list)
    for session in sessions:
        groups[session.project or ""].append(session)
    return dict(groups)
