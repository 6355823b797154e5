"""A generated history in a temporary file, which is written once and read session by session."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from typing import TYPE_CHECKING, cast

from bench.datasets.generate import Writer, count
from bench.datasets.label import label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.datasets.generate import Mention
    from bench.datasets.history_files import LabelledQuery
    from recall_rank.model import Session


class SpooledHistory:
    """About `parts` parts in sessions, oldest first, with their labelled queries. No session stays in memory."""

    def __init__(self, parts: int, seed: int) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lasts as long as this does, and has no name
        weakref.finalize(self, self._file.close)
        self._count = count(parts)
        self.queries: list[LabelledQuery] = label(self._written(seed), seed, parts=parts)

    def _written(self, seed: int) -> Iterator[Mention]:
        """Write the sessions, and yield their mentions."""
        for number in range(self._count):
            session, mentions = Writer(number, seed).session()
            pickle.dump(session, self._file, pickle.HIGHEST_PROTOCOL)
            yield from mentions

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Session]:
        """Yield the sessions. Only one iterator may be active: a second one restarts the first."""
        self._file.seek(0)
        for _ in range(self._count):
            yield cast("Session", pickle.load(self._file))

    def __contains__(self, session: object) -> bool:
        return any(one == session for one in self)
