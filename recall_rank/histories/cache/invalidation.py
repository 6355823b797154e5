"""Read the changed units (files or sessions of a database), and every unit whose sessions depend on sessions of a
changed unit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from recall_rank.histories.cache.appended import appended
from recall_rank.histories.cache.change_scan import read
from recall_rank.histories.cache.dependency_keys import serials_of
from recall_rank.histories.cache.resolve_copies import ReadSession, read_session
from recall_rank.histories.records.table import SessionEntry, SessionKey, Table, UnitEntry, session_key
from recall_rank.index.segment.segment import Segment
from recall_rank.loaders.read_all import LoadedSource
from recall_rank.model import BaseSource
from recall_rank.model.progress import Progress

UnitRef = tuple[int, str]  # index of the source, and the key of the unit


class PreviousSessions:
    """Look-ups into the table of the last refresh: its units, and the serial numbers, groups (sessions connected by
    shared ids) and dependency keys of its sessions.
    """

    def __init__(self, old: Table) -> None:
        self.keys = old.keys
        self.units = {(source.key, key): unit for source in old.sources for key, unit in source.units.items()}
        self.members = Counter(held.group for source in old.sources for held in source.held())
        self.alive = {held.serial for source in old.sources for held in source.held()}
        self.serials: dict[tuple[tuple[str, str], str], dict[SessionKey, list[int]]] = {}
        for source in old.sources:
            for key, unit in source.units.items():
                mine = self.serials[source.key, key] = defaultdict(list)
                for held in unit.sessions:
                    mine[held.key].append(held.serial)
        self._behind: dict[int, tuple[int, ...]] = {}

    def serials_of(self, wanted: Iterable[int]) -> set[int]:
        """Return the serial numbers of the sessions that have one of the dependency hashes `wanted`, that is hashes of
        ids that sessions share. The result for each hash is cached.
        """
        found: set[int] = set()
        behind = self._behind
        for link in wanted:
            known = behind.get(link)
            if known is None:
                known = behind[link] = tuple(serials_of(self.keys, (link,)))
            found.update(known)
        return found


class Invalidation:
    """Reads changed units, and then further units until no unread unit can depend on one that was read."""

    def __init__(
        self,
        sources: Sequence[BaseSource],
        table: Table,
        known: PreviousSessions,
        segments: Sequence[Segment],
        progress: Progress | None,
    ) -> None:
        self.sources = sources
        self.segments = segments
        self.table = table
        self.known = known
        self.progress = progress
        self.read_sessions: dict[UnitRef, list[ReadSession]] = {}
        self.partial: dict[UnitRef, set[int]] = {}  # partly read units; serials of their unread sessions
        self.groups: dict[int, int] = {}
        self.homes: dict[int, list[UnitRef]] = defaultdict(list)
        for at, source in enumerate(table.sources):
            for key, unit in source.units.items():
                for held in unit.sessions:
                    self.groups[held.serial] = held.group
                    self.homes[held.group].append((at, key))

    def follow(self, todo: list[UnitRef], lost: Sequence[SessionEntry]) -> None:
        """Read the units `todo`, and all units whose sessions depend on sessions of these units or on `lost`, the
        sessions of units that are gone or changed.
        """
        stirred: set[int] = set()
        groups = {held.group for held in lost}
        while todo or groups:
            stirred |= groups
            todo += [home for group in groups for home in self.homes.get(group, ())]
            wanted = [home for home in dict.fromkeys(todo) if home not in self.read_sessions]
            groups = {held.group for at, key in wanted for held in self.table.sources[at].units[key].sessions}
            dependency_keys: set[int] = set()
            for home in self._batched(wanted):
                self.read_sessions[home] = self._read(home)
                dependency_keys.update(link for one in self.read_sessions[home] for link in one.dependency_keys)
            near = self.known.serials_of(dependency_keys) if wanted else ()
            groups |= {self.groups[serial] for serial in near if serial in self.groups}
            groups -= stirred
            todo = []
        self._complete()
        for source in self.table.sources:
            for group in stirred & set(source.notices):
                del source.notices[group]

    def note_problems(self) -> None:
        """Make the problems of sessions the errors of their units, so that these are told, and read again next time."""
        for (at, key), sessions in self.read_sessions.items():
            unit = self.table.sources[at].units[key]
            unit.error = unit.error or next((one.problem for one in sessions if one.problem is not None), None)

    def in_order(self) -> list[ReadSession]:
        """Return the sessions that were read, in the order in which a reading of all sources returns them."""
        return [
            one
            for at, source in enumerate(self.table.sources)
            for key in source.units
            for one in self.read_sessions.get((at, key), ())
        ]

    @contextmanager
    def _opened(self, at: int) -> Iterator[None]:
        """Keep a source open; an error of opening or closing it is noted in the table."""
        loaded = LoadedSource(self.sources[at])
        with loaded.opened():
            yield
        errors = self.table.sources[at].errors
        errors += [failure.reason for failure in loaded.failures if failure.reason not in errors]

    def _batched(self, wanted: Sequence[UnitRef]) -> Iterable[UnitRef]:
        """Yield the wanted units grouped by source and report the progress of reading them; each source is kept open
        while its units are read.
        """
        total = len(self.read_sessions) + len(wanted)
        for at in sorted({at for at, _ in wanted}):
            with self._opened(at):
                for home in wanted:
                    if home[0] == at:
                        if self.progress is not None:
                            self.progress("reading", len(self.read_sessions), total)
                        yield home
        if self.progress is not None:
            self.progress("reading", total, total)

    def _read(self, home: UnitRef) -> list[ReadSession]:
        at, key = home
        source = self.table.sources[at]
        before = source.units[key]
        unit = source.units[key] = UnitEntry(before.unit, before.signature, is_left_out=before.is_left_out)
        if before is not self.known.units.get((source.key, key)):  # the unit itself changed
            more = self._read_appended(home, unit)
            if more is not None:
                return more
        return self._read_whole(home, unit)

    def _read_whole(self, home: UnitRef, unit: UnitEntry) -> list[ReadSession]:
        at, key = home
        known = self.known.serials.get((self.table.sources[at].key, key), {})
        found: list[ReadSession] = []
        unit.sessions = []
        self.partial.pop(home, None)
        for session in read(self.sources[at], unit):
            before_it = known.get(session_key(session))
            if before_it:
                serial = before_it.pop(0)
            else:
                serial, self.table.serial = self.table.serial, self.table.serial + 1
            one = read_session(at, self.sources[at], session, serial)
            unit.sessions.append(one.held)
            found.append(one)
        return found

    def _read_appended(self, home: UnitRef, unit: UnitEntry) -> list[ReadSession] | None:
        """Return the new and grown sessions of a unit to which records were appended; None when the whole unit must be
        read.
        """
        at, key = home
        source = self.sources[at]
        before = self.known.units.get((self.table.sources[at].key, key))
        notices = self.table.sources[at].notices
        if before is None or before.unit != unit.unit or any(held.group in notices for held in before.sessions):
            return None
        more = appended(source, before, self.segments, lambda held: self.known.members[held.group] == 1)
        if more is None:
            return None
        serials = {held.key: held.serial for held in before.sessions}
        found: list[ReadSession] = []
        for session in more.sessions:
            one = read_session(at, source, session, serials.get(session_key(session), self.table.serial + len(found)))
            near = self.known.serials_of(one.dependency_keys) - {one.held.serial}
            if near & self.known.alive:
                return None
            found.append(one)
        self.table.serial += len(found)
        grown = {one.held.key: one.held for one in found}
        order = [*(held.key for held in before.sessions), *(each for each in grown if each not in serials)]
        same = {held.key: held for held in more.same}
        unit.sessions = [grown.get(each) or same[each] for each in order]
        unit.resume = more.resume
        self.partial[home] = {held.serial for held in more.same}
        return found

    def _complete(self) -> None:
        """Read units in full of which only appended records were read, as long as one of their sessions shares an id
        with another session that was read.
        """
        while self.partial:
            every = Counter(
                link
                for read_sessions in self.read_sessions.values()
                for one in read_sessions
                for link in one.dependency_keys
            )
            near = self.known.serials_of(every)
            shared = [
                home
                for home, same in self.partial.items()
                if same & near
                or any(every[link] > 1 for one in self.read_sessions[home] for link in one.dependency_keys)
            ]
            if not shared:
                return
            for at, key in shared:
                with self._opened(at):
                    self.read_sessions[at, key] = self._read_whole((at, key), self.table.sources[at].units[key])
