"""Show one project of a cache so that nothing of the other projects is visible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol, TypeVar

from recall_rank.histories.backend import Backend, IndexFactory, Inventory, Snapshot
from recall_rank.histories.cache.first_part import STILL_READING
from recall_rank.histories.cache.state import CacheState
from recall_rank.histories.inventory import inventory_of
from recall_rank.histories.project_scoped import ProjectScoped
from recall_rank.model import Context, Source, SourceReport, Unread
from recall_rank.model.progress import Progress

CACHE_PROBLEM: Final = "the index cannot be kept or brought up to date: it may be slow, or old"


_Result = TypeVar("_Result")


class CachedState(Backend, Protocol):
    """The protocol of a backend that keeps its index as a CacheState (segments and table)."""

    sources: Sequence[Source]
    factory: IndexFactory

    def apply(self, make: Callable[[CacheState], _Result], /) -> _Result:
        """Return the result of `make` for the current state; a damaged state is rebuilt first."""
        ...


class ProjectView(ProjectScoped[CachedState]):
    """A backend that shows one project of another backend's cache."""

    def __init__(self, whole: CachedState, context: Context) -> None:
        super().__init__(whole, context)
        self._made: tuple[CacheState, Snapshot] | None = None
        self._inventory: tuple[CacheState, Inventory] | None = None

    @property
    def folder(self) -> Path | None:
        return self._whole.folder

    def ready(self) -> Snapshot:
        snapshot = self._whole.ready()  # first: what is made of a newer state is not said to be complete too early
        made = self._whole.apply(self._shown)
        notes = (CACHE_PROBLEM,) if snapshot.notes else ()  # the notes themselves may name other projects
        reading = STILL_READING if snapshot.reading else None  # progress would show the size of other projects
        unread = None if snapshot.unread is None else Unread()
        return replace(made, checked=snapshot.checked, notes=notes, unread=unread, reading=reading)

    def _shown(self, state: CacheState) -> Snapshot:
        with self._lock:
            self._refuse_closed()
            if self._made is None or self._made[0] is not state:
                self._made = state, self._snapshot_of(state)
            return self._made[1]

    def inventory(self) -> Inventory:
        return self._whole.apply(self._known)

    def _known(self, state: CacheState) -> Inventory:
        with self._lock:
            self._refuse_closed()
            if self._inventory is None or self._inventory[0] is not state:
                self._inventory = state, inventory_of(state, self._whole.sources, self._context)
            return self._inventory[1]

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        self._whole.prepare(progress, index=index, soon=soon)
        return self.ready().reports

    def _release(self) -> None:
        self._made = self._inventory = None

    def _snapshot_of(self, state: CacheState) -> Snapshot:
        dead = []
        for segment, gone in zip(state.segments, state.dead, strict=True):
            dead.append(gone | {at for at, row in enumerate(segment.sessions) if not self._shows(row)})
        reports = inventory_of(state, self._whole.sources, self._context).reports
        return Snapshot(self._whole.factory.of_segments(state.segments, dead), reports, state.view.missing())
