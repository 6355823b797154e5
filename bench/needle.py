"""Is something said only once, in the oldest of many sessions, still found in every mode?"""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

from bench import generate
from bench.answers import faults
from bench.report import Report, Table
from recall_rank import Index
from recall_rank.model import Match, Part, Session

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

NEEDLE = "quenchingFjordLatch"
ASKED: tuple[tuple[Match, str], ...] = (
    ("literal", "quenchingfjordlatch"),
    ("smart", NEEDLE),
    ("smart", "quenching-fjord-latch"),
    ("smart", "quenching fjord latch"),
    ("fuzzy", "quenchnigFjordLatch"),
    ("fuzzy", "quenching fjrod latch"),
    ("regex", r"quenching\w+Latch"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", type=int, default=100_000, help="size of the history (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Report:
    report = Report("needle", __doc__ or "", f"generated, {options.parts:,} parts, seed {options.seed}")
    index = Index.build(planted(options.parts, options.seed))
    rows = []
    for match, query in ASKED:
        before = time.thread_time()
        response = index.search(query, match=match, results=10, scope="global", budget_ms=60_000.0)
        spent = (time.thread_time() - before) * 1e3
        place = next((at for at, one in enumerate(response.results, 1) if one.part_id == "needle"), None)
        rows.append([match, query, str(place), str(response.total), f"{spent:.1f}"])
        report.check(f"{match} {query}: found first", place == 1, f"place {place}")
        report.check(f"{match} {query}: sound", not (wrong := faults(response)), "; ".join(wrong))
    report.tables.append(Table("the needle's place", ["match", "query", "place", "hits", "CPU ms"], rows))
    return report


def planted(parts: int, seed: int) -> Iterator[Session]:
    """A generated history whose oldest session says NEEDLE once, inside its first message."""
    for number, session in enumerate(generate.sessions(parts, seed)):
        yield _plant(session) if number == 0 else session


def _plant(session: Session) -> Session:
    first, *others = session.messages
    part = Part(id="needle", type="text", text=f"before anything else we renamed {NEEDLE} everywhere")
    return dataclasses.replace(session, messages=[dataclasses.replace(first, parts=[*first.parts, part]), *others])
