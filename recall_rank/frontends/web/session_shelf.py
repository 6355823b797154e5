"""Sessions that pages show, kept for some seconds: the pages of one session ask for it one after the other."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_rank.histories.chains.figures import SessionFigures, figures_of

if TYPE_CHECKING:
    from recall_rank.model import Session
    from recall_rank.recall import Recall

KEPT_SECONDS: Final = 20.0  # a session that grows is shown as it was so long ago at most
_KEPT: Final = 3  # sessions


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A session with its messages, the number of each message from 1, and the figures of the whole session."""

    session: Session
    numbers: dict[str, int]  # id of a message -> its number
    figures: SessionFigures
    read: float  # seconds of a clock that only goes forward


class SessionShelf:
    """Reads sessions for pages. Thread-safe: one session is read once, however many pages ask for it."""

    def __init__(self, recall: Recall) -> None:
        self._recall = recall
        self._opened: OrderedDict[str, OpenedSession] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, session_id: str) -> OpenedSession:
        """Return a session by its id or a unique prefix of it. Raises LookupError and OSError as Recall.transcript
        does.
        """
        with self._lock:
            known = self._opened.get(session_id)
            if known is not None and time.monotonic() - known.read < KEPT_SECONDS:
                self._opened.move_to_end(session_id)
                return known
            session = self._recall.transcript(session_id)
            numbers = {message.id: at for at, message in enumerate(session.messages, 1)}
            opened = OpenedSession(session, numbers, figures_of(session), time.monotonic())
            self._opened[session_id] = opened
            while len(self._opened) > _KEPT:
                self._opened.popitem(last=False)
            return opened

    def clear(self) -> None:
        """Keep no session, such as after one was forgotten."""
        with self._lock:
            self._opened.clear()
