"""What each source gave and failed to give, from what a refresh knows: the same as a full reading reports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from recall_rank.histories.cache.table import SourceEntry, Table
from recall_rank.loaders.read_all import COPIED
from recall_rank.model import SourceReport

_COUNTED: Final = re.compile(r"([0-9]+) (.*)", re.DOTALL)
_TWICE: Final = re.compile(r"([0-9]+) sessions? w(?:as|ere) found twice (.*)", re.DOTALL)
_ACROSS: Final = COPIED.format("").strip()


def reports(table: Table) -> list[SourceReport]:
    """A report for each source, in their order."""
    across = _across(table)
    return [_report(source, across.get(at, 0)) for at, source in enumerate(table.sources)]


def resized(told: Sequence[SourceReport], sizes: Sequence[int]) -> list[SourceReport]:
    """The reports with how many bytes the stores take by now; a source that is gone has no size any more."""
    return [*map(_resized, told, sizes), *told[len(sizes) :]]


def _resized(report: SourceReport, size: int) -> SourceReport:
    return report if report.bytes == size else replace(report, bytes=size)


def _report(source: SourceEntry, copied: int) -> SourceReport:
    live = [held for held in source.held() if held.place is not None]
    warnings = [*source.warnings, *(said for unit in source.units.values() for said in unit.warnings)]
    warnings += _summed(said for remarks in source.remarks.values() for said in remarks)
    if copied:
        warnings.append(COPIED.format(copied))
    return SourceReport(
        source.name,
        source.location,
        source.size,
        len(live),
        sum(held.messages for held in live),
        sum(held.parts for held in live),
        tuple(bad for unit in source.units.values() for bad in unit.malformed),
        (*source.errors, *(unit.error for unit in source.units.values() if unit.error)),
        tuple(dict.fromkeys(warnings)),
        max((held.newest for held in live), default=0),
        **({"kept": len(source.kept)} if source.kept else {}),
    )


def _summed(remarks: Iterable[str]) -> list[str]:
    """What settling groups of sessions one by one said, as if they had been settled together: counts add up.

    Such a remark begins with its count. That a session was found twice comes last.
    """
    counts: dict[str, int] = defaultdict(int)
    twice: dict[str, int] = defaultdict(int)
    for said in remarks:
        if (found := _TWICE.fullmatch(said)) is not None:
            twice[found[2]] += int(found[1])
        elif (found := _COUNTED.fullmatch(said)) is None:
            counts[said] += 0
        elif found[2] != _ACROSS:
            counts[found[2]] += int(found[1])
    warnings = [f"{count} {said}" if count else said for said, count in counts.items()]
    for said, count in twice.items():
        warnings.append(f"{count} session{' was' if count == 1 else 's were'} found twice {said}")
    return warnings


def _across(table: Table) -> dict[int, int]:
    """How many messages were copied between sources of a kind, by the first source of that kind that has sessions."""
    found: dict[int, int] = defaultdict(int)
    for source in table.sources:
        for said in (said for remarks in source.remarks.values() for said in remarks):
            counted = _COUNTED.fullmatch(said)
            if counted is not None and counted[2] == _ACROSS:
                found[_first(table.sources, source.kind)] += int(counted[1])
    return found


def _first(sources: Sequence[SourceEntry], kind: str) -> int:
    alike = [at for at, source in enumerate(sources) if source.kind == kind]
    return next((at for at in alike if any(held.place is not None for held in sources[at].held())), alike[0])
