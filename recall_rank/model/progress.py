"""Report the progress of reading and indexing to a callback."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from recall_rank.model.sessions import Session

Progress = Callable[[str, int, "int | None"], None]
"""Called with the stage ("reading" or "indexing"), how much is done, and of how much when that is known."""


def counted(sessions: Sequence[Session], progress: Progress | None) -> Iterator[Session]:
    """Yield the sessions; before each one and at the end, `progress` is called with the number of indexed sessions."""
    for done, session in enumerate(sessions):
        if progress is not None:
            progress("indexing", done, len(sessions))
        yield session
    if progress is not None:
        progress("indexing", len(sessions), len(sessions))


def reading(progress: Progress | None) -> Any:
    """A function (done, total) that calls `progress` with the stage "reading"; None when `progress` is None."""
    if progress is None:
        return None
    return lambda done, total: progress("reading", done, total)
