"""QueryVectors: the vector of a query, made in a thread of its own, so that a search waits no longer than it may."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from recall_rank.semantic.embedder import Embedder, vectors_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

KEPT: Final = 64  # queries whose vectors are kept: the next page asks again
MOST_RUNNING: Final = 4  # calls at once; a model that has not answered these is not asked again
LOOK_SECONDS: Final = 0.02  # between two looks at whether the caller has cancelled


class AskedVector:
    """The vector of one query, in the making."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.vector: npt.NDArray[np.float32] | None = None  # f32[dimension], of length 1
        self.error: str | None = None
        self.done = threading.Event()

    def wait(self, seconds: float, cancelled: Callable[[], bool]) -> npt.NDArray[np.float32] | None:
        """Return the vector, f32[dimension], after at most `seconds`; None when it is late, failed, or `cancelled`."""
        until = time.monotonic() + seconds
        while not self.done.wait(max(0.0, min(LOOK_SECONDS, until - time.monotonic()))):
            if time.monotonic() >= until or cancelled():
                return None
        return self.vector

    @property
    def problem(self) -> str:
        """A sentence that says why there is no vector."""
        why = f"failed: {self.error}" if self.error is not None else "did not answer in time"
        return f"the embedder {self.model!r} {why}; this answer is ranked by words alone"


class QueryVectors:
    """Asks an embedder for the vectors of queries. Thread-safe."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._known: OrderedDict[str, AskedVector] = OrderedDict()
        self._running = 0

    def ask(self, text: str) -> AskedVector:
        """Start to make the vector of a query and return it without waiting.

        A query that was asked before, and did not fail, is not asked again.
        """
        with self._lock:
            asked = self._known.get(text)
            if asked is not None and asked.error is None:
                self._known.move_to_end(text)
                return asked
            asked = AskedVector(self._embedder.name)
            if self._running >= MOST_RUNNING:
                asked.error = f"{self._running} earlier calls have not ended"
                asked.done.set()
                return asked
            self._known[text] = asked
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
            self._running += 1
        threading.Thread(target=self._make, args=(asked, text), name="recall_rank query vector", daemon=True).start()
        return asked

    def _make(self, asked: AskedVector, text: str) -> None:
        try:
            import numpy as np

            (vector,) = vectors_of(self._embedder, [text], query=True)
            length = float(np.linalg.norm(vector))
            if length > 0:
                asked.vector = vector / np.float32(length)
            else:
                asked.error = "its vector of the query is all zeros"
        except Exception as error:  # noqa: BLE001 - an embedder may raise anything; the answer says it
            asked.error = f"{type(error).__name__}: {error}".removesuffix(": ")
        finally:
            with self._lock:
                self._running -= 1
            asked.done.set()
