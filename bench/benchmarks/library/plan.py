"""How many machines would a billion parts take, what would they cost, and how long would a search wait for them?"""

from __future__ import annotations

import statistics
import tempfile
import time
from concurrent.futures import Future
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.datasets.generate import mentions, sessions
from bench.reporting.fan_out import Cluster, latencies
from bench.reporting.rank_metrics import quantile
from bench.reporting.report import Report, Table
from recall_rank import Index, Shards
from recall_rank.shards.contract import ShardContents, folder_contents
from recall_rank.shards.worker import ShardWorker

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from recall_rank.index.shards.questions import ShardReply, ShardRequest

NOW: Final = 1_764_158_400_000
UNHURRIED_MS: Final = 60_000.0
COUNTS: Final = (1, 2, 4, 8)  # shards with which the work of the one who asks is measured
FILLED: Final = 0.8  # of a machine's memory, by the files of its shards
GIB: Final = 1 << 30


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--parts", type=int, default=400_000, help="of the shard that is measured (default %(default)s)"
    )
    parser.add_argument("--wanted", type=int, default=1_000_000_000, help="parts to plan for (default %(default)s)")
    parser.add_argument("--sizes", default="5e6,10e6,20e6", help="parts of a shard to plan with (default %(default)s)")
    parser.add_argument("--queries", type=int, default=100, help="how many of them (default %(default)s)")
    parser.add_argument("--rates", default="1,10,50", help="searches a second (default %(default)s)")
    parser.add_argument("--searches", type=int, default=2_000, help="that are simulated (default %(default)s)")
    parser.add_argument("--replicas", type=int, default=2, help="of each shard (default %(default)s)")
    parser.add_argument(
        "--network-ms", type=float, default=0.5, help="one way, in one data centre (default %(default)s)"
    )
    parser.add_argument("--cores", type=int, default=8, help="of a machine (default %(default)s)")
    parser.add_argument("--memory", type=int, default=64, help="GiB of a machine (default %(default)s)")
    parser.add_argument("--dollars", type=float, default=300.0, help="a machine a month, assumed (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Report:
    report = Report("plan", __doc__ or "", f"generated, {options.parts:,} parts in a shard, seed {options.seed}")
    queries = [each.text for each in islice(mentions(options.parts, options.seed), options.queries)]
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder) / "large", Path(folder) / "small"
        Index.build(sessions(options.parts, options.seed), folder=large).close()
        Index.build(sessions(options.parts // 4, options.seed + 1), folder=small).close()
        size = sum(path.stat().st_size for path in large.iterdir()) / options.parts
        services, _ = _measured([large], queries)
        quarter, _ = _measured([small], queries)
        asking = [statistics.median(_measured([small] * count, queries)[1]) for count in COUNTS]
    slope, base = statistics.linear_regression(COUNTS, asking)
    growth = max(0.0, (statistics.median(services) - statistics.median(quarter)) / (options.parts * 0.75))
    report.tables.append(_inputs(services, size, growth, base, slope))
    _check_queue(report, options.seed)
    rows = []
    for parts in [int(float(each)) for each in options.sizes.split(",")]:
        factor = 1 + growth * (parts - options.parts) / statistics.median(services)
        shards = -(-options.wanted // parts)
        on_machine = max(1, int(options.memory * GIB * FILLED / (parts * size)))
        machines = -(-shards * options.replicas // on_machine)
        workers = max(1, options.cores // on_machine)
        scaled = [each * factor for each in services]
        for rate in [float(each) for each in options.rates.split(",")]:
            told = _simulated(options, shards, workers, scaled, rate)
            load = rate * statistics.mean(scaled) / 1e3 / options.replicas / workers
            rows.append(
                [
                    f"{parts / 1e6:g} million", f"{shards:,}", f"{shards * parts * size / 1e9:,.0f}", f"{machines:,}",
                    f"{machines * options.dollars:,.0f}", f"{rate:g}", f"{load:.0%}",
                    *(f"{each + base + slope * shards:,.0f}" if load < 1 else "overloaded" for each in told),
                ]
            )  # fmt: skip
    columns = ["parts of a shard", "shards", "GB", "machines", "dollars a month", "searches a second", "load"]
    waits = ["p50 ms", "p99 ms", "p99 ms, hedged after p95"]
    machine = f"{options.cores} cores and {options.memory} GiB a machine"
    title = f"{options.wanted:,} parts, {options.replicas} replicas, {machine}"
    report.tables.append(Table(title, [*columns, *waits], rows))
    report.add("bytes of the index a part", size, "B", "lower", 0.05, options.parts)
    report.add("work of the one who asks, for one more shard", slope, "ms", "lower", 0.5, len(queries))
    return report


def _simulated(
    options: argparse.Namespace, shards: int, workers: int, services: Sequence[float], rate: float
) -> tuple[float, float, float]:
    """Return p50 and p99 of the time that searches wait for all shards, and p99 with hedging, in ms."""
    plain = Cluster(shards, options.replicas, workers, options.network_ms)
    waits = latencies(plain, services, rate, options.searches, options.seed)
    late = quantile(services, 0.95) + 2 * options.network_ms
    hedged = Cluster(shards, options.replicas, workers, options.network_ms, late)
    again = latencies(hedged, services, rate, options.searches, options.seed)
    return quantile(waits, 0.5), quantile(waits, 0.99), quantile(again, 0.99)


def _measured(folders: Sequence[Path], queries: Sequence[str]) -> tuple[list[float], list[float]]:
    """Return, for each query, the CPU time that the shards work on average, and that of the one who asks, in ms."""
    shards = [TimedShard(f"{number}", folder) for number, folder in enumerate(folders)]
    working: list[float] = []
    asking: list[float] = []
    with Shards(shards) as searched:
        for warm in (False, True):
            for query in queries:
                for shard in shards:
                    shard.worked = 0.0
                begun = time.thread_time()
                searched.search(query, now=NOW, budget_ms=UNHURRIED_MS)
                used = (time.thread_time() - begun) * 1e3
                if warm:
                    own = sum(shard.worked for shard in shards)
                    working.append(own / len(shards))
                    asking.append(used - own)
    return working, asking


def _inputs(services: Sequence[float], size: float, growth: float, base: float, slope: float) -> Table:
    rows = [
        ["bytes of the index a part", f"{size:,.0f}"],
        [
            "CPU ms of a shard: p50, p95, p99",
            ", ".join(f"{quantile(services, each):.2f}" for each in (0.5, 0.95, 0.99)),
        ],
        ["more ms for a million more parts", f"{growth * 1e6:.2f}"],
        ["CPU ms of the one who asks: one shard, one more", f"{base + slope:.2f}, {slope:.2f}"],
    ]
    return Table("measured", ["input", "value"], rows)


def _check_queue(report: Report, seed: int) -> None:
    """Check the simulation against queueing theory: one worker with exponential service times (M/M/1) answers in
    service / (1 - load) on average.
    """
    import random

    chance = random.Random(seed)
    services = [chance.expovariate(1 / 10) for _ in range(20_000)]
    mean = statistics.mean(services)
    waits = latencies(Cluster(1, 1, 1, 0.0), services, 500 / mean, 60_000, seed)
    found, expected = statistics.mean(waits), mean / (1 - 0.5)
    report.check(
        "the simulated queue is that of theory", abs(found / expected - 1) < 0.1, f"{found:.1f}, {expected:.1f} ms"
    )


class TimedShard:
    """A shard that answers at once, and counts the CPU time that it works, in ms."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.worked = 0.0
        self._contents = folder_contents(folder)
        self._worker = ShardWorker(lambda: (self._contents.generation, self._contents.reader))

    def contents(self) -> ShardContents:
        return self._contents

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        begun = time.thread_time()
        reply = self._worker.answer(request)
        self.worked += (time.thread_time() - begun) * 1e3
        future: Future[ShardReply] = Future()
        future.set_result(reply)
        return future

    def close(self) -> None:
        """Do nothing: the segments are closed with their last reader."""
