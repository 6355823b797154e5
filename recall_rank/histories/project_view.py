"""Show one project of a cache so that nothing of the other projects is visible."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol, TypeVar

from recall_rank.histories.backend import Backend, IndexFactory, Inventory, Snapshot
from recall_rank.histories.cache.first_part import STILL_READING
from recall_rank.histories.cache.state import CacheState
from recall_rank.histories.inventory import inventory_of
from recall_rank.model import Context, RefreshReport, Source, SourceReport
from recall_rank.model.progress import Progress
from recall_rank.model.project_scope import in_project

CACHE_PROBLEM: Final = "the index cannot be kept or brought up to date: it may be slow, or old"


_Result = TypeVar("_Result")


class CachedState(Backend, Protocol):
    """The protocol of a backend that keeps its index as a CacheState (segments and table)."""

    sources: Sequence[Source]
    factory: IndexFactory

    def apply(self, make: Callable[[CacheState], _Result], /) -> _Result:
        """The result of `make` for the current state; a damaged state is rebuilt first."""
        ...


class ProjectView:
    """A backend that shows only one project of another backend's cache.

    Sessions of other projects are treated as deleted: none of their words, ids, counts and errors is visible.
    """

    def __init__(self, cached: CachedState, context: Context) -> None:
        self._cached = cached
        self._context = context
        self._lock = threading.Lock()
        self._made: tuple[CacheState, Snapshot] | None = None
        self._inventory: tuple[CacheState, Inventory] | None = None
        self._closed = False

    @property
    def folder(self) -> Path | None:
        return self._cached.folder

    def ready(self) -> Snapshot:
        made = self._cached.apply(self._shown)
        snapshot = self._cached.ready()
        notes = (CACHE_PROBLEM,) if snapshot.notes else ()  # the notes themselves may name other projects
        reading = STILL_READING if snapshot.reading else None  # progress would show the size of other projects
        return replace(made, checked=snapshot.checked, notes=notes, reading=reading)

    def _shown(self, state: CacheState) -> Snapshot:
        with self._lock:
            self._refuse_closed()
            if self._made is None or self._made[0] is not state:
                self._made = state, self._snapshot_of(state)
            return self._made[1]

    def inventory(self) -> Inventory:
        return self._cached.apply(self._known)

    def _known(self, state: CacheState) -> Inventory:
        with self._lock:
            self._refuse_closed()
            if self._inventory is None or self._inventory[0] is not state:
                self._inventory = state, inventory_of(state, self._cached.sources, self._context)
            return self._inventory[1]

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        self._cached.prepare(progress, index=index, soon=soon)
        return self.ready().reports

    def refresh(self, progress: Progress | None) -> RefreshReport:
        done = self._cached.refresh(progress)
        return RefreshReport((), done.changed)  # without counts, which would show other projects

    def rebuild(self) -> None:
        self._cached.rebuild()

    def wait(self, seconds: float | None) -> bool:
        return self._cached.wait(seconds)

    def only(self, context: Context) -> ProjectView:
        return ProjectView(self._cached, context)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._made = self._inventory = None

    def _refuse_closed(self) -> None:
        """Raise ValueError after close(). The caller holds the lock."""
        if self._closed:
            raise ValueError("this Recall is closed")

    def _snapshot_of(self, state: CacheState) -> Snapshot:
        dead = []
        for segment, gone in zip(state.segments, state.dead, strict=True):
            rows = enumerate(segment.sessions)
            foreign = {
                at
                for at, row in rows
                if at not in gone and not (in_project(row, self._context) or row.id == self._context.session_id)
            }
            dead.append(gone | foreign)
        reports = inventory_of(state, self._cached.sources, self._context).reports
        return Snapshot(self._cached.factory.of_segments(state.segments, dead), reports, state.view.missing())
