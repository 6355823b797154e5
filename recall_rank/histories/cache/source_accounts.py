"""Report what each source contributed to an index, from the table of a refresh; the reports equal those of a
reading of all sources.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from recall_rank.histories.cache.table import SourceEntry, Table
from recall_rank.histories.removal.left_out import is_unnamed
from recall_rank.loaders.malformed import bounded_malformed
from recall_rank.loaders.read_all import COPIED_ACROSS, FOUND_TWICE, copied_across
from recall_rank.model import Notice, ReadFailure, SourceReport


def reports(table: Table) -> list[SourceReport]:
    """One report for each source of the table, in the table's order."""
    across = _across(table)
    return [_report(source, across.get(at, 0)) for at, source in enumerate(table.sources)]


def resized(told: Sequence[SourceReport], sizes: Sequence[int]) -> list[SourceReport]:
    """The reports with `sizes`, in bytes, set in them; the report of a source that is no longer listed keeps its
    size.
    """
    return [*map(_resized, told, sizes), *told[len(sizes) :]]


def _resized(report: SourceReport, size: int) -> SourceReport:
    return report if report.bytes == size else replace(report, bytes=size)


def _report(source: SourceEntry, copied: int) -> SourceReport:
    live = [held for held in source.held() if held.place is not None]
    warnings = [*source.warnings, *(said for unit in source.units.values() for said in unit.warnings)]
    notices = sum_notices(notice for notice in source.all_notices() if notice.kind != COPIED_ACROSS)
    if copied:
        notices.append(copied_across(copied))
    warnings += [notice.text for notice in notices]
    return SourceReport(
        source.name,
        _location(source),
        source.size,
        len(live),
        sum(held.messages for held in live),
        sum(held.parts for held in live),
        tuple(bounded_malformed(bad for unit in source.units.values() for bad in unit.malformed)),
        tuple(_failures(source)),
        tuple(dict.fromkeys(warnings)),
        max((held.newest for held in live), default=0),
        **({"kept": len(source.kept)} if source.kept else {}),
    )


def _failures(source: SourceEntry) -> Iterator[ReadFailure]:
    for reason in source.errors:
        yield ReadFailure(_location(source), reason)
    for entry in source.units.values():
        if entry.error is not None:
            yield ReadFailure(entry.unit.location, entry.error)


def _location(source: SourceEntry) -> str:
    """The location of a source; empty when all of its sessions are left out."""
    return "" if is_unnamed(source) else source.location


def sum_notices(notices: Iterable[Notice]) -> list[Notice]:
    """The notices with the counts of each kind added up, as if all sessions had been resolved together.

    The notice about sessions found twice comes last.
    """
    found: dict[str, Notice] = {}
    for notice in notices:
        before = found.get(notice.kind)
        found[notice.kind] = notice if before is None else replace(notice, count=before.count + notice.count)
    return sorted(found.values(), key=lambda notice: notice.kind == FOUND_TWICE)


def _across(table: Table) -> dict[int, int]:
    """Index of a source -> number of messages copied between sources with its `copy_group`. The index is that of
    the first such source that has live (indexed) sessions.
    """
    found: dict[int, int] = defaultdict(int)
    for source in table.sources:
        for notice in source.all_notices():
            if notice.kind == COPIED_ACROSS:
                found[_first(table.sources, source.copy_group)] += notice.count
    return found


def _first(sources: Sequence[SourceEntry], group: str | None) -> int:
    alike = [at for at, source in enumerate(sources) if source.copy_group == group]
    return next((at for at in alike if any(held.place is not None for held in sources[at].held())), alike[0])
