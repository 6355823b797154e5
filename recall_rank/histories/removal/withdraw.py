"""Take the forgotten sessions out of every index of a cache at once, without reading a source: an index that is never
searched again must not keep their text. Copies of condensed sessions go, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from recall_rank.histories.cache.changes import Changes
from recall_rank.histories.cache.dependency_keys import of_serials
from recall_rank.histories.cache.merge_plan import plan_segments
from recall_rank.histories.cache.purge import folders, remove_blocks, remove_index, remove_other_versions
from recall_rank.histories.cache.store import FoundGeneration, SupersededError, find, sweep_leftovers, write
from recall_rank.histories.cache.table_codec import sections
from recall_rank.histories.records.forgotten import forgotten, forgotten_ids
from recall_rank.histories.records.left_out import has_link, is_listed, unlinked, unname
from recall_rank.histories.records.session_copies import remove_copies
from recall_rank.histories.records.table import SessionEntry, SourceEntry, Table, UnitEntry
from recall_rank.index.errors import UnusableIndexError
from recall_rank.index.remote.staged_folder import remove_killed
from recall_rank.model import Malformed

INCOMPLETE: Final = "incomplete"  # in place of the digest of rules: the next refresh reads everything again
TRIES: Final = 20  # other processes may publish meanwhile


@dataclass(slots=True)
class Withdrawal:
    """The folders of the indexes that were rewritten without forgotten sessions, and of those that were removed
    because they cannot be read.
    """

    rewritten: list[Path] = field(default_factory=list)
    removed: list[Path] = field(default_factory=list)


def withdraw(cache: Path) -> Withdrawal:
    """Rewrite every index in the cache that holds a forgotten session, and remove those that cannot be read. Remove
    the private copies of forgotten sessions, the blocks of indexes in stores, in which one may be, too, and what killed
    processes have left on its way to a store.

    The next refresh of a rewritten index reads all of its sources, because sessions may share messages with those that
    were taken out. Raises OSError when an index can neither be rewritten nor removed, or a copy cannot be removed.
    """
    digests = forgotten(cache)
    remove_copies(cache, forgotten_ids(cache))
    remove_blocks(cache)
    remove_killed()
    done = Withdrawal()
    for folder in folders(cache):
        remove_other_versions(folder)
        _withdraw(folder, digests, done)
    return done


def _withdraw(folder: Path, digests: frozenset[str], done: Withdrawal) -> None:
    for _ in range(TRIES):
        found = find(folder)
        try:
            if found.problem is None and _rewrite(folder, found, digests):
                done.rewritten.append(folder)
        except SupersededError:
            continue
        except UnusableIndexError:
            found = FoundGeneration(problem="damaged")
        if found.problem is not None:
            remove_index(folder)
            done.removed.append(folder)
        else:
            sweep_leftovers(folder)
        return
    raise OSError(f"{folder} changes faster than it can be rewritten")


def _rewrite(folder: Path, found: FoundGeneration, digests: frozenset[str]) -> bool:
    """Publish a generation without the sessions that have one of the digests, and without links to them; False when
    there is neither.
    """
    state = found.state
    if state is None:
        return False
    table = state.view.table()
    before = [(held.key, held.place) for _, held in table.live() if held.place is not None]
    groups = _take_out(table, digests)
    linked = _unlink(table, digests)
    if not groups and not linked and not any(has_link(each, digests) for each in state.segments):
        return False
    table.rules = INCOMPLETE
    stay = {held.place for _, held in table.live()}
    dead = [(key, place) for key, place in before if place not in stay]
    changes = Changes(table, dead=dead, forgotten=digests)
    made = plan_segments(state.segments, changes, None)
    write(folder, found, made, sections(table, made.state.dead, made.report.sources))
    return True


def _take_out(table: Table, digests: frozenset[str]) -> set[int]:
    """Remove from the table the entries of the sessions whose ids have one of the digests, and what their units may
    quote of them. Returns the numbers of the groups they were in, where a group is all sessions connected by shared
    ids.
    """
    groups: set[int] = set()

    def remaining(entries: list[SessionEntry]) -> list[SessionEntry]:
        stay = []
        for held in entries:
            if is_listed(held.session, digests):
                groups.add(held.group)
            else:
                stay.append(held)
        return stay

    serials: set[int] = set()
    for source in table.sources:
        source.kept = remaining(source.kept)
        for unit in source.units.values():
            count = len(unit.sessions)
            unit.sessions = remaining(unit.sessions)
            if len(unit.sessions) < count:
                _unquote(unit)
        unname(source)
        serials.update(held.serial for held in source.held())
    for source in table.sources:
        _forget_groups(source, groups)
    if groups:
        table.keys = of_serials(table.keys, serials)
    return groups


def _unlink(table: Table, digests: frozenset[str]) -> bool:
    """Remove from the table every link to a session whose id has one of the digests, and what a unit may quote of such
    a link. Returns whether there was one.
    """
    found = False

    def links(entries: list[SessionEntry]) -> bool:
        before = [held.session for held in entries]
        for held in entries:
            held.session = unlinked(held.session, digests)
        return any(held.session is not session for held, session in zip(entries, before, strict=True))

    for source in table.sources:
        found |= links(source.kept)
        for unit in source.units.values():
            if links(unit.sessions):
                _unquote(unit)
                found = True
    return found


def _unquote(unit: UnitEntry) -> None:
    """Remove from a unit, some of whose sessions were taken out or unlinked, what may quote them: signature, resume
    point, warnings and reasons. Without a signature, the next refresh reads the unit again.
    """
    unit.signature, unit.resume, unit.warnings = b"", None, []
    unit.malformed = [Malformed(unit.unit.location, "a record", "cannot be read", bad.count) for bad in unit.malformed]
    unit.is_left_out = not unit.sessions


def _forget_groups(source: SourceEntry, groups: set[int]) -> None:
    source.notices = {group: notices for group, notices in source.notices.items() if group not in groups}
