"""Report the progress of reading and indexing to a callback."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from recall_rank.model.sessions import Session

Progress = Callable[[str, int, "int | None"], None]
"""Called with the stage ("reading" or "indexing"), how much is done, and of how much when that is known."""


def counted(sessions: Sequence[Session], progress: Progress | None) -> Iterator[Session]:
    """The sessions, with a call of `progress` for each one that is indexed."""
    for done, session in enumerate(sessions):
        if progress is not None:
            progress("indexing", done, len(sessions))
        yield session
    if progress is not None:
        progress("indexing", len(sessions), len(sessions))


def reading(progress: Progress | None) -> Any:
    """A function (done, total) that reports reading to `progress`; None without one."""
    if progress is None:
        return None
    return lambda done, total: progress("reading", done, total)
