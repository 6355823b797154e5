"""KeptEvidence: the evidences of a shard's worker about which a search may ask further questions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock
from time import monotonic_ns
from typing import Final, NamedTuple

from recall_rank._core.search.evidence import Evidence

MOST: Final = 64  # evidences
MOST_BYTES: Final = 256 << 20  # of them all, without the newest one
LONGEST_NS: Final = 60_000_000_000  # since an evidence was asked last


class ReadEvidence(NamedTuple):
    """An evidence after so many steps of its questions, and whether each of these read every document in time.

    `size` is about the memory that it takes, in bytes.
    """

    evidence: Evidence
    steps: int
    complete: bool
    size: int


class KeptEvidence:
    """Evidences by the keys of their questions, bounded by their number, memory and age. Thread-safe.

    As a rule who asks says when a search has ended, see ShardRequest.done. The bounds are for those who do not: they
    have ended themselves, or were not understood. An evidence that is gone is made anew from the steps of a question.
    """

    def __init__(self, clock: Callable[[], int] = monotonic_ns) -> None:
        self._clock = clock
        self._lock = Lock()
        self._kept: OrderedDict[str, tuple[int, ReadEvidence]] = OrderedDict()  # with the time of its last question
        self._size = 0

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, key: str) -> ReadEvidence | None:
        """Return the evidence with this key, which is kept no longer; None if there is none."""
        with self._lock:
            return self._pop(key)

    def put(self, key: str, read: ReadEvidence) -> None:
        """Keep an evidence, and drop those that were asked longest ago while a bound is exceeded."""
        now = self._clock()
        with self._lock:
            self._pop(key)
            self._kept[key] = now, read
            self._size += read.size
            while len(self._kept) > 1:
                oldest, (asked, _) = next(iter(self._kept.items()))
                within = len(self._kept) <= MOST and self._size - read.size <= MOST_BYTES
                if within and now - asked <= LONGEST_NS:
                    break
                self._pop(oldest)

    def drop(self, keys: Iterable[str]) -> None:
        """Drop the evidences with these keys, as far as they are kept."""
        with self._lock:
            for key in keys:
                self._pop(key)

    def clear(self) -> None:
        """Drop all evidences."""
        with self._lock:
            self._kept.clear()
            self._size = 0

    def _pop(self, key: str) -> ReadEvidence | None:
        found = self._kept.pop(key, None)
        if found is None:
            return None
        self._size -= found[1].size
        return found[1]
