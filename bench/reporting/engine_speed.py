"""The measured speed of engines, and the project's limits of speed by the size of the history."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench.reporting.rank_metrics import quantile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.engines import Engine
    from bench.reporting.report import Report

SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
# kinds of query that a faster search could answer worse: misspelt ones, and those of many words
GROUPS = {
    "typo": ("identifier_typo", "identifier_typo_separator", "error_noisy"),
    "multi-term": ("phrase", "words_dropped", "error_string", "first_message_dropped", "question_answer"),
}

FEW, MANY = 20_000, 900_000  # parts of a small history at most, and of a large one at least
P50_OF_FUZZY, P99_OF_FUZZY, P99_OF_FTS5 = 0.8, 1 / 3, 1 / 50
TYPO_AHEAD = 0.05  # share of misspelt queries answered more often than by tantivy with one edit
BUILD = 2.5  # times faster than others, at MEDIUM parts
MEDIUM = range(90_000, 110_000)


@dataclass(slots=True)
class EngineSpeed:
    """The build and the searches of one engine."""

    engine: Engine
    build_cpu: float
    rounds: list[list[float]] = field(default_factory=list)  # ms of every search, one list for each round
    unstable: int = 0  # searches whose second answer differed
    _asked: Counter[str] = field(default_factory=Counter)
    _found: Counter[str] = field(default_factory=Counter)

    @property
    def spent_ms(self) -> list[float]:
        return [spent for one in self.rounds for spent in one]

    @property
    def asked(self) -> int:
        return self._asked.total()

    @property
    def found(self) -> int:
        return self._found.total()

    def at(self, share: float) -> float:
        """Return a quantile of the search times in ms: the median of the quantiles of all rounds."""
        return statistics.median(quantile(one, share) for one in self.rounds)

    def note(self, kind: str, found: bool) -> None:
        """Count a query and whether its answer was among the hits."""
        self._asked[kind] += 1
        self._found[kind] += found

    def asked_of(self, kind: str) -> int:
        """Return the number of queries of a kind or of a group of kinds."""
        return sum(self._asked[one] for one in GROUPS.get(kind, (kind,)))

    def rate(self, kind: str) -> float:
        """Return the share of queries of a kind or group whose answer was among the first ten."""
        return sum(self._found[one] for one in GROUPS.get(kind, (kind,))) / max(1, self.asked_of(kind))


def check_targets(report: Report, runs: Mapping[str, EngineSpeed], parts: int, *, generated: bool) -> None:
    """Check the limits for a history of so many parts, beside the engines that ran in this run."""
    ours, fuzzy, fts5 = runs["ours"], runs.get("tantivy-fuzzy1"), runs.get("fts5")
    if not generated:
        _real(report, ours, fuzzy, fts5)
    if fuzzy is not None:
        if generated and parts <= FEW:
            _share(report, "p50 within tantivy's with one edit", ours.at(0.5) / fuzzy.at(0.5), 1.0)
        if parts >= MANY:
            _share(report, "p50 beside tantivy's with one edit", ours.at(0.5) / fuzzy.at(0.5), P50_OF_FUZZY)
            _share(report, "p99 beside tantivy's with one edit", ours.at(0.99) / fuzzy.at(0.99), P99_OF_FUZZY)
            _rates(report, ours, fuzzy)
    if fts5 is not None and parts >= MANY:
        _share(report, "p99 beside FTS5's", ours.at(0.99) / fts5.at(0.99), P99_OF_FTS5)
    for name in ("fts5", "tantivy"):
        if generated and parts in MEDIUM and (other := runs.get(name)) is not None:
            _share(report, f"build beside {name}'s", ours.build_cpu / other.build_cpu, 1 / BUILD)


def _rates(report: Report, ours: EngineSpeed, fuzzy: EngineSpeed) -> None:
    typo = ours.rate("typo") - fuzzy.rate("typo")
    several = ours.rate("multi-term") - fuzzy.rate("multi-term")
    report.check(f"typo any@10 {100 * TYPO_AHEAD:g} points ahead", typo >= TYPO_AHEAD, f"{100 * typo:+.1f} points")
    report.check("multi-term any@10 not behind", several >= 0, f"{100 * several:+.1f} points")


def _share(report: Report, name: str, share: float, limit: float) -> None:
    report.check(f"{name}: at most {limit:.3g}", share <= limit, f"{share:.3f}")


def _real(report: Report, ours: EngineSpeed, fuzzy: EngineSpeed | None, fts5: EngineSpeed | None) -> None:
    """Check the limits for real histories of tens of megabytes."""
    report.check("p50 within 4 ms", ours.at(0.5) <= 4, f"{ours.at(0.5):.2f} ms")
    report.check("p95 within 17 ms", ours.at(0.95) <= 17, f"{ours.at(0.95):.2f} ms")
    if fts5 is not None:
        _share(report, "p50 beside FTS5's", ours.at(0.5) / fts5.at(0.5), 0.2)
        report.check("build within FTS5's CPU", ours.build_cpu <= fts5.build_cpu, f"{ours.build_cpu:.2f} s")
    if fuzzy is not None:
        theirs = fuzzy.at(0.95)
        report.check("p95 within tantivy's with one edit", ours.at(0.95) <= theirs, f"{theirs:.2f} ms")
