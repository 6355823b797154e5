"""How much of an index in a store does a search fetch, cold and warm, and what CPU does it take beside a local one?"""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.datasets import dataset
from bench.datasets.spooled_history import SpooledHistory
from bench.engines.ours import UNHURRIED_MS
from bench.reporting.rank_metrics import quantile
from bench.reporting.report import Report, Table
from bench.reporting.streamed_build import built_apart, sizes_of
from recall_rank import Index

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from bench.datasets.history_files import LabelledQuery
    from recall_rank.model import SearchResponse

COLD, MISSPELT_COLD = 0.02, 0.06  # share of the index, its texts unpacked, that a cold search fetches, from MILLION
MILLION = 1_000_000
DRAWN = 20_000  # parts that queries are drawn from: a larger history begins with these
MISSPELT, SPELT = "a word is misspelt", "all words are known"


@dataclass(frozen=True, slots=True)
class Asked:
    """What one query took: bytes and requests of the first search over an empty cache, and CPU in ms."""

    misspelt: bool
    fetched: int
    requests: int
    local_ms: float
    cold_ms: float
    warm_ms: float


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", type=int, default=20_000, help="size of the index (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the history (default %(default)s)")
    parser.add_argument("--queries", type=int, default=4, help="how many of each kind (default %(default)s)")
    parser.add_argument("--index", type=Path, help="an index of this history that was built before")


def run(options: argparse.Namespace) -> Report:
    report = Report("remote", __doc__ or "", f"generated, {options.parts:,} parts, seed {options.seed}")
    with tempfile.TemporaryDirectory() as given:
        place = options.index or Path(given, "index")
        if options.index is None:
            built_apart(SpooledHistory(options.parts, options.seed), place)
        size = sum(sizes_of(place))
        queries = _queries(min(options.parts, DRAWN), options.seed, options.queries)
        asked = _asked(report, place, Path(given, "cache"), queries)
    rows = []
    for name, misspelt, limit in ((SPELT, False, COLD), (MISSPELT, True, MISSPELT_COLD)):
        some = [each for each in asked if each.misspelt is misspelt]
        shares = [each.fetched / size for each in some]
        rows.append(_row(name, some, shares))
        report.add(f"{name}: share fetched, p95", quantile(shares, 0.95), "share", "lower", 0.05, len(some))
        requests = [float(each.requests) for each in some]
        report.add(f"{name}: requests, p50", quantile(requests, 0.5), "", "lower", 0.1, len(some))
        if options.parts >= MILLION:
            common = quantile(shares, 0.95)
            report.check(f"{name}: at most {limit:.0%} of the index, 95 in 100", common <= limit, f"{common:.2%}")
    columns = ["queries", "number", "share p50", "p95", "max", "requests p50", "CPU ms local", "cold", "warm"]
    title = f"cold searches of {size / 1e6:.0f} MB, texts unpacked, each over an empty cache"
    report.tables.append(Table(title, columns, rows))
    warm, local = (sum(getattr(each, name) for each in asked) for name in ("warm_ms", "local_ms"))
    report.add("CPU of warm searches beside local ones", warm / local, "times", "lower", 0.3, len(asked))
    return report


def _row(name: str, some: Sequence[Asked], shares: Sequence[float]) -> list[str]:
    requests = [float(each.requests) for each in some]
    times = [quantile([getattr(each, kind) for each in some], 0.5) for kind in ("local_ms", "cold_ms", "warm_ms")]
    return [
        name,
        str(len(some)),
        *(f"{quantile(shares, share):.2%}" for share in (0.5, 0.95, 1.0)),
        f"{quantile(requests, 0.5):.0f}",
        *(f"{each:.1f}" for each in times),
    ]


def _queries(parts: int, seed: int, each: int) -> list[LabelledQuery]:
    """Return `each` queries of every kind, drawn from the first parts of the history."""
    kinds: dict[str, list[LabelledQuery]] = {}
    for query in dataset.generated(parts, seed).queries:
        kinds.setdefault(query.kind, []).append(query)
    return [query for some in kinds.values() for query in some[:: max(1, len(some) // each)][:each]]


def _asked(report: Report, place: Path, cache: Path, queries: Sequence[LabelledQuery]) -> list[Asked]:
    """Ask every query of the local index, and of the index in a store: cold, then warm."""
    done, alike, warm_fetched = [], 0, 0
    with Index.open(place) as local:
        for query in queries:
            misspelt = "typo" in query.kind or "noisy" in query.kind
            shutil.rmtree(cache, ignore_errors=True)
            _timed(local, query)  # what a process looks up once
            wanted, local_ms = _timed(local, query)
            with Index.open(place.absolute().as_uri(), cache=cache) as remote:
                cold, cold_ms = _timed(remote, query)
                after_cold = remote.fetched
                warm, warm_ms = _timed(remote, query)
                if after_cold is None or remote.fetched is None:
                    raise AssertionError("an index that was opened by a URL counts what it fetches")
                warm_fetched += remote.fetched.requests - after_cold.requests
            alike += _lasting(wanted) == _lasting(cold) == _lasting(warm)
            done.append(Asked(misspelt, after_cold.bytes, after_cold.requests, local_ms, cold_ms, warm_ms))
    report.check("answers are those of the local index", alike == len(queries), f"{alike} of {len(queries)}")
    report.check("a warm search fetches nothing", warm_fetched == 0, f"{warm_fetched} requests")
    return done


def _timed(index: Index, query: LabelledQuery) -> tuple[SearchResponse, float]:
    mode: dict[str, Any] = {"match": "fuzzy"} if "typo" in query.kind else {}
    before = time.thread_time()
    response = index.search(query.query, before=query.before, now=0, budget_ms=UNHURRIED_MS, **mode)
    return response, (time.thread_time() - before) * 1e3


def _lasting(response: SearchResponse) -> dict[str, Any]:
    return {name: value for name, value in response.to_dict().items() if name not in ("elapsed_ms", "cpu_ms")}
