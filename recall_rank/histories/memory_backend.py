"""Sources read and indexed in memory: nothing is kept between runs, and a refresh reads everything again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from recall_rank.histories.backend import Answering, Contents
from recall_rank.model import Context, RefreshReport, Source, SourceReport
from recall_rank.model.progress import Progress


class InMemory:
    """The holder of a Recall without a cache."""

    folder = None

    def __init__(self, sources: Sequence[Source], only: Context | None = None) -> None:
        self._sources = sources
        self._only = only
        self._lock = threading.Lock()  # held while reading and indexing, never while searching
        self._contents: Contents | None = None
        self._closed = False
        self.answering: Answering | None = None

    def ready(self) -> Answering:
        answering = self.answering
        if answering is not None:
            return answering
        with self._lock:
            return self.answering or self._build(None)

    def contents(self) -> Contents:
        with self._lock:
            return self._load(None)

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        with self._lock:
            if not index:
                return self._load(progress).reports
            return (self.answering or self._build(progress)).reports

    def refresh(self, progress: Progress | None) -> RefreshReport:
        started, cpu = time.perf_counter(), time.process_time()
        with self._lock:
            self._contents = None
            reports = self._build(progress).reports
            found = len(self._load(None).catalogue.sessions)
        took, used = time.perf_counter() - started, time.process_time() - cpu
        return RefreshReport(tuple(reports), True, indexed=found, elapsed_ms=took * 1000, cpu_ms=used * 1000)

    def rebuild(self) -> None:
        self.refresh(None)

    def wait(self, seconds: float | None) -> bool:
        return True

    def only(self, context: Context) -> InMemory:
        return InMemory(self._sources, context)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._contents = self.answering = None

    def _load(self, progress: Progress | None) -> Contents:
        """What the sources hold, read when that has not been done. Needs the lock."""
        if self._closed:
            raise ValueError("this Recall is closed")
        if self._contents is None:
            from recall_rank.histories.catalog import Catalogue, Units, confined, noting
            from recall_rank.histories.project_reports import own_reports
            from recall_rank.loaders import read_all
            from recall_rank.model.progress import reading
            from recall_rank.model.project_scope import in_project

            units = Units()
            sessions, reports = read_all(noting(self._sources, units), progress=reading(progress))
            only = self._only
            if only is not None:
                own = [each for each in sessions if in_project(each, only) or each.id == only.session_id]
                reports = own_reports(reports, sessions, own, only)  # they count and name what lies elsewhere
                sessions = confined(own)
            self._contents = Contents(reports, Catalogue(sessions), units, sessions=sessions)
        return self._contents

    def _build(self, progress: Progress | None) -> Answering:
        """An index of what was loaded. Needs the lock."""
        from recall_rank import Index
        from recall_rank.model.progress import counted

        loaded = self._load(progress)
        self.answering = Answering(Index.build(counted(loaded.sessions or [], progress)), loaded.reports)
        loaded.sessions = None  # the index holds the text now; keeping it twice would double the memory
        return self.answering
