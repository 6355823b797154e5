"""Is a result called "high" right, does a score mean its chance, and is it seen when nothing answers?"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench import dataset
from bench.data import QUALITY, LabelledQuery, by_project, read_history, read_queries
from bench.evaluate_items import SESSION_ONLY
from bench.evaluate_sets import LEFT_OUT
from bench.ranks import auroc, mean
from bench.report import Plot, Report, Table
from recall_rank import Index

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from recall_rank.model import SearchResponse

SETS = "locomo,realtalk,beam100k,beam500k"
BINS = 10
UNHURRIED_MS = 60_000.0
GIBBERISH = 200


@dataclass(slots=True)
class Tally:
    """What was seen over many queries."""

    scored: list[tuple[float, bool]] = field(default_factory=list)  # every result of the first ten, relevant or not
    confident: Counter[tuple[str, bool]] = field(default_factory=Counter)  # (confidence of the first, was it right)
    answered: list[float] = field(default_factory=list)  # answerable, where the answer is there
    unanswered: list[float] = field(default_factory=list)  # and where it was taken away


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument("--sets", default=SETS, help="relevance sets to take in, comma separated, or none")
    parser.add_argument("--quality", type=Path, default=QUALITY, help="folder of the relevance sets")


def run(options: argparse.Namespace) -> Report:
    data = dataset.load(options)
    report = Report("calibration", __doc__ or "", data.name, {"sets": options.sets})
    whole, gibberish = Tally(), Counter[str]()
    parts = [(data.name, [(Index.build(data.sessions), list(data.queries))])]
    parts += [(name, list(_projects(options.quality / name))) for name in options.sets.split(",") if name != "none"]
    rows = []
    for name, projects in parts:
        one = Tally()
        for index, queries in projects:
            _ask(index, queries, one)
            gibberish.update(_nonsense(index))
        rows.append(_row(name, one))
        _merge(whole, one)
    rows.append(_row("= all", whole))
    columns = ["data", "queries", "first right", "high", "high right", "right called high", "AUROC of answerable"]
    report.tables.append(Table("confidence", columns, rows))
    report.tables.append(_reliability(report, whole))
    _judge(report, whole, gibberish)
    return report


def _projects(folder: Path) -> Iterator[tuple[Index, list[LabelledQuery]]]:
    """An index a project of a relevance set, with the queries that belong to it."""
    queries = [query for query in read_queries(folder / "queries.jsonl") if query.kind != LEFT_OUT and query.relevant]
    for project, sessions in by_project(read_history(folder)).items():
        mine = [query for query in queries if query.project == project]
        if mine:
            yield Index.build(sessions), mine


def _ask(index: Index, queries: Sequence[LabelledQuery], tally: Tally) -> None:
    for query in queries:
        response = _search(index, query.query)
        right = _right(response, query)
        tally.scored += [(one.score, good) for one, good in zip(response.results, right, strict=True)]
        confidence = response.results[0].why.confidence if response.results else "none"
        tally.confident[confidence, right[:1] == [True]] += 1
        if any(right):
            tally.answered.append(response.answerable)
        sessions = {session for session, _, _ in query.good}
        tally.unanswered.append(_search(index, query.query, tuple(sessions)).answerable)


def _search(index: Index, query: str, without: Sequence[str] = ()) -> SearchResponse:
    return index.search(
        query, match="smart", results=10, scope="global", budget_ms=UNHURRIED_MS, exclude_session_ids=without
    )


def _right(response: SearchResponse, query: LabelledQuery) -> list[bool]:
    """Which results answer: by part or message as labelled, by session where the answer is one."""
    if query.kind == SESSION_ONLY:
        return [one.session_id in query.relevant_sessions for one in response.results]
    good = query.good
    whole = {(session, message) for session, message, part in good if part is None}
    return [
        (one.session_id, one.message_id, one.part_id) in good or (one.session_id, one.message_id) in whole
        for one in response.results
    ]


def _nonsense(index: Index) -> Iterator[str]:
    """The confidence of the first result for strings nobody wrote."""
    chance = random.Random(11)
    for _ in range(GIBBERISH // 10):
        said = [
            "".join(chance.choices("bcdfghjklmnpqrstvwxz", k=chance.randint(6, 11)))
            for _ in range(chance.randint(1, 4))
        ]
        response = _search(index, " ".join(said))
        yield response.results[0].why.confidence if response.results else "none"


def _shares(tally: Tally) -> tuple[int, int, int, int]:
    """Queries, first results right, first results called high, and those of them right."""
    total = sum(tally.confident.values())
    right = sum(count for (_, good), count in tally.confident.items() if good)
    high_right = tally.confident["high", True]
    return total, right, high_right + tally.confident["high", False], high_right


def _row(name: str, tally: Tally) -> list[str]:
    total, right, high, high_right = _shares(tally)
    precise, covered = high_right / max(1, high), high_right / max(1, right)
    area = auroc(tally.answered, tally.unanswered)
    return [name, str(total), str(right), str(high), f"{precise:.1%}", f"{covered:.1%}", f"{area:.3f}"]


def _reliability(report: Report, tally: Tally) -> Table:
    rows, gaps = [], 0.0
    said_line, seen_line = [], []
    for number in range(BINS):
        inside = [pair for pair in tally.scored if min(BINS - 1, int(pair[0] * BINS)) == number]
        said, seen = mean([score for score, _ in inside]), mean([float(good) for _, good in inside])
        gaps += abs(said - seen) * len(inside) / max(1, len(tally.scored)) if inside else 0.0
        if inside:
            said_line.append(said)
            seen_line.append(seen)
        label = f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}"
        rows.append([label, str(len(inside)), f"{said:.3f}" if inside else "", f"{seen:.3f}" if inside else ""])
    lines = {"relevant": seen_line, "if scores were exact": said_line}
    report.plots.append(Plot("line", "share of results that are relevant", lines, said_line, "mean score"))
    report.add("expected calibration error", gaps, "share", "lower", 0.2, len(tally.scored))
    return Table(
        f"reliability of the score, calibration error {gaps:.3f}", ["score", "n", "mean score", "relevant"], rows
    )


def _judge(report: Report, tally: Tally, gibberish: Counter[str]) -> None:
    _, right, high, high_right = _shares(tally)
    precise, covered = high_right / max(1, high), high_right / max(1, right)
    area = auroc(tally.answered, tally.unanswered)
    report.add("high right", precise, "share", "higher", 0.02, high)
    report.add("right called high", covered, "share", "higher", 0.05, right)
    report.add("AUROC of answerable", area, "share", "higher", 0.02, len(tally.answered))
    report.check("results called high are right nine times in ten", precise >= 0.9, f"{precise:.1%}")
    report.check("half of the right answers are called high", covered >= 0.5, f"{covered:.1%}")
    report.check("answerable tells answered from unanswered", area >= 0.8, f"AUROC {area:.3f}")
    report.check("gibberish is never called high", not gibberish["high"], str(dict(gibberish)))


def _merge(total: Tally, one: Tally) -> None:
    total.scored += one.scored
    total.confident += one.confident
    total.answered += one.answered
    total.unanswered += one.unanswered
