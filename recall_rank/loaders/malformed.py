"""Bounded lists of malformed records and of warnings: the first thousand are listed, the others are counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recall_rank.loaders.limits import limits
from recall_rank.model import Malformed


def add_malformed(found: list[Malformed], *records: Malformed) -> None:
    """Append malformed records to `found`; when the list is full, add their count to the last entry instead, which
    stands for all records that are not listed.

    The sum of the counts is exact. The last entry has no location when its records lie in several files.
    """
    if not records:
        return
    most = limits().listed
    for bad in records:
        if len(found) < most:
            found.append(bad)
        elif len(found) == most:
            found.append(Malformed(bad.location, f"{bad.place} and on", "not listed one by one", bad.count))
        else:
            rest = found[-1]
            location = rest.location if rest.location == bad.location else ""
            found[-1] = Malformed(location, rest.place, rest.reason, rest.count + bad.count)


def bounded_malformed(records: Iterable[Malformed]) -> list[Malformed]:
    """Return the records as a list that has at most `limits().listed` of them and, when there are more, one more entry
    with the number of the others.
    """
    found: list[Malformed] = []
    for bad in records:
        add_malformed(found, bad)
    return found


def bounded_warnings(warnings: Sequence[str]) -> list[str]:
    """Return the first `limits().listed` warnings and, when there are more, one with the number of the others."""
    most = limits().listed
    if len(warnings) <= most:
        return list(warnings)
    return [*warnings[:most], f"{len(warnings) - most:,} more warnings are not listed"]


def count(counts: dict[str, int], warning: str) -> None:
    """Add one to the number of records that a warning stands for."""
    counts[warning] = counts.get(warning, 0) + 1
