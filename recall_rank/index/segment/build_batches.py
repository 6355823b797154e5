"""Build one segment for each batch of sessions, so that all sessions need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.model import Session

BATCH: Final = 393_216  # parts in a batch, plus the rest of its last session: about 1 GB of memory while it is built


def build_batches(sessions: Iterable[Session], batch: int = BATCH) -> Iterator[Segment]:
    """Yield segments of about `batch` parts each, in the order of `sessions`; one empty segment when there are no
    sessions.

    Memory: one batch of sessions and one segment, when the caller releases each segment before it requests the next.
    """
    remaining = iter(sessions)
    first = next(remaining, None)
    while True:
        yield build(() if first is None else _batch(first, remaining, batch))
        first = next(remaining, None)
        if first is None:
            return


def _batch(first: Session, others: Iterator[Session], max_parts: int) -> Iterator[Session]:
    """Yield `first` and further sessions, up to the session with which the batch has `max_parts` parts or more."""
    count = 0
    for session in chain((first,), others):
        yield session
        count += sum(len(message.parts) for message in session.messages)
        if count >= max_parts:
            return
