"""Report what each source contributed to an index.

The reports are made from the table of a refresh, which is the record of all sources, units and sessions. A refresh
reads only what changed; the reports are the same as if all sources had been read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from recall_rank.histories.records.left_out import is_unnamed
from recall_rank.histories.records.table import SourceEntry, Table
from recall_rank.loaders.malformed import bounded_malformed
from recall_rank.loaders.read_all import COPIED_ACROSS, FOUND_TWICE, copied_across
from recall_rank.model import Notice, ReadFailure, SourceReport


def reports(table: Table) -> list[SourceReport]:
    """Return one report for each source of the table of a refresh, in the table's order."""
    across = _across(table)
    return [_report(source, across.get(at, 0)) for at, source in enumerate(table.sources)]


def resized(told: Sequence[SourceReport], sizes: Sequence[int]) -> list[SourceReport]:
    """Return the reports with the sizes of their sources, in bytes, set to `sizes`. Sources that are no longer listed
    come last, have no size in `sizes`, and keep theirs.
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
    """Return the location of a source; empty when all of its sessions are left out."""
    return "" if is_unnamed(source) else source.location


def sum_notices(notices: Iterable[Notice]) -> list[Notice]:
    """Return the notices with the counts of each kind added up, one of each kind, as if all sessions had been resolved
    together.

    The notice about sessions found twice comes last.
    """
    found: dict[str, Notice] = {}
    for notice in notices:
        before = found.get(notice.kind)
        found[notice.kind] = notice if before is None else replace(notice, count=before.count + notice.count)
    return sorted(found.values(), key=lambda notice: notice.kind == FOUND_TWICE)


def _across(table: Table) -> dict[int, int]:
    """Return a mapping from the index of a source to the number of messages that were copied between the sources with
    its `copy_group`. Of such sources, the first that has live (indexed) sessions stands for all.
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
