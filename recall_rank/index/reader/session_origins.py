"""SessionOrigins: the sessions of an index by what wrote them and for which project."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

from recall_rank.index.segment.segment import SessionRow
from recall_rank.model.record_classes import frozen


@frozen
class SessionOrigins:
    """Sessions by origin: their agent, store, machine, account, project, repository and folders.

    Many sessions have one origin, so that a filter on these asks once for each origin. `numbers`, u32[sessions], has
    the origin of each session; `rows[number]` is one of the sessions of that origin.
    """

    numbers: array[int]
    rows: Sequence[SessionRow]


def session_origins(sessions: Iterable[SessionRow]) -> SessionOrigins:
    """Return the origins of `sessions`, in the order in which they come first. O(sessions)."""
    known: dict[tuple[Any, ...], int] = {}
    numbers = array("I")
    rows: list[SessionRow] = []
    for row in sessions:
        origin = (row.agent, row.source, row.host, row.user, row.project, row.repository, row.worktree, row.directory)
        number = known.setdefault(origin, len(rows))
        if number == len(rows):
            rows.append(row)
        numbers.append(number)
    return SessionOrigins(numbers, rows)
