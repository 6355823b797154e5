"""Sessions that need not all fit into memory become segments, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.model import Session

BATCH: Final = 393_216  # parts of a segment, and those of a session more: about a gigabyte while it is built


def built(sessions: Iterable[Session], batch: int = BATCH) -> Iterator[Segment]:
    """Segments of about `batch` parts each, in the order of `sessions`; an empty one where there are none.

    Whoever lets go of each before asking for the next holds no more than one batch of sessions and a segment.
    """
    left = iter(sessions)
    first = next(left, None)
    while True:
        yield build(() if first is None else _some(first, left, batch))
        first = next(left, None)
        if first is None:
            return


def _some(first: Session, others: Iterator[Session], most: int) -> Iterator[Session]:
    """Sessions until there are `most` parts of them."""
    count = 0
    for session in chain((first,), others):
        yield session
        count += sum(len(message.parts) for message in session.messages)
        if count >= most:
            return
