"""The base of the views of one project: of a cache, and of histories in memory."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Generic, Self, TypeVar

from recall_rank.histories.backend import Backend
from recall_rank.index.segment.segment import SessionRow
from recall_rank.model import Context, RefreshReport, Session, Unread
from recall_rank.model.progress import Progress
from recall_rank.model.project_scope import in_project

Whole = TypeVar("Whole", bound=Backend)


class ProjectScoped(ABC, Generic[Whole]):
    """A part of a backend that shows only the sessions of one project of `whole`, and the session of its context.

    Sessions of other projects are treated as deleted: none of their words, ids, counts and errors is visible.
    """

    def __init__(self, whole: Whole, context: Context) -> None:
        self._whole = whole
        self._context = context
        self._lock = threading.Lock()
        self._closed = False

    def refresh(self, progress: Progress | None) -> RefreshReport:
        self._refuse_closed()
        done = self._whole.refresh(progress)
        return RefreshReport((), done.changed)  # without counts, which would show other projects

    def rebuild(self) -> None:
        self._whole.rebuild()

    def wait(self, seconds: float | None) -> bool:
        return self._whole.wait(seconds)

    def look(self, since: float, seconds: float) -> None:
        self._whole.look(since, seconds)

    def unread(self) -> Unread | None:
        return None if self._whole.unread() is None else Unread()  # how much would show the size of other projects

    def only(self, context: Context) -> Self:
        return type(self)(self._whole, context)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._release()

    @abstractmethod
    def _release(self) -> None:
        """Let go of what was made for the view. The caller holds the lock."""

    def _refuse_closed(self) -> None:
        """Raise ValueError after close()."""
        if self._closed:
            raise ValueError("this Recall is closed")

    def _shows(self, session: Session | SessionRow) -> bool:
        return in_project(session, self._context) or session.id == self._context.session_id
