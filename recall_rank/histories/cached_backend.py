"""A backend with an index on disk, which is searched as it is found and refreshed in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar, cast

from recall_rank.histories.backend import IndexFactory, Inventory, Snapshot
from recall_rank.histories.cache.first_part import FirstPart, first_part
from recall_rank.histories.cache.refresh import FoundUnread, RefreshOutcome, refresh
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.cache.state import CacheState
from recall_rank.histories.cache.store import checked, find
from recall_rank.histories.inventory import inventory_of
from recall_rank.histories.project_view import ProjectView
from recall_rank.index.errors import UnusableIndexError
from recall_rank.model import Context, RefreshReport, Source, SourceReport, Unread
from recall_rank.model.option_errors import error_text
from recall_rank.model.progress import Progress

LARGE_BYTES: Final = 24 << 20  # of files to read; the start of a process costs a tenth of what reading these does
FRESH_SECONDS: Final = 2.0  # the sources are not scanned again so soon after a scan
_Result = TypeVar("_Result")
PATIENCE_SECONDS: Final = 1.0  # prepare() waits so long for a refresh, then returns the older generation
CLOSE_SECONDS: Final = 1.0  # close() waits so long for a refresh, which ends with the session or file that it is at


class _ClosedError(Exception):
    """Raised inside of a refresh in the background when its Recall was closed."""


class _LargeReadingError(Exception):
    """Raised inside of a refresh that has so much to read that a process of its own is to do it."""


class CachedBackend:
    """The backend of a Recall with a cache on disk.

    Several backends, in one or many processes, may share a folder. Each of them can refresh the index at any time;
    readers see a new generation completely or not at all.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        factory: IndexFactory,
        folder: Path | None,
        rules: RefreshRules,
        note: str | None = None,
    ) -> None:
        """Make a backend for `sources` with the index in `folder`; nothing is read yet. Without a folder the index
        is kept in memory, and `note` is added to the notes of each snapshot.
        """
        self.sources = sources
        self.factory = factory
        self.folder = folder
        self._rules = rules
        self._note = note
        self._busy = threading.Lock()  # held while a generation is made, never while searching
        self._thread: threading.Thread | None = None
        self._state: CacheState | None = None
        self._snapshot: Snapshot | None = None
        self._inventory: tuple[CacheState, Inventory] | None = None
        self._looked = 0.0  # monotonic time, in seconds, at which the last scan of the sources began
        self._unread: Unread | None = None  # from before a scan until what it found is shown; kept when that fails
        self._heeded: tuple[int, int, int] | None = None  # state of the list of forgotten sessions at the last refresh
        self._ending = threading.Lock()  # held while close() takes away what it found, or a refresh shows what it made
        self._closed = False
        self._tidied = False  # whether indexes of histories that are gone were looked for

    def ready(self) -> Snapshot:
        snapshot = self._snapshot
        if snapshot is None:
            snapshot = self._first(None)
        elif snapshot.reading is None and self._rules.list_state() != self._heeded:
            snapshot = self._without_forgotten()
        if time.monotonic() - self._looked > FRESH_SECONDS:
            self._start()
        unread = self._unread  # before the snapshot: a refresh that ends now sets both, this one last
        snapshot = self._snapshot or snapshot
        return snapshot if unread is None or snapshot.unread is not None else replace(snapshot, unread=unread)

    def look(self, since: float, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self._looked < since:
            self._start()
            if not self.wait(max(0.0, until - time.monotonic())):
                break
        else:
            self.wait(max(0.0, until - time.monotonic()))

    def unread(self) -> Unread | None:
        return self.ready().unread

    def state(self) -> CacheState:
        """Return the state of the current generation of the index, that is its segments and its table; the object is
        replaced only when a refresh finds a change. Raises ValueError after close().
        """
        self.ready()
        state = self._state
        if state is None:
            raise ValueError("this Recall is closed")
        return state

    def inventory(self) -> Inventory:
        def make(state: CacheState) -> Inventory:
            kept = self._inventory
            if kept is None or kept[0] is not state:
                kept = state, inventory_of(state, self.sources)
                with self._ending:
                    if not self._closed:
                        self._inventory = kept
            return kept[1]

        return self.apply(make)

    def apply(self, make: Callable[[CacheState], _Result]) -> _Result:
        """Return the result of `make` for the current state. When that state is damaged, it is rebuilt and `make` is
        called again.
        """
        try:
            state = self.state()
            for segment in state.segments:
                segment.check()
            return make(state)
        except UnusableIndexError:
            self.rebuild()
            return make(self.state())

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        if self._snapshot is None:
            self._first(progress, soon)
        if time.monotonic() - self._looked > FRESH_SECONDS:
            self._start()
            self.wait(PATIENCE_SECONDS)
        return self.ready().reports

    def refresh(self, progress: Progress | None) -> RefreshReport:
        with self._busy:
            return self._refreshed(progress)[0].report

    def rebuild(self) -> None:
        with self._busy:
            self._refreshed(None, anew=True)

    def wait(self, seconds: float | None) -> bool:
        until = None if seconds is None else time.monotonic() + seconds
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
            if thread.is_alive():
                return False
        ended = self._busy.acquire(timeout=-1 if until is None else max(0.0, until - time.monotonic()))
        if ended:  # nor does another thread refresh
            self._busy.release()
        return ended

    def only(self, context: Context) -> ProjectView:
        return ProjectView(self, context)

    def close(self) -> None:
        """Release the index, and end a refresh in the background: it would still write sessions that the caller may
        forget next.
        """
        with self._ending:
            self._closed = True
            self._state = self._snapshot = self._inventory = None
        self.wait(CLOSE_SECONDS)

    def _first(self, progress: Progress | None, soon: Callable[[], None] | None = None) -> Snapshot:
        """Return the first snapshot: of the index on disk, or of a new index where there is none.

        With `soon`, the newest units of a new index are first indexed in memory, and `soon` is called when they can be
        searched.
        """
        with self._busy:
            if self._snapshot is not None:
                return self._snapshot
            if self._closed:
                raise ValueError("this Recall is closed")
            if self.folder is not None:
                with suppress(OSError):  # the refresh below reports the problem
                    heeded, rules = self._rules.list_state(), self._rules.current()
                    state = find(self.folder).state
                    if state is not None and state.view.rules == rules.digest:
                        self._heeded = heeded
                        return self._adopt(state, state.view.reports(), checked(self.folder, state), None)
            if soon is not None and (part := first_part(self.sources)) is not None:
                done = refresh(None, part.sources, self._rules)
                self._looked = time.monotonic()
                self._adopt(done.state, done.report.sources, None, None, part)
                soon()
            return self._refreshed(progress)[1]

    def _without_forgotten(self) -> Snapshot:
        """Refresh the index, which drops the sessions that were forgotten since the last refresh, maybe by another
        process, and return the new snapshot.
        """
        with self._busy:
            snapshot = self._snapshot
            if snapshot is None or self._rules.list_state() != self._heeded:
                snapshot = self._refreshed(None)[1]
            return snapshot

    def _start(self) -> None:
        """Start a refresh in a background thread, unless one is running."""
        if self._busy.acquire(blocking=False):
            try:
                self._looked = time.monotonic()
                self._unread = self._unread or Unread()
                thread = threading.Thread(target=self._refresh_in_background, name="recall_rank refresh", daemon=True)
                thread.start()
                self._thread = thread  # others join it, which they may once it is started
            finally:
                self._busy.release()

    def _refresh_in_background(self) -> None:
        with self._busy:
            if self._closed:
                return
            try:
                self._refreshed(self._unless_closed)
            except _ClosedError:
                return
            except Exception as error:  # noqa: BLE001 - a search must not fail for an error of the refreshing thread
                snapshot = self._snapshot
                if snapshot is not None:
                    note = f"the index could not be brought up to date: {error_text(error)}"
                    self._show(self._state, replace(snapshot, notes=(note,)))

    def _unless_closed(self, _stage: str, _done: int, _total: int | None) -> None:
        """Take the progress of a refresh in the background. Raises _ClosedError after close()."""
        if self._closed:
            raise _ClosedError

    def _refreshed(self, progress: Progress | None, *, anew: bool = False) -> tuple[RefreshOutcome, Snapshot]:
        """Refresh the index and make the result current; returns the outcome and the new snapshot. The caller holds
        the lock.
        """
        if self._closed:
            raise ValueError("this Recall is closed")
        heeded = self._rules.list_state()
        self._looked = time.monotonic()
        self._unread = self._unread or Unread()
        done = self._read(progress, anew=anew)
        self._heeded = heeded
        if self.folder is not None and not self._tidied:
            from recall_rank.histories.removal.orphans import remove_orphans

            self._tidied = True
            remove_orphans(self.folder.parent, self.folder)
        made = self._adopt(done.state, done.report.sources, time.time(), done.problem)
        self._unread = None
        return done, made

    def _read(self, progress: Progress | None, *, anew: bool) -> RefreshOutcome:
        """Refresh the index: what is large in a process of its own, whose report is returned, else in this one."""

        def refreshed(found_unread: FoundUnread) -> RefreshOutcome:
            return refresh(
                self.folder,
                self.sources,
                self._rules,
                progress,
                anew=anew,
                held=self._state,
                found_unread=found_unread,
            )

        def refuse_large(unread: Unread, to_read: float) -> None:
            self._note_unread(unread, to_read)
            if self.folder is not None and not anew and to_read >= LARGE_BYTES:
                raise _LargeReadingError

        try:
            done = refreshed(refuse_large)
        except _LargeReadingError:
            from recall_rank.histories.cache.reading_process import refresh_in_process

            folder = cast("Path", self.folder)
            report = refresh_in_process(folder, self.sources, self._rules, progress)
            done = refreshed(self._note_unread)
            if report is not None and not done.report.changed:
                done = replace(done, report=report)
        return done

    def _note_unread(self, unread: Unread, _: float) -> None:
        self._unread = unread if unread.units else None

    def _adopt(
        self,
        state: CacheState,
        reports: Sequence[SourceReport],
        when: float | None,
        problem: OSError | None,
        part: FirstPart | None = None,
    ) -> Snapshot:
        """Make a snapshot of `state` the current one and return it. An unchanged generation keeps its open index,
        whose blocks are verified already.
        """
        before, snapshot = self._state, self._snapshot
        same = before is not None and before.manifest is not None and before.manifest == state.manifest
        notes = [] if self._note is None else [self._note]
        if problem is not None:
            where = f" in {self.folder}" if self.folder is not None else ""
            notes.append(f"the index is not kept{where}: {problem.strerror or problem}; it is made anew each time")
        if same and before is not None and snapshot is not None:
            state, index = before, snapshot.index
        else:
            index = self.factory.of_segments(state.segments, state.dead)
        unread, reading = (None, None) if part is None else (part.unread, str(part))
        made = Snapshot(index, tuple(reports), state.view.missing(), when, tuple(notes), unread, reading)
        self._show(state, made)
        return made

    def _show(self, state: CacheState | None, snapshot: Snapshot) -> None:
        """Make a state and its snapshot the current ones, unless close() was called."""
        with self._ending:
            if not self._closed:
                self._state, self._snapshot = state, snapshot
