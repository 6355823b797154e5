"""What an index on disk knows of its sessions besides their words; and the same of one project alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from recall_rank.histories.backend import Answering, Contents
from recall_rank.histories.cache.first_part import STILL_READING
from recall_rank.histories.cache.state import State
from recall_rank.histories.cache.table import Key, Place
from recall_rank.histories.catalog import Catalogue, Units, confined
from recall_rank.histories.project_reports import own_reports
from recall_rank.index.segment.stored_sessions import retold
from recall_rank.model import Context, Flag, Message, RefreshReport, Session, Source, SourceReport
from recall_rank.model.progress import Progress
from recall_rank.model.project_scope import in_project

if TYPE_CHECKING:
    from recall_rank.histories.cached_backend import OnDisk


SOMETHING_WRONG: Final = "the index cannot be kept or brought up to date: it may be slow, or old"


def contents_of(state: State, sources: Sequence[Source], only: Context | None = None) -> Contents:
    """The sessions of a state, those of one project where one is named, and where each is read again."""
    by_place = {(source.name, source.location): source for source in sources}
    units = Units()
    found: list[Session] = []
    every: list[Session] = []
    own: list[Session] = []  # with as many messages as they have, whatever is in them
    places: dict[Key, Place] = {}
    for entry in state.view.table().sources:
        source = by_place.get(entry.key)
        every += (held.session for unit in entry.units.values() for held in unit.sessions if held.place is not None)
        for held in entry.kept:
            if held.place is not None and _fits(held.session, only):
                places[held.key] = held.place
                gone = held.session.flags | Flag.SOURCE_MISSING
                found.append(replace(held.session, updated=held.session.updated or held.newest, flags=gone))
        for unit in entry.units.values():
            for held in unit.sessions:
                if held.place is not None and _fits(held.session, only):
                    found.append(replace(held.session, updated=held.session.updated or held.newest))
                    own.append(replace(held.session, messages=cast("Sequence[Message]", range(held.messages))))
                    if source is not None:
                        units.put(held.key, source, unit.unit)

    def retell(session: Session) -> Session | None:
        """A session that was kept, from the words that are indexed."""
        place = places.get((session.agent, session.id))
        return None if place is None else replace(session, messages=retold(state.segments[place[0]], place[1]).messages)

    if only is not None:
        reports = own_reports(state.view.reports(), every, own, only)
        return Contents(reports, Catalogue(confined(found)), units, retell)
    return Contents(state.view.reports(), Catalogue(found), units, retell)


def _fits(session: Session, only: Context | None) -> bool:
    return only is None or in_project(session, only) or session.id == only.session_id


class OfProject:
    """A holder that shows one project of another holder's: all else is dead to it, words, ids and counts."""

    def __init__(self, whole: OnDisk, context: Context) -> None:
        self._whole = whole
        self._context = context
        self._lock = threading.Lock()
        self._made: tuple[State, Answering] | None = None
        self._contents: tuple[State, Contents] | None = None

    @property
    def folder(self) -> Path | None:
        return self._whole.folder

    def ready(self) -> Answering:
        made = self._whole.sound(self._shown)
        answering = self._whole.ready()
        notes = (SOMETHING_WRONG,) if answering.notes else ()  # which may name what lies elsewhere
        reading = STILL_READING if answering.reading else None  # how much lies elsewhere is not told
        return replace(made, checked=answering.checked, notes=notes, reading=reading)

    def _shown(self, state: State) -> Answering:
        with self._lock:
            if self._made is None or self._made[0] is not state:
                self._made = state, self._answering(state)
            return self._made[1]

    def contents(self) -> Contents:
        return self._whole.sound(self._known)

    def _known(self, state: State) -> Contents:
        with self._lock:
            if self._contents is None or self._contents[0] is not state:
                self._contents = state, contents_of(state, self._whole.sources, self._context)
            return self._contents[1]

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        self._whole.prepare(progress, index=index, soon=soon)
        return self.ready().reports

    def refresh(self, progress: Progress | None) -> RefreshReport:
        done = self._whole.refresh(progress)
        return RefreshReport((), done.changed)  # how much is read elsewhere is nobody's business here

    def rebuild(self) -> None:
        self._whole.rebuild()

    def wait(self, seconds: float | None) -> bool:
        return self._whole.wait(seconds)

    def only(self, context: Context) -> OfProject:
        return OfProject(self._whole, context)

    def close(self) -> None:
        with self._lock:
            self._made = self._contents = None

    def _answering(self, state: State) -> Answering:
        from recall_rank import Index

        dead = []
        for segment, gone in zip(state.segments, state.dead, strict=True):
            rows = enumerate(segment.sessions)
            foreign = {
                at
                for at, row in rows
                if at not in gone and not (in_project(row, self._context) or row.id == self._context.session_id)
            }
            dead.append(gone | foreign)
        reports = contents_of(state, self._whole.sources, self._context).reports
        return Answering(Index._of(state.segments, dead), reports, state.view.missing())  # noqa: SLF001 - of one package
