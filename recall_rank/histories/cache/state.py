"""A state of a refreshed index: segments, deleted sessions, and the table of where sessions came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from recall_rank.histories.cache.table import Table
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.manifest import Manifest
from recall_rank.model import RefreshReport, SourceReport


class TableView(Protocol):
    """Read access to a table in sections, so that a search, a refresh or a list of sessions reads only the section
    that it needs.
    """

    @property
    def rules(self) -> str:
        """The digest of the ignore rules under which the table was made."""
        ...

    def reports(self) -> list[SourceReport]:
        """One report for each source."""
        ...

    def missing(self) -> frozenset[tuple[str | None, str]]:
        """(source, id) of the sessions that their source lost and the index keeps."""
        ...

    def units(self) -> Table:
        """The table, possibly without sessions. Must not be changed."""
        ...

    def table(self) -> Table:
        """A copy of the whole table that the caller may change."""
        ...


@dataclass(frozen=True, slots=True)
class CacheState:
    """Segments that can be searched and the table to refresh them from. Immutable."""

    segments: Sequence[Segment] = ()
    dead: Sequence[frozenset[int]] = ()
    view: TableView = field(default_factory=lambda: MemoryTable(Table(), ()))
    manifest: Manifest | None = None  # of the generation on disk; None for a state in memory only


@dataclass(frozen=True, slots=True)
class NextState:
    """The state that a refresh made, with the segments and the table that must be written for it."""

    report: RefreshReport
    state: CacheState
    kept: Sequence[int] = ()  # segments of the state before that stay as they are
    added: Segment | None = None
    table: Table | None = None  # None: nothing changed, so nothing must be written


class MemoryTable:
    """A table that was not written to disk."""

    __slots__ = ("_reports", "_table")

    def __init__(self, table: Table, reports: Sequence[SourceReport]) -> None:
        self._table = table
        self._reports = list(reports)

    @property
    def rules(self) -> str:
        return self._table.rules

    def reports(self) -> list[SourceReport]:
        return list(self._reports)

    def missing(self) -> frozenset[tuple[str | None, str]]:
        return missing_of(self._table)

    def units(self) -> Table:
        return self._table

    def table(self) -> Table:
        return _copy(self._table)


def missing_of(table: Table) -> frozenset[tuple[str | None, str]]:
    """(source, id) of the sessions that the table keeps although their source no longer has them. `table` must have
    its sessions.
    """
    return frozenset((held.session.source, held.session.id) for source in table.sources for held in source.kept)


def _copy(table: Table) -> Table:
    sources = []
    for source in table.sources:
        units = {
            key: replace(unit, sessions=[replace(held) for held in unit.sessions]) for key, unit in source.units.items()
        }
        kept = [replace(held) for held in source.kept]
        sources.append(replace(source, units=units, notices=dict(source.notices), kept=kept))
    return replace(table, sources=sources)
