"""Report the progress of reading and indexing to a callback."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from recall_rank.model.sessions import Session

Progress = Callable[[str, int, "int | None"], None]
"""Called with the stage ("reading", "indexing", or FILE while a large file is read), how much is done, and of how much
when that is known.
"""

FILE: Final = "MiB of a file"
LARGE: Final = 64 << 20  # bytes of a file; a smaller one is read within a second or two

_WATCHER: ContextVar[Progress | None] = ContextVar("watcher", default=None)


def counted(sessions: Sequence[Session], progress: Progress | None) -> Iterator[Session]:
    """Yield the sessions; before each one and at the end, `progress` is called with the number of indexed sessions."""
    for done, session in enumerate(sessions):
        if progress is not None:
            progress("indexing", done, len(sessions))
        yield session
    if progress is not None:
        progress("indexing", len(sessions), len(sessions))


def reading(progress: Progress | None) -> Any:
    """Return a function (done, total) that calls `progress` with the stage "reading"; None when `progress` is None."""
    if progress is None:
        return None
    return lambda done, total: progress("reading", done, total)


@contextmanager
def watching(progress: Progress | None) -> Iterator[None]:
    """Report the reading of each large file to `progress` while the context manager is open."""
    token = _WATCHER.set(progress)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def watcher(size: int) -> Callable[[int], None] | None:
    """Return a function to call with the number of bytes read so far of a file of `size` bytes.

    It reports them to the progress function of watching(). None without one, and for a file of fewer than LARGE bytes.
    """
    progress = _WATCHER.get()
    if progress is None or size < LARGE:
        return None
    return lambda done: progress(FILE, done >> 20, size >> 20)
