"""Units that are read again: those that changed, and those whose sessions share ids with theirs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from recall_rank.histories.cache.appended import appended
from recall_rank.histories.cache.change_scan import read
from recall_rank.histories.cache.dependency_keys import linked
from recall_rank.histories.cache.resolve_copies import Raw, raw
from recall_rank.histories.cache.table import Held, Key, Table, UnitEntry
from recall_rank.index.segment.segment import Segment
from recall_rank.model import BaseSource
from recall_rank.model.progress import Progress

Home = tuple[int, str]  # which source, and the key of its unit


class Known:
    """The sessions of the table before, by what they are looked for."""

    def __init__(self, old: Table) -> None:
        self.keys = old.keys
        self.units = {(source.key, key): unit for source in old.sources for key, unit in source.units.items()}
        self.members = Counter(held.group for source in old.sources for held in source.held())
        self.alive = {held.serial for source in old.sources for held in source.held()}
        self.serials: dict[tuple[tuple[str, str], str], dict[Key, list[int]]] = {}
        for source in old.sources:
            for key, unit in source.units.items():
                mine = self.serials[source.key, key] = defaultdict(list)
                for held in unit.sessions:
                    mine[held.key].append(held.serial)
        self._behind: dict[int, tuple[int, ...]] = {}

    def linked(self, wanted: Iterable[int]) -> set[int]:
        """The serials behind hashes, each looked up once."""
        found: set[int] = set()
        behind = self._behind
        for link in wanted:
            known = behind.get(link)
            if known is None:
                known = behind[link] = tuple(linked(self.keys, (link,)))
            found.update(known)
        return found


class Rereading:
    """Units that are read, until nothing that is left can be touched by what was read."""

    def __init__(
        self,
        sources: Sequence[BaseSource],
        table: Table,
        known: Known,
        segments: Sequence[Segment],
        progress: Progress | None,
    ) -> None:
        self.sources = sources
        self.segments = segments
        self.table = table
        self.known = known
        self.progress = progress
        self.raws: dict[Home, list[Raw]] = {}
        self.partial: dict[Home, set[int]] = {}  # units of which only what is new was read; serials of the rest
        self.groups: dict[int, int] = {}
        self.homes: dict[int, list[Home]] = defaultdict(list)
        for at, source in enumerate(table.sources):
            for key, unit in source.units.items():
                for held in unit.sessions:
                    self.groups[held.serial] = held.group
                    self.homes[held.group].append((at, key))

    def follow(self, todo: list[Home], lost: Sequence[Held]) -> None:
        """Read the units `todo`, and all that are linked to them or to the sessions that are lost."""
        stirred: set[int] = set()
        groups = {held.group for held in lost}
        while todo or groups:
            stirred |= groups
            todo += [home for group in groups for home in self.homes.get(group, ())]
            wanted = [home for home in dict.fromkeys(todo) if home not in self.raws]
            groups = {held.group for at, key in wanted for held in self.table.sources[at].units[key].sessions}
            links: set[int] = set()
            for home in self._batched(wanted):
                self.raws[home] = self._read(home)
                links.update(link for one in self.raws[home] for link in one.links)
            near = self.known.linked(links) if wanted else ()
            groups |= {self.groups[serial] for serial in near if serial in self.groups}
            groups -= stirred
            todo = []
        self._complete()
        for source in self.table.sources:
            for group in stirred & set(source.notices):
                del source.notices[group]

    def in_order(self) -> list[Raw]:
        """The sessions that were read, as a full reading meets them."""
        return [
            one
            for at, source in enumerate(self.table.sources)
            for key in source.units
            for one in self.raws.get((at, key), ())
        ]

    def _batched(self, wanted: Sequence[Home]) -> Iterable[Home]:
        """The units by source, each source kept open meanwhile."""
        total = len(self.raws) + len(wanted)
        for at in sorted({at for at, _ in wanted}):
            with self.sources[at]:
                for home in wanted:
                    if home[0] == at:
                        if self.progress is not None:
                            self.progress("reading", len(self.raws), total)
                        yield home
        if self.progress is not None:
            self.progress("reading", total, total)

    def _read(self, home: Home) -> list[Raw]:
        at, key = home
        source = self.table.sources[at]
        before = source.units[key]
        unit = source.units[key] = UnitEntry(before.unit, before.signature)
        if before is not self.known.units.get((source.key, key)):  # it changed, rather than what it is linked to
            more = self._read_appended(home, unit)
            if more is not None:
                return more
        return self._read_whole(home, unit)

    def _read_whole(self, home: Home, unit: UnitEntry) -> list[Raw]:
        at, key = home
        known = self.known.serials.get((self.table.sources[at].key, key), {})
        found: list[Raw] = []
        unit.sessions = []
        self.partial.pop(home, None)
        for session in read(self.sources[at], unit):
            before_it = known.get((session.agent, session.id))
            if before_it:
                serial = before_it.pop(0)
            else:
                serial, self.table.serial = self.table.serial, self.table.serial + 1
            one = raw(at, self.sources[at], session, serial)
            unit.sessions.append(one.held)
            found.append(one)
        return found

    def _read_appended(self, home: Home, unit: UnitEntry) -> list[Raw] | None:
        """The sessions that grew in a unit that merely grew; None where all of it has to be read."""
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
        found: list[Raw] = []
        for session in more.sessions:
            one = raw(at, source, session, serials.get((session.agent, session.id), self.table.serial + len(found)))
            near = self.known.linked(one.links) - {one.held.serial}
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
        """Reads all of the units of which only a part was read, where others that were read share ids with them."""
        while self.partial:
            every = Counter(link for raws in self.raws.values() for one in raws for link in one.links)
            near = self.known.linked(every)
            shared = [
                home
                for home, same in self.partial.items()
                if same & near or any(every[link] > 1 for one in self.raws[home] for link in one.links)
            ]
            if not shared:
                return
            for at, key in shared:
                with self.sources[at]:
                    self.raws[at, key] = self._read_whole((at, key), self.table.sources[at].units[key])
