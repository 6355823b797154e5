"""The histories behind a server: made ready in the background, so that it answers at once, and kept up to date."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from recall_rank.recall import Recall

PART_SECONDS: Final = 5.0  # after the start: so long a part of the histories is not answered from, all may be there
FRESH_SECONDS: Final = 15.0  # an answer from memory is at most so much older than the histories, where that is cheap:
_SHARE: Final = 20  # reading all of them again takes at most so small a share of the time
_STAGES: Final = {"reading": 0.0, "indexing": 50.0}


class Histories:
    """Prepares a Recall in a thread of its own. Thread-safe."""

    def __init__(self, recall: Recall) -> None:
        self.recall = recall
        self._complete = threading.Event()
        self._part = threading.Event()
        self._began = time.monotonic()
        self._progress = ("opening", 0.0)
        self._refreshing = threading.Lock()
        self._next = 0.0
        self.problem = ""  # why they could not be read again
        threading.Thread(target=self._prepare, name="histories", daemon=True).start()

    @property
    def complete(self) -> bool:
        """Whether all of them were read that there were."""
        return self._complete.is_set()

    @property
    def ready(self) -> bool:
        """Whether a call is to be answered now, be it from the newest part of them."""
        return self.complete or (self._part.is_set() and time.monotonic() >= self._began + PART_SECONDS)

    def wait(self, seconds: float) -> bool:
        """Whether all of them are read after so long at the latest."""
        return self._complete.wait(seconds)

    @property
    def progress(self) -> tuple[str, float]:
        """What is being done, and how much of a hundred is done of everything."""
        return self._progress

    def keep_fresh(self) -> None:
        """Begins to read them again, unless that was done just now. An index on disk looks after itself."""
        due = self.complete and self.recall.folder is None and time.monotonic() >= self._next
        if due and self._refreshing.acquire(blocking=False):
            threading.Thread(target=self._refresh, name="refresh", daemon=True).start()

    def _prepare(self) -> None:
        began = time.monotonic()
        try:
            folder = self.recall.folder
            if folder is not None and folder.is_dir():
                self.recall.notes()  # answers from what is there, without waiting for what is newer
            else:
                self.recall.prepare(self._advance, soon=self._part.set)
        except Exception:  # noqa: BLE001, S110 - every call meets it again, and tells it
            pass
        self._rest(began)
        self._complete.set()

    def _refresh(self) -> None:
        began = time.monotonic()
        try:
            self.recall.refresh()
            self.problem = ""
        except Exception as error:  # noqa: BLE001 - what was read before still answers, and says so
            self.problem = str(error) or type(error).__name__
        finally:
            self._rest(began)
            self._refreshing.release()

    def _rest(self, began: float) -> None:
        now = time.monotonic()
        self._next = now + max(FRESH_SECONDS, _SHARE * (now - began))

    def _advance(self, stage: str, done: int, total: int | None) -> None:
        share = min(done / total, 1.0) if total else 0.0
        self._progress = (stage, max(self._progress[1], _STAGES.get(stage, 0.0) + 50.0 * share))
