"""A backend that reads its sources and indexes them in memory; a refresh reads everything again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from recall_rank.histories.backend import IndexFactory, Inventory, Snapshot
from recall_rank.histories.catalog import Catalog, confined
from recall_rank.histories.project_reports import own_reports
from recall_rank.histories.unit_reader import UnitReader, recording
from recall_rank.loaders import read_all
from recall_rank.model import Context, RefreshReport, Source, SourceReport
from recall_rank.model.progress import Progress, counted, reading, watching
from recall_rank.model.project_scope import in_project


class MemoryBackend:
    """The backend of a Recall without a cache. With `only`, a Context, it shows just the session of that context and
    the sessions of its project.
    """

    folder = None

    def __init__(self, sources: Sequence[Source], factory: IndexFactory, only: Context | None = None) -> None:
        self._sources = sources
        self._factory = factory
        self._only = only
        self._lock = threading.Lock()  # held while reading and indexing, never while searching
        self._inventory: Inventory | None = None
        self._closed = False
        self.snapshot: Snapshot | None = None

    def ready(self) -> Snapshot:
        snapshot = self.snapshot
        if snapshot is not None:
            return snapshot
        with self._lock:
            return self.snapshot or self._build(None)

    def inventory(self) -> Inventory:
        with self._lock:
            return self._load(None)

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        with self._lock:
            if not index:
                return self._load(progress).reports
            return (self.snapshot or self._build(progress)).reports

    def refresh(self, progress: Progress | None) -> RefreshReport:
        started, cpu = time.perf_counter(), time.process_time()
        with self._lock:
            self._inventory = None
            reports = self._build(progress).reports
            found = len(self._load(None).catalog.sessions)
        took, used = time.perf_counter() - started, time.process_time() - cpu
        return RefreshReport(tuple(reports), True, indexed=found, elapsed_ms=took * 1000, cpu_ms=used * 1000)

    def rebuild(self) -> None:
        self.refresh(None)

    def wait(self, seconds: float | None) -> bool:
        return True

    def only(self, context: Context) -> MemoryBackend:
        return MemoryBackend(self._sources, self._factory, context)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._inventory = self.snapshot = None

    def _load(self, progress: Progress | None) -> Inventory:
        """The inventory of the sources, which are read on the first call. The caller holds the lock."""
        if self._closed:
            raise ValueError("this Recall is closed")
        if self._inventory is None:
            units = UnitReader()
            with watching(progress):
                sessions, reports = read_all(recording(self._sources, units), progress=reading(progress))
            only = self._only
            if only is not None:
                own = [each for each in sessions if in_project(each, only) or each.id == only.session_id]
                reports = own_reports(reports, sessions, own, only)  # the full reports count and name other projects
                sessions = confined(own)
            self._inventory = Inventory(reports, Catalog(sessions), units, sessions=sessions)
        return self._inventory

    def _build(self, progress: Progress | None) -> Snapshot:
        """Index the loaded sessions and return the snapshot. The caller holds the lock."""
        loaded = self._load(progress)
        self.snapshot = Snapshot(self._factory.build(counted(loaded.sessions or [], progress)), loaded.reports)
        loaded.release()
        return self.snapshot
