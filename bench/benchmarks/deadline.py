"""How long does a search work past its deadline, and is an answer that was cut short sound?"""

from __future__ import annotations

import gc
import itertools
import random
import re
import resource
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bench.datasets import dataset, generate
from bench.datasets.documents import documents
from bench.datasets.vocabulary import words
from bench.reporting.known_items import mode
from bench.reporting.rank_metrics import quantile
from bench.reporting.report import Plot, Report, Table
from bench.reporting.soundness import faults
from recall_rank import Index
from recall_rank.analysis.stop_words import STOP_WORDS
from recall_rank.model import Match, Message, Part, Session

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

BUDGETS_MS = (1.0, 5.0, 20.0, 100.0)
P99_MS, MOST_MS = 2.0, 5.0  # CPU past the deadline
HUGE_BYTES = 50_000_000
LOOKED_AT = 20_000  # parts whose words are counted
WORD = re.compile(r"[^\W\d_]{2,}")
HOSTILE = (r"(a+)+$", r"(.*e){14}x", r"(\w+\s?)*!", r"(e|e)*y$", r"([a-z]+)*\d{40}", r"^(([a-z])+.)+[A-Z]([a-z])+$")


class Asked(NamedTuple):
    """One search to make."""

    query: str
    match: Match
    before: int | None = None


@dataclass(slots=True)
class Spent:
    """Times of the searches under one budget."""

    past_ms: list[float]
    wall_past_ms: list[float]
    cpu_ms: list[float]
    kinds: Counter[str]
    refused: int = 0


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument("--searches", type=int, default=1000, help="per history, spread over the budgets")
    parser.add_argument(
        "--huge", type=int, default=HUGE_BYTES, help="bytes of the adversarial part (default %(default)s)"
    )


def run(options: argparse.Namespace) -> Report:
    data = dataset.load(options)
    report = Report("deadline", __doc__ or "", data.name, {"searches": options.searches})
    chance = random.Random(3)
    ordinary = [Asked(query.query, mode(query), query.before) for query in data.queries]
    chance.shuffle(ordinary)
    index = Index.build(data.sessions)
    _measure(report, "ordinary", index, itertools.cycle(ordinary), options.searches)
    common = commonest(data.sessions)
    everywhere = [Asked(" ".join(chance.sample(common, len(common))), match) for match in ("smart", "fuzzy")]
    everywhere += [Asked(" ".join(common), "literal"), Asked(" ".join(common[:2]), "smart")]
    _measure(report, "twelve commonest words", index, itertools.cycle(everywhere), options.searches // 5)
    del index
    hostile = itertools.cycle(adversarial(chance))
    _measure(report, "adversarial", Index.build(huge_history(options.huge)), hostile, options.searches)
    return report


def commonest(sessions: Iterable[Session]) -> list[str]:
    """Return the twelve words, no stop words, that most documents hold; only the first documents of a large history
    count.
    """
    held: Counter[str] = Counter()
    for document in itertools.islice(documents(sessions), LOOKED_AT):
        held.update({word.lower() for word in WORD.findall(document.text)} - STOP_WORDS)
    return [word for word, _ in held.most_common(12)]


def huge_history(size: int) -> Iterator[Session]:
    """Yield a small generated history, then a session whose only part has `size` bytes of the commonest words."""
    yield from generate.sessions(5_000)
    line = " ".join(words()[:400]) + " aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n"
    part = Part(id="huge.p0", type="tool", tool="bash", output=line * (size // len(line)))
    yield Session(id="huge", messages=[Message(id="huge.m0", role="assistant", time=generate.START, parts=[part])])


def adversarial(chance: random.Random) -> list[Asked]:
    """Return queries of the commonest words, very long queries, misspelt queries, and patterns that would backtrack
    without end.
    """
    common = words()[:60]
    asked = [Asked(" ".join(chance.sample(common, 12)), match) for match in ("smart", "fuzzy") for _ in range(10)]
    asked += [
        Asked(" ".join(words()[:300]), "smart"),
        Asked(common[0], "literal"),
        Asked(" ".join(words()[:3]), "literal"),
    ]
    asked += [Asked(" ".join(word + "q" for word in chance.sample(words(), 12)), "fuzzy") for _ in range(6)]
    return [*asked, *(Asked(pattern, "regex") for pattern in HOSTILE)]


def _measure(report: Report, label: str, index: Index, asked: Iterator[Asked], searches: int) -> None:
    rows: list[list[str]] = []
    lines: dict[str, list[float]] = {}
    wrong: Counter[str] = Counter()
    total = Spent([], [], [], Counter())
    gc.collect()
    gc.freeze()  # a search does not pay for a collection over the benchmark's records
    for one in itertools.islice(asked, 10):  # fills caches and does late imports
        _search(index, one, 50.0, Spent([], [], [], Counter()))
    for budget in BUDGETS_MS:
        spent = Spent([], [], [], Counter())
        for one in itertools.islice(asked, searches // len(BUDGETS_MS)):
            wrong.update(_search(index, one, budget, spent))
        rows.append(_row(f"{budget:g} ms", spent))
        _merge(total, spent)
        lines[f"budget {budget:g} ms"] = spent.past_ms
    report.plots.append(Plot("cumulative", f"ms of work past the deadline, {label}", lines))
    rows.append(_row("all", total))
    columns = ["budget", "n", "CPU p50", "past p50", "past p99", "past max", "wall past p99", "degraded", "refused"]
    report.tables.append(Table(f"milliseconds, {label}", columns, rows))
    p99, most = quantile(total.past_ms, 0.99), max(total.past_ms)
    report.add(f"{label}/past p99", p99, "ms", "lower", 0.5, len(total.past_ms))
    report.add(f"{label}/past max", most, "ms", "lower", 0.5, len(total.past_ms))
    report.check(f"{label}: past the deadline p99 within {P99_MS:g} ms CPU", p99 <= P99_MS, f"{p99:.2f} ms")
    report.check(f"{label}: past the deadline at most {MOST_MS:g} ms CPU", most <= MOST_MS, f"{most:.2f} ms")
    report.check(
        f"{label}: every answer sound", not wrong, "; ".join(f"{n}x {what}" for what, n in wrong.most_common(3))
    )


def _search(index: Index, asked: Asked, budget_ms: float, spent: Spent) -> Sequence[str]:
    """Time one search, and return the faults of its answer."""
    switched = _switches()
    wall, cpu = time.perf_counter(), time.thread_time()
    try:
        response = index.search(
            asked.query, match=asked.match, results=10, scope="global", before=asked.before, budget_ms=budget_ms
        )
    except ValueError:  # a refused pattern takes no time
        response = None
        spent.refused += 1
    cpu_ms, wall_ms = (time.thread_time() - cpu) * 1e3, (time.perf_counter() - wall) * 1e3
    # The budget is wall time. Without a context switch, all time past it is this thread's work; with one,
    # only CPU time beyond the full budget certainly is.
    disturbed = _switches() != switched
    spent.past_ms.append(max(0.0, (cpu_ms if disturbed else wall_ms) - budget_ms))
    spent.wall_past_ms.append(max(0.0, wall_ms - budget_ms))
    spent.cpu_ms.append(cpu_ms)
    if response is None:
        return ()
    spent.kinds[response.degrade_kind] += 1
    return faults(response)


def _switches() -> int:
    usage = resource.getrusage(resource.RUSAGE_THREAD)
    return usage.ru_nivcsw + usage.ru_nvcsw


def _merge(total: Spent, one: Spent) -> None:
    total.past_ms += one.past_ms
    total.wall_past_ms += one.wall_past_ms
    total.cpu_ms += one.cpu_ms
    total.kinds += one.kinds
    total.refused += one.refused


def _row(label: str, spent: Spent) -> list[str]:
    figures = [
        quantile(spent.cpu_ms, 0.5),
        quantile(spent.past_ms, 0.5),
        quantile(spent.past_ms, 0.99),
        max(spent.past_ms),
        quantile(spent.wall_past_ms, 0.99),
    ]
    degraded = sum(count for kind, count in spent.kinds.items() if kind != "none")
    return [label, str(len(spent.cpu_ms)), *(f"{value:.2f}" for value in figures), str(degraded), str(spent.refused)]
