"""Is a result called "high" right, is a score a chance of relevance, and is a missing answer noticed?"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.datasets import dataset
from bench.datasets.history_files import (
    QUALITY,
    LabelledQuery,
    by_project,
    labelled_query,
    read_history,
    read_queries,
)
from bench.datasets.published.honest import questions
from bench.reporting.known_items import SESSION_ONLY
from bench.reporting.logistic_regression import fit
from bench.reporting.rank_metrics import auroc, mean
from bench.reporting.relevance_sets import LEFT_OUT
from bench.reporting.report import Plot, Report, Table
from recall_rank import Index, Options, Place
from recall_rank.search.engine import run as search
from recall_rank.search.query import Query
from recall_rank.search.results.calibrate import basis_among, candidate_signals, query_signals, score_signal
from recall_rank.search.results.respond import respond
from recall_rank.weights import DEFAULT

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from recall_rank.model import Result

SETS = "locomo,realtalk,beam100k,beam500k,nl2bash,xquad-es,xquad-ru,xquad-th,xquad-tr,xquad-zh"
BINS = 10
UNHURRIED_MS = 60_000.0
GIBBERISH = 200
LEFT_OUT_RIGHT = 0.88  # of the results called high in a set to which nothing was fitted, whose session is right


@dataclass(frozen=True, slots=True)
class Shown:
    """One of the first ten results of a query."""

    score: float
    confidence: str
    relevant: bool  # it answers the query
    session: bool  # it is in a session with an answer
    raw: Sequence[float]  # the inputs of Weights.chance
    signs: Sequence[float]  # and those of Weights.sure


@dataclass(frozen=True, slots=True)
class Answer:
    """The first ten results of a query, best first, and the chance that the first one is of the right session."""

    answerable: float
    results: Sequence[Shown]

    @property
    def holds(self) -> bool:
        """Whether a relevant result is among the ten."""
        return any(result.relevant for result in self.results)


@dataclass(slots=True)
class Tally:
    """The answers to many queries, and the answers to the same queries when the sessions that answer are excluded."""

    found: list[Answer] = field(default_factory=list)
    without: list[Answer] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.found += other.found
        self.without += other.without

    @property
    def first(self) -> list[Shown]:
        return [answer.results[0] for answer in self.found if answer.results]


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument("--sets", default=SETS, help="relevance sets to take in, comma separated, or none")
    parser.add_argument("--quality", type=Path, default=QUALITY, help="folder of the relevance sets")
    parser.add_argument(
        "--fit",
        action="store_true",
        help="also fit the coefficients of Weights.chance and Weights.sure anew, and judge the fit by sets left out",
    )


def run(options: argparse.Namespace) -> Report:
    data = dataset.load(options)
    report = Report("calibration", __doc__ or "", data.name, {"sets": options.sets})
    whole, gibberish = Tally(), Counter[str]()
    index = Index.build(data.sessions)
    parts = [(data.name, [(index, list(data.queries))])]
    if not data.generated:
        asked = [labelled_query(row) for row in questions.rows()]
        parts.append(("honest", [(index, [query for query in asked if _has_answer(index, query)])]))
    parts += [(name, list(_projects(options.quality / name))) for name in options.sets.split(",") if name != "none"]
    tallies: dict[str, Tally] = {}
    for name, projects in parts:
        one = Tally()
        for index, queries in projects:
            _ask(index, queries, one)
            gibberish.update(_nonsense(index))
        tallies[name] = one
        whole.add(one)
    rows = [_row(name, tally) for name, tally in (*tallies.items(), ("= all", whole))]
    columns = [
        *("data", "queries", "in ten", "first right", "high", "their session right", "they are right"),
        *("answered and high", "AUROC of answerable"),
    ]
    report.tables.append(Table("confidence of the first result", columns, rows))
    report.tables.append(_reliability(report, whole))
    _judge(report, whole, gibberish)
    if options.fit:
        report.tables += [_fitted(tallies), _left_out(report, tallies)]
    return report


def _projects(folder: Path) -> Iterator[tuple[Index, list[LabelledQuery]]]:
    """Yield an index for each project of a relevance set, with the queries of that project."""
    queries = [query for query in read_queries(folder / "queries.jsonl") if query.kind != LEFT_OUT and query.relevant]
    for project, sessions in by_project(read_history(folder)).items():
        mine = [query for query in queries if query.project == project]
        if mine:
            yield Index.build(sessions), mine


def _has_answer(index: Index, query: LabelledQuery) -> bool:
    """Return whether a question is unanswerable on purpose, or has an answer in the index."""
    return not query.relevant or bool(index.holds([Place(*answer) for answer in query.relevant]))


def _ask(index: Index, queries: Sequence[LabelledQuery], tally: Tally) -> None:
    for query in queries:
        sessions = {session for session, _, _ in query.good} | set(query.relevant_sessions)
        if query.good or sessions:  # else it is unanswerable on purpose
            tally.found.append(_search(index, query, sessions))
        tally.without.append(_search(index, query, sessions, without=tuple(sessions)))


def _search(index: Index, query: LabelledQuery, sessions: set[str], without: Sequence[str] = ()) -> Answer:
    options = Options(
        results=10, scope="global", budget_ms=UNHURRIED_MS, exclude_session_ids=without, before=query.before
    )
    asked = Query.parse(query.query, int(time.time() * 1000), options)
    done = search(index._reader, asked)  # noqa: SLF001 - what the stages found, not only what they answer
    response = respond(done, cpu_ms=0.0)
    # as if the history held nothing else: what the filter leaves out is not there to be compared with
    basis = basis_among(done, [entry.candidate for entry in done.page], done.reranked)
    good = query.good
    whole = {(session, message) for session, message, part in good if part is None}
    shown = [
        Shown(
            one.score,
            one.why.confidence,
            _right(one, query, good, whole),
            one.session_id in sessions,
            [*query_signals(done), score_signal(done, done.page[place].candidate)],
            query_signals(basis.search) + candidate_signals(basis, place),
        )
        for place, one in enumerate(response.results)
    ]
    return Answer(response.answerable, shown)


def _right(
    one: Result,
    query: LabelledQuery,
    good: frozenset[tuple[str, str | None, str | None]],
    whole: set[tuple[str, str | None]],
) -> bool:
    """Return whether a result is relevant: by part or message as labelled, by session for queries that a session
    answers.
    """
    if query.kind == SESSION_ONLY:
        return one.session_id in query.relevant_sessions
    return (one.session_id, one.message_id, one.part_id) in good or (one.session_id, one.message_id) in whole


def _nonsense(index: Index) -> Iterator[str]:
    """Yield the confidence of the first result for random strings of consonants."""
    chance = random.Random(11)
    for _ in range(GIBBERISH // 10):
        said = [
            "".join(chance.choices("bcdfghjklmnpqrstvwxz", k=chance.randint(6, 11)))
            for _ in range(chance.randint(1, 4))
        ]
        results = index.search(" ".join(said), budget_ms=UNHURRIED_MS).results
        yield results[0].why.confidence if results else "none"


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares over the first results with confidence "high", and the area under the curve of `answerable`."""

    high: int
    session_right: float
    right: float
    covered: float  # share of the queries with an answer among the ten whose first result has confidence "high"
    area: float

    @classmethod
    def of(cls, tally: Tally) -> Shares:
        high = [one for one in tally.first if one.confidence == "high"]
        answered = [answer for answer in tally.found if answer.holds]
        return cls(
            len(high),
            mean([one.session for one in high]),
            mean([one.relevant for one in high]),
            mean([answer.results[0].confidence == "high" for answer in answered]),
            auroc([answer.answerable for answer in answered], [answer.answerable for answer in tally.without]),
        )


def _row(name: str, tally: Tally) -> list[str]:
    of, first = Shares.of(tally), tally.first
    total, in_ten = len(tally.found), sum(answer.holds for answer in tally.found)
    right = sum(one.relevant for one in first)
    shares = [f"{share:.1%}" for share in (of.session_right, of.right, of.covered)]
    return [name, str(total), str(in_ten), str(right), str(of.high), *shares, f"{of.area:.3f}"]


def _reliability(report: Report, tally: Tally) -> Table:
    rows, gaps = [], 0.0
    said_line, seen_line = [], []
    scored = [one for answer in tally.found for one in answer.results]
    for number in range(BINS):
        inside = [one for one in scored if min(BINS - 1, int(one.score * BINS)) == number]
        said, seen = mean([one.score for one in inside]), mean([one.relevant for one in inside])
        gaps += abs(said - seen) * len(inside) / max(1, len(scored)) if inside else 0.0
        if inside:
            said_line.append(said)
            seen_line.append(seen)
        label = f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}"
        rows.append([label, str(len(inside)), f"{said:.3f}" if inside else "", f"{seen:.3f}" if inside else ""])
    lines = {"relevant": seen_line, "if scores were exact": said_line}
    report.plots.append(Plot("line", "share of results that are relevant", lines, said_line, "mean score"))
    report.add("expected calibration error", gaps, "share", "lower", 0.2, len(scored))
    return Table(
        f"reliability of the score, calibration error {gaps:.3f}", ["score", "n", "mean score", "relevant"], rows
    )


def _judge(report: Report, tally: Tally, gibberish: Counter[str]) -> None:
    of = Shares.of(tally)
    behind = [one for answer in tally.found for one in answer.results[1:] if one.confidence == "high"]
    report.add("session of high right", of.session_right, "share", "higher", 0.02, of.high)
    report.add("high right", of.right, "share", "higher", 0.02, of.high)
    report.add("session of high behind the first right", mean([one.session for one in behind]), "share", n=len(behind))
    report.add("answered and high", of.covered, "share", "higher", 0.05)
    report.add("AUROC of answerable", of.area, "share", "higher", 0.02, len(tally.found))
    report.check(
        "nine in ten results called high are of the right session", of.session_right >= 0.9, f"{of.session_right:.1%}"
    )
    report.check("half of the answered queries are called high", of.covered >= 0.5, f"{of.covered:.1%}")
    report.check("answerable separates queries with and without an answer", of.area >= 0.8, f"AUROC {of.area:.3f}")
    report.check("gibberish is never called high", not gibberish["high"], str(dict(gibberish)))


def _fitted(tallies: Mapping[str, Tally]) -> Table:
    """Return the coefficients of Weights.chance and Weights.sure, fitted to these answers.

    Weights.chance is fitted to all results, Weights.sure as in _sure().
    """
    chances = DEFAULT.chance._asdict()
    shown = [[one for answer in tally.found for one in answer.results] for tally in tallies.values()]
    chance = fit(
        [one.raw for some in shown for one in some], [one.relevant for some in shown for one in some], _counts(shown)
    )
    rows = [
        [name, f"{chances[name]:.3f}" if name in chances else "", "", f"{held:.3f}", f"{value:.3f}"]
        for (name, held), value in zip(DEFAULT.sure._asdict().items(), _sure(tallies.values()), strict=True)
    ]
    for row, value in zip(rows, chance, strict=False):
        row[2] = f"{value:.3f}"
    return Table("coefficients", ["sign", "CHANCE", "fitted", "SURE", "fitted"], rows)


def _sure(tallies: Iterable[Tally]) -> npt.NDArray[np.float64]:
    """Return Weights.sure fitted to the first result of each query, with and without the sessions that answer."""
    first = [[answer.results[0] for answer in (*tally.found, *tally.without) if answer.results] for tally in tallies]
    return fit(
        [one.signs for some in first for one in some], [one.session for some in first for one in some], _counts(first)
    )


def _counts(sets: Sequence[Sequence[Shown]]) -> list[float]:
    """Return how often each result counts: one on average, and every set as much as any other."""
    sizes = [len(some) for some in sets]
    return [sum(sizes) / len(sizes) / size for size in sizes for _ in range(size)]


def _left_out(report: Report, tallies: dict[str, Tally]) -> Table:
    """Return how good "high" is in each set with Weights.sure fitted to all other sets."""
    rows, found, answered = [], 0, 0
    for name, tally in tallies.items():
        sure = _sure(other for key, other in tallies.items() if key != name)
        called = [one.session for one in tally.first if _is_high(one, sure)]
        holding = [_is_high(answer.results[0], sure) for answer in tally.found if answer.holds]
        wrong = [_is_high(answer.results[0], sure) for answer in tally.without if answer.results]
        rows.append([name, str(len(called)), *(f"{mean(share):.1%}" for share in (called, holding, wrong))])
        found, answered = found + sum(holding), answered + len(holding)
        report.add(f"session of high right, {name} left out", mean(called), "share", "higher", 0.03, len(called))
        report.check(f"high is right in {LEFT_OUT_RIGHT:.0%} of {name} left out", mean(called) >= LEFT_OUT_RIGHT)
    report.add("answered and high, each set left out", found / max(1, answered), "share", "higher", 0.05)
    columns = ["left out", "high", "their session right", "answered and high", "unanswered and high"]
    return Table("fitted to all other sets", columns, rows)


def _is_high(one: Shown, sure: npt.NDArray[np.float64]) -> bool:
    """Return whether the chance of a result, with the coefficients `sure`, reaches Weights.high."""
    return bool(1 / (1 + np.exp(-np.dot(one.signs, sure))) >= DEFAULT.high)
