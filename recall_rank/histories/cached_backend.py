"""Sources with an index on disk: opened at once, searched as it is, brought up to its sources beside that."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from recall_rank.histories.backend import Answering, Contents
from recall_rank.histories.cache.first_part import first_part
from recall_rank.histories.cache.refresh import Refreshed, refresh
from recall_rank.histories.cache.rules import Rules
from recall_rank.histories.cache.state import State
from recall_rank.histories.cache.store import checked, find
from recall_rank.index.errors import UnusableIndexError
from recall_rank.model import Context, RefreshReport, Source, SourceReport
from recall_rank.model.progress import Progress

if TYPE_CHECKING:
    from recall_rank.histories.project_view import OfProject

FRESH_SECONDS: Final = 2.0  # after a look at the sources that others are not worth theirs
_Made = TypeVar("_Made")
PATIENCE_SECONDS: Final = 1.0  # that prepare() waits for a refresh, before what there is has to do


class OnDisk:
    """The holder of a Recall with a cache. Of several, in one process or many, each refreshes when it likes."""

    def __init__(self, sources: Sequence[Source], folder: Path | None, rules: Rules, note: str | None = None) -> None:
        """Without a `folder` the index lies in memory alone, and `note` says why."""
        self.sources = sources
        self.folder = folder
        self._rules = rules
        self._note = note
        self._busy = threading.Lock()  # held while a state is made, never while searching
        self._thread: threading.Thread | None = None
        self._state: State | None = None
        self._answering: Answering | None = None
        self._contents: tuple[State, Contents] | None = None
        self._looked = 0.0  # when the sources were looked at last, by the monotonic clock
        self._closed = False

    def ready(self) -> Answering:
        answering = self._answering
        if answering is None:
            answering = self._first(None)
        if time.monotonic() - self._looked > FRESH_SECONDS:
            self._start()
        return answering

    def state(self) -> State:
        """What answers; the same as long as nothing changes."""
        self.ready()
        state = self._state
        if state is None:
            raise ValueError("this Recall is closed")
        return state

    def contents(self) -> Contents:
        from recall_rank.histories.project_view import contents_of

        def make(state: State) -> Contents:
            kept = self._contents
            if kept is None or kept[0] is not state:
                kept = self._contents = state, contents_of(state, self.sources)
            return kept[1]

        return self.sound(make)

    def sound(self, make: Callable[[State], _Made]) -> _Made:
        """What `make` makes of the state that answers, of one read anew where that one turns out to be damaged."""
        try:
            return make(self.state())
        except UnusableIndexError:
            self.rebuild()
            return make(self.state())

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        if self._answering is None:
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
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
            return not thread.is_alive()
        return True

    def only(self, context: Context) -> OfProject:
        from recall_rank.histories.project_view import OfProject

        return OfProject(self, context)

    def close(self) -> None:
        self._closed = True
        self._state = self._answering = self._contents = None

    def _first(self, progress: Progress | None, soon: Callable[[], None] | None = None) -> Answering:
        """Opens what is there, or makes it; with `soon` from a part of it first, which only memory ever holds."""
        with self._busy:
            if self._answering is not None:
                return self._answering
            if self._closed:
                raise ValueError("this Recall is closed")
            if self.folder is not None:
                with suppress(OSError):  # the refresh that follows says why
                    state = find(self.folder).state
                    if state is not None and state.view.rules == self._rules.digest:
                        return self._adopt(state, state.view.reports(), checked(self.folder, state), None)
            if soon is not None and (part := first_part(self.sources)) is not None:
                done = refresh(None, part.sources, self._rules)
                self._looked = time.monotonic()
                self._adopt(done.state, done.report.sources, None, None, str(part))
                soon()
            return self._refreshed(progress)[1]

    def _start(self) -> None:
        """Refreshes in a thread of its own, unless one is at it."""
        if self._busy.acquire(blocking=False):
            try:
                self._looked = time.monotonic()
                self._thread = threading.Thread(target=self._refresh_aside, name="recall_rank refresh", daemon=True)
                self._thread.start()
            finally:
                self._busy.release()

    def _refresh_aside(self) -> None:
        with self._busy:
            if self._closed:
                return
            try:
                self._refreshed(None)
            except Exception as error:  # noqa: BLE001 - a search must not fail for what another thread met
                answering = self._answering
                if answering is not None:
                    note = f"the index could not be brought up to date: {error}"
                    self._answering = replace(answering, notes=(note,))

    def _refreshed(self, progress: Progress | None, *, anew: bool = False) -> tuple[Refreshed, Answering]:
        """Needs the lock."""
        if self._closed:
            raise ValueError("this Recall is closed")
        done = refresh(self.folder, self.sources, self._rules, progress, anew=anew, held=self._state)
        self._looked = time.monotonic()
        return done, self._adopt(done.state, done.report.sources, time.time(), done.problem)

    def _adopt(
        self,
        state: State,
        reports: Sequence[SourceReport],
        when: float | None,
        problem: OSError | None,
        reading: str | None = None,
    ) -> Answering:
        from recall_rank import Index

        before, answering = self._state, self._answering
        same = before is not None and before.manifest is not None and before.manifest == state.manifest
        notes = [] if self._note is None else [self._note]
        if problem is not None:
            where = f" in {self.folder}" if self.folder is not None else ""
            notes.append(f"the index is not kept{where}: {problem.strerror or problem}; it is made anew each time")
        if same and before is not None and answering is not None:
            state, index = before, answering.index  # what was verified stays so
        else:
            index = Index._of(state.segments, state.dead)  # noqa: SLF001 - of one package
        if not self._closed:
            self._state = state
        made = Answering(index, tuple(reports), state.view.missing(), when, tuple(notes), reading)
        if not self._closed:
            self._answering = made
        return made
