"""Turn changed units (files or sessions of a database) into the sessions to index and the sessions to delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recall_rank.histories.cache.change_scan import SourceScan
from recall_rank.histories.cache.dependency_keys import joined
from recall_rank.histories.cache.invalidation import Invalidation, PreviousSessions
from recall_rank.histories.cache.resolve_copies import all_links, resolve_copies
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.records.left_out import unlinked, unname
from recall_rank.histories.records.table import (
    SessionEntry,
    SessionKey,
    SessionLocation,
    SourceEntry,
    Table,
)
from recall_rank.index.segment.segment import Segment
from recall_rank.loaders.copies import copies_of_one
from recall_rank.model import BaseSource, Session
from recall_rank.model.progress import Progress


@dataclass(slots=True)
class Changes:
    """The outcome of reading the changed units: the next table (record of sources, units and sessions), the sessions to
    index, and the sessions to delete from the index.
    """

    table: Table  # the next table; sessions that must be indexed have no place yet
    sessions: list[Session] = field(default_factory=list)  # to index
    fresh: list[SessionEntry] = field(default_factory=list)  # the entries of `sessions`, in their order
    dead: list[tuple[SessionKey, SessionLocation]] = field(default_factory=list)  # with their locations
    units: int = 0  # number of units that were read
    forgotten: frozenset[str] = frozenset()  # digests of ids that segments of the last refresh may still have as links


def read_changes(
    sources: Sequence[BaseSource],
    looks: Sequence[SourceScan],
    old: Table,
    segments: Sequence[Segment],
    rules: RefreshRules,
    progress: Progress | None,
) -> Changes:
    """Read the changed units and all units whose sessions share ids with theirs, resolve copies among the sessions, and
    return the next table, the sessions to index and those to delete. `looks` are the scans of `sources`, in their
    order, `old` is the table of the last refresh, and `segments` are those of the index.
    """
    was_live = [(held.key, held.place) for _, held in old.live() if held.place is not None]
    known = PreviousSessions(old)
    table = Table(
        serial=old.serial,
        rules=rules.digest,
        keeping=old.keeping if rules.keep_vanished is None else rules.keep_vanished,
    )
    lost = _carry_over(table, looks, old)
    reading = Invalidation(sources, table, known, segments, progress)
    reading.follow([(at, key) for at, each in enumerate(looks) for key in each.changed], lost)
    done = resolve_copies(sources, reading.in_order())
    for at, group, notices in done.notices:
        table.sources[at].notices.setdefault(group, []).extend(notices)
    reading.note_problems()
    changes = Changes(table, units=len(reading.read_sessions))
    for one in reading.in_order():
        resolved = done.sessions.get(one.held.serial)
        session = None if resolved is None else rules.prepared(resolved)
        if session is not None:
            changes.sessions.append(session)
            changes.fresh.append(one.held)
    _keep_vanished(table, old, rules)
    if old.rules != table.rules:
        changes.forgotten = rules.ignore.forgotten
    serials = {held.serial for source in table.sources for held in source.held()}
    gone = any(held.serial not in serials for held in lost)
    table.keys = joined(old.keys, all_links(reading.in_order()), serials if gone else None)
    for source in table.sources:
        unname(source)
    stay = {held.place for _, held in table.live()}
    changes.dead = [(key, place) for key, place in was_live if place not in stay]
    return changes


def _carry_over(table: Table, looks: Sequence[SourceScan], old: Table) -> list[SessionEntry]:
    """Copy the entries of unchanged units from the table `old` of the last refresh into `table`. Returns the entries of
    sessions whose unit is gone or changed.
    """
    known = {source.key: source for source in old.sources}
    lost: list[SessionEntry] = []
    for each in looks:
        entry = each.entry
        before = known.pop(entry.key, None)
        if before is not None:
            changed = set(each.changed)
            for key, unit in before.units.items():
                if key in entry.units and key not in changed:
                    entry.units[key] = unit
                else:
                    lost += unit.sessions
            entry.notices = before.notices
        table.sources.append(entry)
    for source in known.values():  # sources that are no longer listed
        lost += source.held()
    return lost


def _keep_vanished(table: Table, old: Table, rules: RefreshRules) -> None:
    """Add to `table` the indexed sessions of the table `old` that their source no longer has, when vanished sessions
    are kept and the rules do not leave them out.
    """
    if not table.keeping:
        return
    present: dict[tuple[str | None, str], list[Session]] = {}
    for held in (held for source in table.sources for held in source.held()):
        present.setdefault((held.session.agent, held.session.id), []).append(held.session)
    entries = {source.key: source for source in table.sources}
    for source in old.sources:
        gone = [
            held
            for held in (*source.held(), *source.kept)
            if held.place is not None
            and not _is_present(held.session, present)
            and not rules.ignore.vanished(source, held.session)
            and rules.prepared(held.session) is not None
        ]
        if gone and source.key not in entries:
            entries[source.key] = SourceEntry(source.name, source.location, gone=True, copy_group=source.copy_group)
            table.sources.append(entries[source.key])
        if gone:
            for held in gone:
                held.session = unlinked(held.session, rules.ignore.forgotten)
            entries[source.key].kept = gone


def _is_present(session: Session, present: Mapping[tuple[str | None, str], Sequence[Session]]) -> bool:
    """Return whether a session, or a copy of it, is among those that sources have, by agent and id."""
    known = present.get((session.agent, session.id), ())
    return any(len(copies_of_one([session, each], lambda _: "")) == 1 for each in known)
