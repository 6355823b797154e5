"""The project's own limits of speed, by the size of what is searched; none of them may be bought with quality."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.reporting.report import Report
    from bench.reporting.speed_figures import Measured

FEW, MANY = 20_000, 900_000  # parts: a history is small up to the first, large from the second
P50_OF_FUZZY, P99_OF_FUZZY, P99_OF_FTS5 = 0.8, 1 / 3, 1 / 50
TYPO_AHEAD = 0.05  # of a search that repairs words, beside one that allows one edit
BUILD = 2.5  # times faster than others, at MEDIUM parts
MEDIUM = range(90_000, 110_000)


def check_targets(report: Report, runs: Mapping[str, Measured], parts: int, *, generated: bool) -> None:
    """Check what holds for a history of so many parts, against the engines that ran beside ours."""
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


def _rates(report: Report, ours: Measured, fuzzy: Measured) -> None:
    typo = ours.rate("typo") - fuzzy.rate("typo")
    several = ours.rate("multi-term") - fuzzy.rate("multi-term")
    report.check(f"typo any@10 {100 * TYPO_AHEAD:g} points ahead", typo >= TYPO_AHEAD, f"{100 * typo:+.1f} points")
    report.check("multi-term any@10 not behind", several >= 0, f"{100 * several:+.1f} points")


def _share(report: Report, name: str, share: float, limit: float) -> None:
    report.check(f"{name}: at most {limit:.3g}", share <= limit, f"{share:.3f}")


def _real(report: Report, ours: Measured, fuzzy: Measured | None, fts5: Measured | None) -> None:
    """Limits that are meant for real histories of tens of megabytes."""
    report.check("p50 within 4 ms", ours.at(0.5) <= 4, f"{ours.at(0.5):.2f} ms")
    report.check("p95 within 17 ms", ours.at(0.95) <= 17, f"{ours.at(0.95):.2f} ms")
    if fts5 is not None:
        _share(report, "p50 beside FTS5's", ours.at(0.5) / fts5.at(0.5), 0.2)
        report.check("build within FTS5's CPU", ours.build_cpu <= fts5.build_cpu, f"{ours.build_cpu:.2f} s")
    if fuzzy is not None:
        theirs = fuzzy.at(0.95)
        report.check("p95 within tantivy's with one edit", ours.at(0.95) <= theirs, f"{theirs:.2f} ms")
