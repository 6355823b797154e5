"""How much CPU does a search with ten snippets take, beside other engines on the same queries in the same run?"""

from __future__ import annotations

import gc
import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench import dataset, engines
from bench.engines import Engine, HasPages, Hit
from bench.evaluate_items import PAGE, SESSION_ONLY
from bench.ranks import first_rank, quantile
from bench.report import Plot, Report, Table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from bench.data import LabelledQuery

DEFAULT = "ours,fts5,tantivy,tantivy-fuzzy1,bm25s"
SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


@dataclass(slots=True)
class Measured:
    """One engine's build and its searches."""

    engine: Engine
    build_cpu: float
    spent_ms: list[float] = field(default_factory=list)
    found: int = 0
    asked: int = 0
    unstable: int = 0  # searches that answered otherwise the second time

    def at(self, share: float) -> float:
        return quantile(self.spent_ms, share)


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument(
        "--engines", default=DEFAULT, help="names or module:Class, comma separated (default %(default)s)"
    )
    parser.add_argument("--queries", type=int, default=200, help="how many, drawn evenly from all (0 = all)")
    parser.add_argument("--targets", action="store_true", help="also check the project's own limits")


def run(options: argparse.Namespace) -> Report:
    data = dataset.load(options)
    report = Report("speed", __doc__ or "", data.name)
    runs = [_build(name, data) for name in options.engines.split(",")]
    gc.collect()
    gc.freeze()  # the collector's walks over the benchmark's own records are no engine's work
    for query in _draw(data.queries, options.queries):
        for one in runs:  # interleaved: a noisy moment strikes all alike
            _search(one, query)
    for one in runs:
        _record(report, one)
    columns = ["engine", "build CPU s", *(f"{name} ms" for name in SHARES), "max ms", "answer in ten"]
    report.tables.append(Table("CPU of one search with ten snippets", columns, [_row(one) for one in runs]))
    spent = {one.engine.name: one.spent_ms for one in runs}
    report.plots.append(Plot("cumulative", "CPU ms of one search with ten snippets", spent))
    if options.targets:
        _targets(report, {one.engine.name: one for one in runs})
    return report


def _build(name: str, data: dataset.Dataset) -> Measured:
    engine = engines.create(name)
    before = time.process_time()
    engine.build(data.sessions)
    built = Measured(engine, time.process_time() - before)
    for query in data.queries[:3]:  # caches filled, imports done
        _page(engine, query.query)
    return built


def _draw(queries: Sequence[LabelledQuery], count: int) -> list[LabelledQuery]:
    if not count or count >= len(queries):
        return list(queries)
    return random.Random(1).sample(list(queries), count)


def _page(engine: Engine, query: str) -> object:
    return engine.page(query, PAGE) if isinstance(engine, HasPages) else engine.search(query, PAGE)


def _search(one: Measured, query: LabelledQuery) -> None:
    before = time.thread_time()
    _page(one.engine, query.query)
    one.spent_ms.append((time.thread_time() - before) * 1e3)
    hits = one.engine.search(query.query, PAGE)
    one.unstable += list(hits) != list(one.engine.search(query.query, PAGE))
    if query.kind != SESSION_ONLY:
        one.asked += 1
        one.found += first_rank(map(Hit._make, hits), query.good) is not None


def _record(report: Report, one: Measured) -> None:
    name = one.engine.name
    report.add(f"{name}/build cpu", one.build_cpu, "s", "lower", 0.3)
    for label, share in SHARES.items():
        report.add(f"{name}/cpu {label}", one.at(share), "ms", "lower", 0.3, len(one.spent_ms))
    report.add(f"{name}/answer in ten", one.found / max(1, one.asked), "share", "higher", 0.01, one.asked)
    report.check(f"{name} finds answers", one.found > 0, f"{one.found} of {one.asked}")
    report.check(f"{name} answers the same question the same way", not one.unstable, f"{one.unstable} differed")


def _row(one: Measured) -> list[str]:
    times = [f"{one.at(share):.2f}" for share in SHARES.values()]
    return [one.engine.name, f"{one.build_cpu:.2f}", *times, f"{max(one.spent_ms):.1f}", f"{one.found}/{one.asked}"]


def _targets(report: Report, runs: dict[str, Measured]) -> None:
    ours = runs["ours"]
    report.check("p50 within 4 ms", ours.at(0.5) <= 4, f"{ours.at(0.5):.2f} ms")
    report.check("p95 within 17 ms", ours.at(0.95) <= 17, f"{ours.at(0.95):.2f} ms")
    if fts5 := runs.get("fts5"):
        share = ours.at(0.5) / fts5.at(0.5)
        report.check("p50 within a fifth of FTS5", share <= 0.2, f"{share:.3f}")
        report.check("build within FTS5's CPU", ours.build_cpu <= fts5.build_cpu, f"{ours.build_cpu:.2f} s")
    if tantivy := runs.get("tantivy-fuzzy1"):
        report.check(
            "p95 within tantivy's with one edit", ours.at(0.95) <= tantivy.at(0.95), f"{tantivy.at(0.95):.2f} ms"
        )
