"""How much does a history of a million parts cost to build, store, open and search on several threads?"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench import engines
from bench.datasets import dataset
from bench.datasets.history_files import HISTORIES, read_history, read_queries
from bench.datasets.spooled_history import SpooledHistory
from bench.datasets.timed_sessions import TimedSessions
from bench.engines.ours import UNHURRIED_MS
from bench.reporting.known_items import PAGE
from bench.reporting.rank_metrics import first_rank, quantile
from bench.reporting.report import Report, Table
from bench.reporting.streamed_build import built_apart, sizes_of
from bench.reporting.thread_throughput import throughputs
from recall_rank import Index

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from bench.datasets.history_files import LabelledQuery

# figures of the article about memo-agent, whose messages are texts with a role, as parts are here
ARTICLE_BUILD_MS = 200.0  # 10,000 messages
ARTICLE_QUERY_MS = {10_000: 10.0, 100_000: 50.0}
ARTICLE_INDEX = 0.30  # share of the data
INDEX, INDEX_REAL = 0.45, 0.35  # bytes of the index for each byte of text: of generated and of real histories
BUILD = 2.5  # times faster than others
COMPARED = 100_000  # most parts of a history that several engines build
MILLION = 1_000_000  # parts up to which the lower of two limits holds
PEAK_GIB, OPEN_MS = (1.5, 2.0), (2.0, 5.0)  # up to a million parts, and above
SEARCH_MS = {0.5: 25.0, 0.99: 120.0}  # CPU of a search, quantiles
BUDGET_MS, PAST_MS = 20.0, 5.0  # of a search that may be cut short, and the CPU past that, 99 in 100
FOUR_THREADS = 1.6
FOUND = 0.7  # share of queries that must have an answer among the first ten


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", type=int, default=100_000, help="size of the index on disk (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the histories (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="builds and turns of threads (default %(default)s)")
    parser.add_argument("--queries", type=int, default=100, help="how many of them (default %(default)s)")
    parser.add_argument("--history", type=Path, help="file to keep the generated history in, for the next run")
    parser.add_argument("--engines", default="fts5,tantivy", help="that build beside ours (default %(default)s)")


def run(options: argparse.Namespace) -> Report:
    report = Report("scale", __doc__ or "", f"generated, {options.parts:,} parts, seed {options.seed}")
    _article(report, options)
    _builds(report, options)
    with tempfile.TemporaryDirectory() as folder:
        _on_disk(report, options, Path(folder, "generated"))
        if HISTORIES.is_dir():
            _real(report, Path(folder, "real"))
    return report


def _article(report: Report, options: argparse.Namespace) -> None:
    """Compare the four figures of the article about memo-agent with those of this package."""
    rows = []
    for parts, limit in ARTICLE_QUERY_MS.items():
        data = dataset.generated(parts, options.seed)
        given = list(data.sessions)
        spent = []
        index = Index.build(given)
        for _ in range(options.rounds):
            before = time.process_time()
            index = Index.build(given)
            spent.append((time.process_time() - before) * 1e3)
        build = statistics.median(spent)
        asked = data.queries[:: max(1, len(data.queries) // options.queries)]
        took = [_timed(index, one) for one in asked]
        p50, p99 = quantile(took, 0.5), quantile(took, 0.99)
        with tempfile.TemporaryDirectory() as folder:
            index.save(folder)
            text, others = sizes_of(Path(folder))
        share = others / text
        first = parts == min(ARTICLE_QUERY_MS)
        rows += [
            [f"{parts:,} indexed, CPU ms", f"{ARTICLE_BUILD_MS:g}" if first else "", f"{build:.0f}"],
            [f"{parts:,} searched, CPU ms: p50, p99", f"{limit:g}", f"{p50:.2f}, {p99:.2f}"],
            [f"{parts:,}: index, share of the data", f"{ARTICLE_INDEX:.0%}", f"{share:.0%}"],
        ]
        if first:
            report.check(f"{parts:,} indexed in {ARTICLE_BUILD_MS:g} ms", build <= ARTICLE_BUILD_MS, f"{build:.0f} ms")
        report.check(f"{parts:,} searched in {limit:g} ms", p99 <= limit, f"p99 {p99:.2f} ms")
        _check_found(report, f"{parts:,}", index, asked)
        report.add(f"build {parts}", build, "ms", "lower", 0.3)
        report.add(f"search {parts} p99", p99, "ms", "lower", 0.3, len(took))
    report.tables.append(Table("beside the figures of memo-agent's article", ["messages", "article", "ours"], rows))


def _builds(report: Report, options: argparse.Namespace) -> None:
    """Measure the CPU time of builds, interleaved between engines."""
    parts = min(COMPARED, options.parts)
    names = ["ours", *options.engines.split(",")]
    data = dataset.generated(parts, options.seed)
    spent: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(options.rounds):
        for name in names:
            engine, given = engines.create(name), TimedSessions(data.sessions)
            before = time.process_time()
            engine.build(given)
            spent[name].append(time.process_time() - before - given.spent)
            query = next(one for one in data.queries if one.kind == "identifier")
            found = first_rank(map(tuple, engine.search(query.query, PAGE)), query.good)
            report.check(f"{name} answers", found is not None, query.query)
    median = {name: statistics.median(times) for name, times in spent.items()}
    rows = [[name, f"{took:.2f}", f"{took / median['ours']:.2f}"] for name, took in median.items()]
    report.tables.append(Table(f"build of {parts:,} parts", ["engine", "CPU s", "times ours"], rows))
    for name in names[1:]:
        times = median[name] / median["ours"]
        report.add(f"build, {name} beside ours", times, "times", "higher", 0.2)
        report.check(f"build {BUILD:g} times faster than {name}", times >= BUILD, f"{times:.2f}")


def _on_disk(report: Report, options: argparse.Namespace, folder: Path) -> None:
    """Measure an index that a process of its own builds from a stream of sessions, then opens and searches."""
    history = SpooledHistory(options.parts, options.seed, options.history)
    made = built_apart(history, folder)
    text, others = sizes_of(folder)
    peak = made["peak"] / 2**30
    opening = _opening(folder)
    share = others / text
    peak_limit, open_limit = (limits[options.parts > MILLION] for limits in (PEAK_GIB, OPEN_MS))
    rows = [
        ["build, CPU s", f"{made['cpu']:.1f}", ""],
        ["build, peak GiB", f"{peak:.2f}", f"{peak_limit:g}"],
        ["text, MB", f"{text / 1e6:.0f}", ""],
        ["index beside the text", f"{share:.1%}", f"{INDEX:.0%}"],
        ["open, CPU ms", f"{opening:.2f}", f"{open_limit:g}"],
    ]
    report.add("index beside text", share, "share", "lower", 0.02)
    report.add("peak", peak, "GiB", "lower", 0.1)
    report.add("open", opening, "ms", "lower", 0.5)
    report.check(f"a build within {peak_limit:g} GiB", peak <= peak_limit, f"{peak:.2f} GiB")
    report.check(f"an index within {INDEX:.0%} of its text", share <= INDEX, f"{share:.1%}")
    report.check(f"open within {open_limit:g} ms", opening <= open_limit, f"{opening:.2f} ms")
    asked = history.queries[:: max(1, len(history.queries) // options.queries)]
    with Index.open(folder) as index:
        _check_found(report, "on disk", index, asked)
        rows += _searches(report, index, asked)
        one, four, alike = throughputs(index, [query.query for query in asked], options.rounds)
        rows.append(["searches a second: 1 thread, 4 threads", f"{one:.0f}, {four:.0f}", f"{FOUR_THREADS:g} times"])
        report.check("every thread gives equal answers", alike)
        report.add("4 threads beside 1", four / one, "times", "higher", 0.2)
        report.check(f"4 threads {FOUR_THREADS:g} times as fast", four >= FOUR_THREADS * one, f"{four / one:.2f}")
    report.tables.append(Table(f"{options.parts:,} parts on disk", ["what", "measured", "limit"], rows))


def _searches(report: Report, index: Index, asked: Sequence[LabelledQuery]) -> list[list[str]]:
    """Return rows about the CPU of searches that take as long as they need, and about those with a budget."""
    took = [_timed(index, query) for query in asked]
    past = [max(0.0, _timed(index, query, BUDGET_MS) - BUDGET_MS) for query in asked]
    rows = []
    for share, limit in SEARCH_MS.items():
        label, spent = f"search, CPU ms, p{share * 100:g}", quantile(took, share)
        rows.append([label, f"{spent:.2f}", f"{limit:g}"])
        report.add(label, spent, "ms", "lower", 0.3, len(took))
        report.check(f"{label} within {limit:g}", spent <= limit, f"{spent:.2f}")
    late = quantile(past, 0.99)
    rows.append([f"CPU ms past a budget of {BUDGET_MS:g}, p99", f"{late:.2f}", f"{PAST_MS:g}"])
    report.check(f"a budget of {BUDGET_MS:g} ms is kept", late <= PAST_MS, f"p99 {late:.2f} ms past it")
    return rows


def _real(report: Report, folder: Path) -> None:
    index = Index.build(read_history(HISTORIES))
    index.save(folder)
    text, others = sizes_of(folder)
    share = others / text
    rows = [["index beside the text", f"{share:.1%}", f"{INDEX_REAL:.0%}"]]
    report.tables.append(Table("real histories on disk", ["what", "measured", "limit"], rows))
    report.add("index beside text, real", share, "share", "lower", 0.02)
    report.check(f"real: an index within {INDEX_REAL:.0%} of its text", share <= INDEX_REAL, f"{share:.1%}")
    asked = [query for query in read_queries(HISTORIES / "queries.jsonl") if query.kind == "identifier"]
    with Index.open(folder) as opened:
        _check_found(report, "real", opened, asked)


def _opening(folder: Path) -> float:
    spent = []
    for _ in range(25):
        before = time.thread_time()
        index = Index.open(folder)
        spent.append((time.thread_time() - before) * 1e3)
        index.close()
    return statistics.median(spent)


def _timed(index: Index, query: LabelledQuery, budget_ms: float = UNHURRIED_MS) -> float:
    before = time.thread_time()
    index.search(query.query, results=PAGE, before=query.before, budget_ms=budget_ms)
    return (time.thread_time() - before) * 1e3


def _check_found(report: Report, label: str, index: Index, asked: Sequence[LabelledQuery]) -> None:
    found = 0
    for query in asked:
        results = index.search(query.query, results=PAGE, before=query.before, budget_ms=UNHURRIED_MS).results
        found += any((hit.session_id, hit.message_id, hit.part_id) in query.good for hit in results)
    report.check(f"{label}: answers are found", found >= FOUND * len(asked), f"{found} of {len(asked)}")
