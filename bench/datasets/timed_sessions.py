"""Sessions that are handed over one by one, without counting what it takes to make them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recall_rank.model import Session


class TimedSessions:
    """An iterable over others; `spent` is the CPU its reader waited for the next one, in seconds."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        self._sessions = sessions
        self.spent = 0.0

    def __iter__(self) -> Iterator[Session]:
        before = time.thread_time()
        for session in self._sessions:
            self.spent += time.thread_time() - before
            yield session
            before = time.thread_time()
