"""The paired difference of two rankings over queries, with its bootstrap interval."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.reporting.report import Table
from recall_rank.evaluation.metrics import bootstrap, mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.reporting.report import Report

PerMeasure = dict[str, dict[str, float]]  # measure -> query id -> value


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of ours minus theirs over the queries that both answered, with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.mean:+.4f} [{self.low:+.4f}, {self.high:+.4f}] n={self.n}"


def paired(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Difference:
    """Return the paired difference; equal inputs give equal intervals. Raises ValueError when no query is in both."""
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        raise ValueError("the two runs have no query in common")
    gaps = [ours[key] - theirs[key] for key in shared]
    return Difference(mean(gaps), *bootstrap(gaps), len(shared))


def interval_cells(report: Report, name: str, ours: Mapping[str, float], theirs: Mapping[str, float]) -> list[str]:
    """Return the mean of theirs over the common queries, and the mean, low, high and n of ours minus theirs; the low
    end becomes a figure of the report.
    """
    gap = paired(ours, theirs)
    report.add(f"{name}/low", gap.low, "share", "higher", 0.1, gap.n)
    mean_of_theirs = sum(theirs[key] for key in ours if key in theirs) / gap.n
    return [f"{mean_of_theirs:.3f}", f"{gap.mean:+.4f}", f"{gap.low:+.4f}", f"{gap.high:+.4f}", str(gap.n)]


def compare_pairs(report: Report, title: str, engines: Mapping[str, PerMeasure]) -> None:
    """Add a table of the paired difference of every two engines, the earlier one minus the later one, for each measure
    that both have; no table for a single engine.
    """
    rows = [
        [
            f"{first} - {second}",
            measure,
            *interval_cells(report, f"{first} - {second}, both run/{measure}", ours, theirs),
        ]
        for first, second in itertools.combinations(engines, 2)
        for measure, ours in engines[first].items()
        if ours.keys() & (theirs := engines[second].get(measure, {})).keys()
    ]
    if rows:
        columns = ["engines", "measure", "second", "mean", "low", "high", "n"]
        report.tables.append(Table(f"{title} of every two engines, 95 % interval", columns, rows))
