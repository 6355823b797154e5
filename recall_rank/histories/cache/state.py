"""A state of a refreshed index: its segments, the deleted sessions, and the table of sources, units and sessions
behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from recall_rank.histories.records.table import Table
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.manifest import Manifest
from recall_rank.model import RefreshReport, SourceReport


class TableView(Protocol):
    """Read access to the table of a refresh (its record of sources, units and sessions) in sections, so that a
    search, a refresh or a list of sessions reads only the section that it needs.
    """

    @property
    def rules(self) -> str:
        """The digest of the ignore rules that were in force when the table was made."""
        ...

    def reports(self) -> list[SourceReport]:
        """Return one report for each source of the table."""
        ...

    def missing(self) -> frozenset[tuple[str | None, str]]:
        """Return (source, id) of each session that the index keeps although its source no longer has it."""
        ...

    def units(self) -> Table:
        """Return the table of a refresh (its record of sources, units and sessions), possibly without the sessions. The
        caller must not change it.
        """
        ...

    def table(self) -> Table:
        """Return a copy of the table of a refresh (its record of sources, units and sessions) that the caller may
        change.
        """
        ...


@dataclass(frozen=True, slots=True)
class CacheState:
    """The segments to search, the rows of the deleted sessions of each, and the table (record of sources, units and
    sessions) from which the next refresh starts. Immutable.
    """

    segments: Sequence[Segment] = ()
    dead: Sequence[frozenset[int]] = ()
    view: TableView = field(default_factory=lambda: MemoryTable(Table(), ()))
    manifest: Manifest | None = None  # of the generation on disk; None for a state in memory only


@dataclass(frozen=True, slots=True)
class NextState:
    """The state of the index that a refresh made, and what must be written for it: a new segment, and the table unless
    nothing changed.
    """

    report: RefreshReport
    state: CacheState
    kept: Sequence[int] = ()  # segments of the state before that stay as they are
    added: Segment | None = None
    settled: bool = False  # whether `added` is a first or a merged segment, which will not be merged again soon
    table: Table | None = None  # None: nothing changed, so nothing must be written


class MemoryTable:
    """The table of a refresh (its record of sources, units and sessions), kept in memory and not written to disk."""

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
    """(source, id) of each session that the table keeps although its source no longer has it. `table` must contain
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
