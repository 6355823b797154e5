"""What does it cost to search several indexes as one, by threads and by processes, instead of one index?"""

from __future__ import annotations

import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bench.datasets.spooled_history import SpooledHistory
from bench.reporting.rank_metrics import quantile
from bench.reporting.report import Report, Table
from recall_rank import Index, Shards
from recall_rank.index.errors import MissingIndexError
from recall_rank.shards.contract import Shard, ShardContents
from recall_rank.shards.process_shard import ProcessShard
from recall_rank.shards.wire import to_bytes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from recall_rank.index.shards.questions import ShardReply, ShardRequest
    from recall_rank.model import Session

NOW = 1_764_158_400_000
UNHURRIED_MS = 60_000.0
Searched: TypeAlias = Index | Shards


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", type=int, default=100_000, help="of all shards together (default %(default)s)")
    parser.add_argument("--shards", type=int, default=4, help="indexes of about equal size (default %(default)s)")
    parser.add_argument("--queries", type=int, default=50, help="how many of them (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of every query (default %(default)s)")
    parser.add_argument("--clients", default="1,4,16", help="that search at the same time (default %(default)s)")
    parser.add_argument("--history", type=Path, help="file to keep the generated history in, for the next run")
    parser.add_argument("--indexes", type=Path, help="folder to keep the indexes in, for the next run")
    parser.add_argument("--ray", action="store_true", help="ask actors of Ray, too (extra ray)")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Report:
    data = f"generated, {options.parts:,} parts in {options.shards} shards, seed {options.seed}"
    report = Report("shards", __doc__ or "", data)
    with tempfile.TemporaryDirectory() as made:
        history = SpooledHistory(options.parts, options.seed, options.history)
        place = (options.indexes or Path(made)) / f"{options.parts}-{options.seed}"
        one, *folders = _built(history, options.shards, place)
        step = max(1, len(history.queries) // options.queries)
        queries = [each.query for each in history.queries[::step]]
        counted = [CountingShard(ProcessShard(each)) for each in folders]
        with (
            Index.open(one) as index,
            Shards.open(folders) as threads,
            Shards.open(folders, workers="processes") as processes,
            Shards(counted) as counting,
        ):
            searched: dict[str, Searched] = {"one index": index, "threads": threads, "processes": processes}
            with Shards.open(folders, workers="ray") if options.ray else nullcontext() as actors:
                if actors is not None:
                    searched["actors of Ray"] = actors
                _times(report, searched, queries, options)
            _bytes(report, counting, counted, queries)
    return report


def _built(history: SpooledHistory, shards: int, folder: Path) -> list[Path]:
    """Return the folder of one index, and those of shards which have its sessions in turns. What is there is kept."""
    given: dict[Path, Iterable[Session]] = {folder / "one": history}
    given |= {folder / f"shard-{number}-of-{shards}": islice(history, number, None, shards) for number in range(shards)}
    for place, sessions in given.items():
        try:
            Index.open(place).close()
        except MissingIndexError:
            Index.build(sessions, folder=place).close()
    return list(given)


def _times(report: Report, searched: dict[str, Searched], queries: Sequence[str], options: argparse.Namespace) -> None:
    """Report the time of a search, each query by all in turn, and how many a second several clients get."""
    taken: dict[str, list[float]] = {name: [] for name in searched}
    different = late = 0
    for round_number in range(options.rounds + 1):
        for query in queries:
            answers = []
            for name, each in searched.items():
                begun = time.perf_counter()
                answers.append(_answer(each, query))
                if round_number:  # the first round reads what later ones have
                    taken[name].append((time.perf_counter() - begun) * 1e3)
            different += any(answer != answers[0] for answer in answers)
            late += any("time" in answer["degrade_kinds"] for answer in answers)
    clients = [int(count) for count in options.clients.split(",")]
    rates = {name: [_rate(each, queries, count) for count in clients] for name, each in searched.items()}
    base = quantile(taken["one index"], 0.5)
    rows = [
        [
            name,
            *(f"{quantile(times, share):.2f}" for share in (0.5, 0.99)),
            f"{quantile(times, 0.5) / base:.2f}",
            *(f"{rate:,.0f}" for rate in rates[name]),
        ]
        for name, times in taken.items()
    ]
    columns = ["searched", "p50 ms", "p99 ms", "p50 ratio", *(f"a second, {count} clients" for count in clients)]
    report.tables.append(Table(f"{len(queries):,} queries, {options.rounds} turns", columns, rows))
    for name, times in taken.items():
        if name != "one index":
            report.add(f"{name}, p50 over one index", quantile(times, 0.5) / base, "", "lower", 0.5, len(times))
    report.check("every answer is that of one index", not different, f"{different} differ, {late} were cut short")


def _bytes(report: Report, shards: Shards, counted: Sequence[CountingShard], queries: Sequence[str]) -> None:
    """Report how many bytes a search moves between processes."""
    for query in queries:
        shards.search(query, now=NOW, budget_ms=UNHURRIED_MS)
    moved = sum(each.moved for each in counted) / len(queries)
    asked = sum(each.asked for each in counted) / len(queries) / len(counted)
    rows = [[f"{moved:,.0f}", f"{moved / len(counted):,.0f}", f"{asked:.1f}"]]
    report.tables.append(Table("between processes", ["bytes a search", "a shard", "questions to a shard"], rows))
    report.add("bytes a search", moved, "", "lower", 0.2, len(queries))


def _answer(searched: Searched, query: str) -> dict[str, Any]:
    """Return all that a response says but for how long it took."""
    said = searched.search(query, now=NOW, budget_ms=UNHURRIED_MS).to_dict()
    return {name: value for name, value in said.items() if name not in ("elapsed_ms", "cpu_ms")}


def _rate(searched: Searched, queries: Sequence[str], clients: int) -> float:
    """Return how many searches a second are answered when `clients` threads search at the same time."""
    search: Callable[[str], Any] = lambda query: searched.search(query, now=NOW, budget_ms=UNHURRIED_MS)  # noqa: E731
    with ThreadPoolExecutor(clients) as pool:
        begun = time.perf_counter()
        list(pool.map(search, [*queries, *queries]))
        return 2 * len(queries) / (time.perf_counter() - begun)


class CountingShard:
    """A shard that counts the questions to it, and the bytes of these and of the answers."""

    def __init__(self, shard: Shard) -> None:
        self.name = shard.name
        self.moved = self.asked = 0
        self._shard = shard

    def contents(self) -> ShardContents:
        return self._shard.contents()

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        self.asked += 1
        self.moved += len(to_bytes(request))
        future = self._shard.submit(request)
        future.add_done_callback(self._count)
        return future

    def _count(self, future: Future[ShardReply]) -> None:
        if not future.cancelled() and future.exception() is None:
            self.moved += len(to_bytes(future.result()))

    def close(self) -> None:
        self._shard.close()
