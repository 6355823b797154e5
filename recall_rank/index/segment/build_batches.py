"""Build segments from a stream of sessions that need not fit into memory together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.model import Session

BATCH: Final = 393_216  # parts of a segment, and those of a session more: about a gigabyte while it is built


def built(sessions: Iterable[Session], batch: int = BATCH) -> Iterator[Segment]:
    """Yield segments of about `batch` parts each, in the order of `sessions`; one empty segment when there are none.

    Memory is needed for one batch of sessions and for the segments that the caller keeps.
    """
    left = iter(sessions)
    first = next(left, None)
    while True:
        yield build(() if first is None else _some(first, left, batch))
        first = next(left, None)
        if first is None:
            return


def _some(first: Session, others: Iterator[Session], most: int) -> Iterator[Session]:
    """Yield `first` and further sessions until they have `most` parts."""
    count = 0
    for session in chain((first,), others):
        yield session
        count += sum(len(message.parts) for message in session.messages)
        if count >= most:
            return
