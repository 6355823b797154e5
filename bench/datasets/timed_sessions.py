"""An iterable of sessions that measures the time it takes to make them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recall_rank.model import Session


class TimedSessions:
    """The sessions of another iterable; `spent` is the CPU time in seconds that making them took so far."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        self._sessions = sessions
        self.spent = 0.0

    def __iter__(self) -> Iterator[Session]:
        before = time.thread_time()
        for session in self._sessions:
            self.spent += time.thread_time() - before
            yield session
            before = time.thread_time()
