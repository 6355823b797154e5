"""Measures searches a second on one thread and on four threads."""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from bench.engines.ours import UNHURRIED_MS
from bench.reporting.known_items import PAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_rank import Index

THREADS = 4


def throughputs(index: Index, queries: Sequence[str], rounds: int) -> tuple[float, float, bool]:
    """Return searches a second on one thread and on four, by wall time, and whether all answers were equal.

    Both are medians of `rounds` interleaved measurements, so that other load on the machine affects both.
    """
    expected = {query: _answer(index, query) for query in queries}
    one, four, alike = [], [], True
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(rounds):
            before = time.perf_counter()
            found = [_answer(index, query) == expected[query] for query in queries]
            one.append(len(queries) / (time.perf_counter() - before))
            alike = alike and all(found)
            before = time.perf_counter()
            found = list(pool.map(lambda query: _answer(index, query) == expected[query], queries))
            four.append(len(queries) / (time.perf_counter() - before))
            alike = alike and all(found)
    return statistics.median(one), statistics.median(four), alike


def _answer(index: Index, query: str) -> list[tuple[str, float]]:
    found = index.search(query, results=PAGE, budget_ms=UNHURRIED_MS).results
    return [(hit.part_id, hit.score) for hit in found]
