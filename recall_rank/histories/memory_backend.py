"""A backend that reads its sources and indexes them in memory, where a refresh reads everything again, and the view of
one project of it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from recall_rank.histories.backend import IndexFactory, Inventory, Snapshot
from recall_rank.histories.catalog import Catalog, confined
from recall_rank.histories.project_reports import own_reports
from recall_rank.histories.project_scoped import ProjectScoped
from recall_rank.histories.unit_reader import UnitReader, recording
from recall_rank.loaders import read_all
from recall_rank.model import Context, Message, RefreshReport, Session, Source, SourceReport, Unread
from recall_rank.model.progress import Progress, counted, reading, watching


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """One reading of all sources: its inventory, and its sessions, whose messages are place holders: only the number of
    them is kept.
    """

    inventory: Inventory
    listed: Sequence[Session]


class MemoryBackend:
    """The backend of a Recall without a cache."""

    folder = None

    def __init__(self, sources: Sequence[Source], factory: IndexFactory) -> None:
        self._sources = sources
        self.factory = factory
        self._lock = threading.Lock()  # held while reading and indexing, never while searching
        self._reading: MemoryReading | None = None
        self._indexed: tuple[Snapshot, MemoryReading] | None = None  # the snapshot, and the reading that it is of
        self._closed = False
        self._rereading = False
        self.snapshot: Snapshot | None = None

    def ready(self) -> Snapshot:
        unread, snapshot = self.unread(), self.snapshot
        if snapshot is not None:
            return snapshot if unread is None else replace(snapshot, unread=unread)
        with self._lock:
            return self.snapshot or self._build(None)

    def look(self, since: float, seconds: float) -> None:
        """Wait for a refresh that is running; nothing but refresh() looks at the sources again."""
        self.wait(seconds)

    def unread(self) -> Unread | None:
        return Unread() if self._rereading else None

    def indexed(self) -> tuple[Snapshot, MemoryReading]:
        """Return the snapshot to search now, and the reading of the sources that it was made of."""
        found = self._indexed
        if found is not None:
            return found
        with self._lock:
            if self._indexed is None:
                self._build(None)
            return cast("tuple[Snapshot, MemoryReading]", self._indexed)

    def read(self) -> MemoryReading:
        """Return the last reading of the sources, which are read on the first call; builds no index."""
        with self._lock:
            return self._load(None)

    def inventory(self) -> Inventory:
        return self.read().inventory

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        with self._lock:
            if not index:
                return self._load(progress).inventory.reports
            return (self.snapshot or self._build(progress)).reports

    def refresh(self, progress: Progress | None) -> RefreshReport:
        started, cpu = time.perf_counter(), time.process_time()
        with self._lock:
            self._rereading = self.snapshot is not None
            self._reading = None
            reports = self._build(progress).reports
            found = len(self._load(None).listed)
            self._rereading = False  # not where reading failed: what is newer is still unread then
        took, used = time.perf_counter() - started, time.process_time() - cpu
        return RefreshReport(tuple(reports), True, indexed=found, elapsed_ms=took * 1000, cpu_ms=used * 1000)

    def rebuild(self) -> None:
        self.refresh(None)

    def wait(self, seconds: float | None) -> bool:
        ended = self._lock.acquire(timeout=-1 if seconds is None else max(0.0, seconds))
        if ended:
            self._lock.release()
        return ended

    def only(self, context: Context) -> MemoryView:
        return MemoryView(self, context)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._reading = self._indexed = self.snapshot = None

    def _load(self, progress: Progress | None) -> MemoryReading:
        """Return the last reading of the sources, which are read on the first call. The caller holds the lock."""
        if self._closed:
            raise ValueError("this Recall is closed")
        if self._reading is None:
            units = UnitReader()
            with watching(progress):
                sessions, reports = read_all(recording(self._sources, units), progress=reading(progress))
            counts = (cast("Sequence[Message]", range(len(each.messages))) for each in sessions)
            listed = [replace(each, messages=count) for each, count in zip(sessions, counts, strict=True)]
            self._reading = MemoryReading(Inventory(reports, Catalog(sessions), units, sessions=sessions), listed)
        return self._reading

    def _build(self, progress: Progress | None) -> Snapshot:
        """Index the loaded sessions and return the snapshot. The caller holds the lock."""
        read = self._load(progress)
        loaded = read.inventory
        snapshot = Snapshot(self.factory.build(counted(loaded.sessions or [], progress)), loaded.reports)
        self._indexed, self.snapshot = (snapshot, read), snapshot
        loaded.release()
        return snapshot


class MemoryView(ProjectScoped[MemoryBackend]):
    """A backend that shows one project of a MemoryBackend. It reads nothing itself, and shows what each refresh of that
    backend found.
    """

    folder = None

    def __init__(self, whole: MemoryBackend, context: Context) -> None:
        super().__init__(whole, context)
        self._made: tuple[Snapshot, Snapshot] | None = None  # a snapshot of all projects, and what is shown of it
        self._known: tuple[MemoryReading, Inventory] | None = None

    def ready(self) -> Snapshot:
        self._refuse_closed()
        unread = self.unread()
        snapshot, read = self._whole.indexed()
        reports = self._inventory_of(read).reports
        with self._lock:
            self._refuse_closed()
            if self._made is None or self._made[0] is not snapshot:
                index = self._whole.factory.of_some(snapshot.index, self._shows)
                self._made = snapshot, Snapshot(index, reports)
            return self._made[1] if unread is None else replace(self._made[1], unread=unread)

    def inventory(self) -> Inventory:
        self._refuse_closed()
        return self._inventory_of(self._whole.read())

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        self._refuse_closed()
        self._whole.prepare(progress, index=index, soon=soon)
        return self.ready().reports if index else self.inventory().reports

    def _release(self) -> None:
        self._made = self._known = None

    def _inventory_of(self, read: MemoryReading) -> Inventory:
        """Return the inventory of a reading without what other projects have there."""
        with self._lock:
            self._refuse_closed()
            if self._known is None or self._known[0] is not read:
                whole, listed = read.inventory, read.listed
                own = [each for each in listed if self._shows(each)]
                # the full reports count and name other projects
                reports = own_reports(whole.reports, listed, own, self._context)
                shown = confined([each for each in whole.catalog.sessions if self._shows(each)])

                def loaded(bare: Session) -> Session | None:
                    found = whole.loaded(bare)
                    return None if found is None else replace(bare, messages=found.messages)

                self._known = read, Inventory(reports, Catalog(shown), whole.units, loaded)
            return self._known[1]
