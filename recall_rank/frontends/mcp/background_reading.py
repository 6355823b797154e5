"""BackgroundHistories: a Recall that is prepared and refreshed in threads while an MCP server answers."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    from recall_rank.recall import Recall

PART_SECONDS: Final = 5.0  # after the start the whole reading is waited for; then the newest part is answered from
FRESH_SECONDS: Final = 15.0  # between two readings of histories that are kept in memory, or longer:
REFRESH_SECONDS: Final = 2.0  # a call about the session of its caller waits so long for what was just said
_READING_SHARE: Final = 20  # reading takes at most 1/20 of the time
_STAGE_PERCENT: Final = {"reading": 0.0, "indexing": 50.0}  # of all work, when a stage begins


class BackgroundHistories:
    """Prepares a Recall, that is, reads and indexes its histories, in a thread of its own. Thread-safe."""

    def __init__(self, recall: Recall) -> None:
        self.recall = recall
        self._complete = threading.Event()
        self._part = threading.Event()
        self._began = time.monotonic()
        self._progress = ("opening", 0.0)
        self._turn = threading.Condition()  # for the four fields below
        self._begun = 0  # the number of refreshes that have begun
        self._ended = 0  # and of those that have ended
        self._wanted = 0  # the number of the last refresh that a call needs
        self._working = False  # whether the thread of the refreshes runs
        self._next = 0.0
        self.problem = ""  # why the last refresh failed; "" when it did not
        threading.Thread(target=self._prepare, name="histories", daemon=True).start()

    @property
    def complete(self) -> bool:
        """Whether the first reading of the histories is over."""
        return self._complete.is_set()

    @property
    def ready(self) -> bool:
        """Whether calls can be answered: the first reading is over, or its newest part can be searched. In the first 5
        seconds only a complete reading counts.
        """
        return self.complete or (self._part.is_set() and time.monotonic() >= self._began + PART_SECONDS)

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` for the first reading of the histories; return whether it is over."""
        return self._complete.wait(seconds)

    @property
    def progress(self) -> tuple[str, float]:
        """The current stage of the first reading, such as "indexing", and the percentage of all stages that is
        done.
        """
        return self._progress

    def keep_fresh(self) -> None:
        """Start a refresh in a thread when one is due, for histories indexed in memory.

        An index on disk is refreshed by Recall itself.
        """
        if self.complete and self.recall.folder is None and time.monotonic() >= self._next:
            with self._turn:
                if not self._working:
                    self._ask()

    def refresh_within(self, seconds: float) -> None:
        """Wait at most `seconds` for a refresh that begins after this call; it goes on where it takes longer. A problem
        is kept in `problem`.

        Calls that come during a refresh share the next, so that at most one refresh waits behind a running one.
        """
        with self._turn:
            wanted = self._ask()
            self._turn.wait_for(lambda: self._ended >= wanted or not self._working, seconds)

    def _ask(self) -> int:
        """Have a refresh begin after this moment and return its number. The caller holds the lock."""
        self._wanted = self._begun + 1
        if not self._working:
            try:
                threading.Thread(target=self._refresh, name="refresh", daemon=True).start()
                self._working = True
            except RuntimeError as error:  # there are too many threads
                self.problem = str(error)
        return self._wanted

    def _prepare(self) -> None:
        began = time.monotonic()
        try:
            folder = self.recall.folder
            if folder is not None and folder.is_dir():
                self.recall.notes()  # opens the index on disk without waiting for its refresh
            else:
                self.recall.prepare(self._advance, soon=self._part.set)
        except Exception:  # noqa: BLE001, S110 - every call meets the error again, and reports it
            pass
        self._schedule(began)
        self._complete.set()

    def _refresh(self) -> None:
        """Refresh the histories until no call needs another refresh."""
        while True:
            with self._turn:
                self._ended = self._begun
                self._turn.notify_all()
                if self._begun >= self._wanted:
                    self._working = False
                    return
                self._begun += 1
            began = time.monotonic()
            self._reread()
            self._schedule(began)

    def _reread(self) -> None:
        try:
            self.recall.refresh()
            self.problem = ""
        except Exception as error:  # noqa: BLE001 - calls are answered from the previous reading, with a warning
            self.problem = error_text(error)

    def _schedule(self, began: float) -> None:
        """Set the time of the next refresh, given the monotonic time, in seconds, at which the last reading began."""
        now = time.monotonic()
        self._next = now + max(FRESH_SECONDS, _READING_SHARE * (now - began))

    def _advance(self, stage: str, done: int, total: int | None) -> None:
        share = min(done / total, 1.0) if total else 0.0
        self._progress = (stage, max(self._progress[1], _STAGE_PERCENT.get(stage, 0.0) + 50.0 * share))
