"""How much CPU does a search with ten snippets take, beside other engines on equal queries?"""

from __future__ import annotations

import gc
import random
import time
from typing import TYPE_CHECKING

from bench import engines
from bench.datasets import dataset
from bench.datasets.timed_sessions import TimedSessions
from bench.engines import Engine, HasModes, HasPages, Hit, cpu_clock
from bench.reporting.earlier_hits import NO_TIMES, earlier_hits, message_times
from bench.reporting.engine_speed import GROUPS, SHARES, EngineSpeed, check_targets
from bench.reporting.known_items import PAGE, SESSION_ONLY
from bench.reporting.rank_metrics import first_rank
from bench.reporting.report import Plot, Report, Table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from bench.datasets.history_files import LabelledQuery
    from bench.reporting.earlier_hits import Times

DEFAULT = "ours,fts5,tantivy,tantivy-fuzzy1,bm25s"


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser, several=True)
    parser.add_argument(
        "--engines", default=DEFAULT, help="names or module:Class, comma separated (default %(default)s)"
    )
    parser.add_argument("--queries", type=int, default=200, help="how many, drawn evenly from all (0 = all)")
    parser.add_argument("--rounds", type=int, default=1, help="runs over the queries; figures are their medians")
    parser.add_argument("--targets", action="store_true", help="also check the project's own limits")


def run(options: argparse.Namespace) -> Iterator[Report]:
    for data in dataset.load_all(options):
        yield _measure(data, options)


def _measure(data: dataset.Dataset, options: argparse.Namespace) -> Report:
    report = Report("speed", __doc__ or "", data.name, {"queries": options.queries, "rounds": options.rounds})
    runs = [_build(name, data) for name in options.engines.split(",")]
    gc.collect()
    gc.freeze()  # no engine pays for a collection over the benchmark's records
    drawn = _draw(data.queries, options.queries)
    times = message_times(data.sessions) if any(query.before is not None for query in drawn) else NO_TIMES
    for number in range(options.rounds):
        for one in runs:
            one.rounds.append([])
        for query in drawn:
            for one in runs:  # interleaved, so that other load affects all of them
                _time(one, query)
                if not number:
                    _look(one, query, times)
    gc.unfreeze()
    for one in runs:
        _record(report, one)
    columns = ["engine", "build CPU s", *(f"{name} ms" for name in SHARES), "max ms", "answer in ten"]
    report.tables.append(Table("CPU of one search with ten snippets", columns, [_row(one) for one in runs]))
    kinds = [kind for kind in (*GROUPS, *dict.fromkeys(query.kind for query in drawn)) if runs[0].asked_of(kind)]
    rows = [[kind, str(runs[0].asked_of(kind)), *(f"{one.rate(kind):.3f}" for one in runs)] for kind in kinds]
    columns = ["kind", "n", *(one.engine.name for one in runs)]
    report.tables.append(Table("share of queries with an answer among the first ten", columns, rows))
    spent = {one.engine.name: one.spent_ms for one in runs}
    report.plots.append(Plot("cumulative", "CPU ms of one search with ten snippets", spent))
    if options.targets:
        parts = sum(len(message.parts) for session in data.sessions for message in session.messages)
        check_targets(report, {one.engine.name: one for one in runs}, parts, generated=data.generated)
    return report


def _build(name: str, data: dataset.Dataset) -> EngineSpeed:
    engine = engines.create(name)
    sessions = TimedSessions(data.sessions)
    before = time.process_time()
    engine.build(sessions)
    built = EngineSpeed(engine, time.process_time() - before - sessions.spent)
    for query in data.queries[:3]:  # fills caches and does late imports
        _page(engine, query)
    return built


def _draw(queries: Sequence[LabelledQuery], count: int) -> list[LabelledQuery]:
    if not count or count >= len(queries):
        return list(queries)
    return random.Random(1).sample(list(queries), count)


def _page(engine: Engine, query: LabelledQuery) -> object:
    """Search for ten results with snippets: of earlier messages where the query has a moment and the engine filters."""
    if query.before is not None and isinstance(engine, HasModes):
        return engine.search_mode(query.query, PAGE, "smart", query.before)
    return engine.page(query.query, PAGE) if isinstance(engine, HasPages) else engine.search(query.query, PAGE)


def _time(one: EngineSpeed, query: LabelledQuery) -> None:
    clock = cpu_clock(one.engine)
    before = clock()
    _page(one.engine, query)
    one.rounds[-1].append((clock() - before) * 1e3)


def _look(one: EngineSpeed, query: LabelledQuery, times: Times) -> None:
    """Note whether the answer is among the hits, and whether a second search gives equal hits."""
    hits = earlier_hits(one.engine, query, PAGE, "smart", times)
    one.unstable += list(hits) != list(earlier_hits(one.engine, query, PAGE, "smart", times))
    if query.kind != SESSION_ONLY:
        one.note(query.kind, first_rank(map(Hit._make, hits), query.good) is not None)


def _record(report: Report, one: EngineSpeed) -> None:
    name = one.engine.name
    report.add(f"{name}/build cpu", one.build_cpu, "s", "lower", 0.3)
    for label, share in SHARES.items():
        report.add(f"{name}/cpu {label}", one.at(share), "ms", "lower", 0.3, len(one.spent_ms))
    report.add(f"{name}/answer in ten", one.found / max(1, one.asked), "share", "higher", 0.01, one.asked)
    for group in GROUPS:
        if asked := one.asked_of(group):
            report.add(f"{name}/{group} any@10", one.rate(group), "share", "higher", 0.01, asked)
    report.check(f"{name} finds answers", one.found > 0, f"{one.found} of {one.asked}")
    report.check(f"{name} gives equal answers to equal queries", not one.unstable, f"{one.unstable} differed")


def _row(one: EngineSpeed) -> list[str]:
    times = [f"{one.at(share):.2f}" for share in SHARES.values()]
    return [one.engine.name, f"{one.build_cpu:.2f}", *times, f"{max(one.spent_ms):.1f}", f"{one.found}/{one.asked}"]
