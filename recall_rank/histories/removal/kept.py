"""Count the sessions that only the cache has: what is removed with an index cannot be read again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from recall_rank.histories.cache.purge import folders
from recall_rank.histories.cache.refresh import refresh
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.cache.state import CacheState
from recall_rank.histories.cache.store import find
from recall_rank.histories.records.table import SourceEntry
from recall_rank.index.errors import UnusableIndexError
from recall_rank.loaders import open_sources
from recall_rank.model import Source


@dataclass(frozen=True, slots=True)
class OnlyInCache:
    """The sessions that only the cache has: the number of those that it keeps after they vanished from their source,
    and the indexes that cannot be read and may keep more of them.
    """

    sessions: int = 0
    unreadable: tuple[Path, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sessions or self.unreadable)


def only_in_cache(cache: Path, rules: RefreshRules) -> OnlyInCache:
    """Count the sessions of every index in the cache that no source has any more; nothing is written.

    Sessions that vanished since the last refresh count as well: an index that keeps them is compared with its sources.
    A session that several indexes keep counts once.
    """
    sessions: set[tuple[str | None, str]] = set()
    unreadable = []
    for folder in folders(cache):
        try:
            found = find(folder)
            if found.state is not None:
                sessions |= _vanished(found.state, rules)
            elif found.problem is not None:
                unreadable.append(folder)
        except (UnusableIndexError, OSError):
            unreadable.append(folder)
    return OnlyInCache(len(sessions), tuple(unreadable))


def _vanished(state: CacheState, rules: RefreshRules) -> frozenset[tuple[str | None, str]]:
    """(source, id) of each session of an index that its source no longer has."""
    known = state.view.missing()
    table = state.view.table()
    if not table.keeping:
        return known
    sources: list[Source] = []
    unknown: list[SourceEntry] = []  # no loader opens them here: their sessions are there while their files are
    for entry in table.sources:
        here = [source for source in _opened(entry.location) if source.location == entry.location]
        if here:
            sources += here[:1]
        else:
            unknown.append(entry)
    now = refresh(None, _named(sources, table.sources), rules, held=state).state.view.missing()
    units = (unit for entry in unknown for unit in entry.units.values() if _may_exist(unit.unit.location))
    there = {(held.session.source, held.session.id) for unit in units for held in unit.sessions}
    return now - (there - known)


def _may_exist(location: str) -> bool:
    """Return whether a path leads to something, or depends on a working folder that is not known here."""
    return not Path(location).is_absolute() or os.path.lexists(location)


def _opened(location: str) -> list[Source]:
    try:
        return open_sources(location)
    except (OSError, ValueError):
        return []


def _named(sources: Iterable[Source], entries: Iterable[SourceEntry]) -> list[Source]:
    """Return the sources, each with its name set to the one that the table entry of its location has."""
    names = {entry.location: entry.name for entry in entries}
    found = list(sources)
    for source in found:
        if source.name != names[source.location]:
            source.name = names[source.location]  # type: ignore[misc]
    return found
