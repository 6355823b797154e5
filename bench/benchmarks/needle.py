"""Is a word that one part says once, in the oldest of many sessions, found in every mode?"""

from __future__ import annotations

import dataclasses
import itertools
import time
from operator import itemgetter
from typing import TYPE_CHECKING

from bench.datasets import generate
from bench.datasets.random_searches import MODES
from bench.reporting.process_usage import peak_bytes
from bench.reporting.report import Report, Table
from bench.reporting.soundness import faults
from recall_rank import Index
from recall_rank.model import Group, Match, Part, SearchResponse, Session

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

NEEDLE = "quenchingFjordLatch"
ASKED: tuple[tuple[Match, str], ...] = (
    ("literal", "quenchingfjordlatch"),
    ("smart", NEEDLE),
    ("smart", "quenching-fjord-latch"),
    ("smart", "quenching fjord latch"),
    ("smart", "enchingfjordlat"),  # an infix, which only the text scan finds
    ("fuzzy", NEEDLE),
    ("fuzzy", "quenchnigFjordLatch"),
    ("fuzzy", "quenching fjrod latch"),
    ("regex", r"quenching\w+Latch"),
)
GROUPS: tuple[Group, ...] = ("part", "session")
ROUNDS = 3  # searches of each query; the fastest counts


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", type=int, default=100_000, help="size of the history (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Report:
    report = Report("needle", __doc__ or "", f"generated, {options.parts:,} parts, seed {options.seed}")
    before = time.process_time()
    index = Index.build(planted(options.parts, options.seed))
    report.add("generate and build", time.process_time() - before, "s", "lower", 0.3)
    rows = []
    for (match, query), group in itertools.product(ASKED, GROUPS):
        if match not in MODES:  # the regex extra is not installed
            continue
        spent, response = min((_search(index, query, match, group) for _ in range(ROUNDS)), key=itemgetter(0))
        place = next((at for at, one in enumerate(response.results, 1) if one.part_id == "needle"), None)
        rows.append([match, query, group, str(place), f"{response.total:,}", f"{spent:.1f}"])
        name = f"{match} {query}, by {group}"
        report.add(f"{name}/cpu", spent, "ms", "lower", 0.5)
        report.check(f"{name}: found first", place == 1, f"place {place}")
        report.check(f"{name}: sound", not (wrong := _faults(response)), "; ".join(wrong))
    columns = ["match", "query", "by", "place", "hits", "CPU ms"]
    report.tables.append(Table("the needle's place", columns, rows))
    report.tables.append(Table("memory", ["", "MiB"], [["peak of the process", f"{peak_bytes() / 2**20:,.0f}"]]))
    return report


def _search(index: Index, query: str, match: Match, group: Group) -> tuple[float, SearchResponse]:
    """Make one search and return its CPU time in ms with the response."""
    before = time.thread_time()
    response = index.search(query, match=match, group=group, results=10, scope="global", budget_ms=60_000.0)
    return (time.thread_time() - before) * 1e3, response


def _faults(response: SearchResponse) -> list[str]:
    """Return the faults of an answer that was not limited in time."""
    coverage = response.coverage
    counts = {"sessions": coverage.sessions, "messages": coverage.messages, "parts": coverage.parts}
    left = [f"{count.known - count.searched} {name} not searched" for name, count in counts.items()]
    return [*faults(response), *(what for what in left if not what.startswith("0 "))]


def planted(parts: int, seed: int) -> Iterator[Session]:
    """Yield a generated history whose oldest session says NEEDLE once, in its first message."""
    for number, session in enumerate(generate.sessions(parts, seed)):
        yield _plant(session) if number == 0 else session


def _plant(session: Session) -> Session:
    first, *others = session.messages
    part = Part(id="needle", type="text", text=f"before anything else we renamed {NEEDLE} everywhere")
    return dataclasses.replace(session, messages=[dataclasses.replace(first, parts=[*first.parts, part]), *others])
