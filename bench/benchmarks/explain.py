"""Do the explained parts of every score add up to it, for any search?"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from bench.datasets import generate
from bench.datasets.history_files import read_history
from bench.datasets.random_searches import MODES, RandomSearch, RandomSearches
from bench.reporting.report import Report, Table
from bench.reporting.soundness import adds_up
from recall_rank import Index

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from recall_rank.model import Result, SearchResponse

WITHIN = 1e-6
TURNS = 2  # parts of one session that are placed without regard to other sessions
STAGES = ("score", "prefilter", "scan")  # in their order in a list of results
SHOWN = 5  # violations of each rule that are printed
RULES = {
    "parts": f"explained parts add up to the score within {WITHIN:g}",
    "range": "scores lie between 0 and 1",
    "order": "scores fall within a stage",
    "stages": "a page names one ranking stage, what only the text scan found comes after it",
    "terms": "matched terms are words of the query",
    "ledger": "coverage adds up",
}


@dataclass(slots=True)
class Seen:
    """Counts over the searches of one mode."""

    searches: int = 0
    refused: int = 0
    degraded: int = 0
    results: int = 0
    explained: Counter[str] = field(default_factory=Counter)  # name of a part -> results that have it
    largest: float = 0.0  # deviation of a sum from its score


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="folder with history.jsonl[.gz|.xz] (default: a generated history)")
    parser.add_argument("--parts", type=int, default=3000, help="size of a generated history (default %(default)s)")
    parser.add_argument("--searches", type=int, default=10_000, help="how many (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the history and of the searches (default %(default)s)")


def run(options: argparse.Namespace) -> Report:
    if options.data:
        name, sessions = options.data.name, list(read_history(options.data))
    else:
        name = f"generated, {options.parts:,} parts, seed {options.seed}"
        sessions = list(generate.sessions(options.parts, options.seed))
    report = Report("explain", __doc__ or "", name, {"searches": options.searches, "seed": options.seed})
    index, searches = Index.build(sessions), RandomSearches(sessions, options.seed)
    seen = {mode: Seen() for mode in MODES}
    wrong: dict[str, list[str]] = defaultdict(list)
    before = time.thread_time()
    for number in range(options.searches):
        asked = searches.draw(number)
        for rule, what in _ask(index, asked, seen[asked.options["match"]]):
            wrong[rule].append(f"{what} in {asked}")
    _record(report, seen, wrong, time.thread_time() - before)
    return report


def _ask(index: Index, asked: RandomSearch, seen: Seen) -> Iterator[tuple[str, str]]:
    """Make one search and yield the rules that its answer breaks, each with the place."""
    seen.searches += 1
    try:
        response = index.search(asked.query, **asked.options, explain=True)
    except ValueError:
        if asked.options["match"] != "regex":
            raise
        seen.refused += 1  # Python compiles patterns that RE2 does not
        return
    seen.degraded += response.degrade_kind == "time"
    seen.results += len(response.results)
    for result in response.results:
        explain = result.explain or {}
        gap = abs(sum(explain.values()) - result.score)
        seen.largest = max(seen.largest, gap)
        seen.explained.update(explain.keys())
        if not gap <= WITHIN:
            yield "parts", f"{result.part_id}: {dict(explain)} against {result.score}"
        if not 0.0 <= result.score <= 1.0:
            yield "range", f"{result.part_id}: {result.score}"
        if strange := _strange_terms(asked, result):
            yield "terms", f"{result.part_id}: {strange}"
    yield from (("order", place) for place in out_of_order(asked, response))
    for name in ("sessions", "messages", "parts"):
        if not adds_up(getattr(response.coverage, name)):
            yield "ledger", f"{name}: {getattr(response.coverage, name)}"
    order = [STAGES.index(result.stage) for result in response.results]
    mixed = {0, 1} <= set(order) and asked.options["offset"] % asked.options[
        "results"
    ] == 0  # a page that begins where another ends
    if by_relevance(asked) and (mixed or order != sorted(order)):
        yield "stages", str(dict(Counter(result.stage for result in response.results)))


def _strange_terms(asked: RandomSearch, result: Result) -> list[str]:
    """Return matched terms that are neither in the query nor in its exact phrases. A pattern has no words: its terms
    are the texts that it matched.
    """
    words = " ".join([asked.query, *asked.options.get("exact", ())])
    said = result.snippet if asked.options["match"] == "regex" else words
    twice = [term for term, count in Counter(result.matched_terms).items() if count > 1]
    return [*twice, *(term for term in result.matched_terms if not term or term not in said)]


def by_relevance(asked: RandomSearch) -> bool:
    """Return whether relevance alone decides the order; with a preferred directory, nearer results come first."""
    nearest_first = bool(asked.options.get("directory") and asked.options.get("fallback"))
    return asked.options["order"] == "relevance" and not nearest_first


def out_of_order(asked: RandomSearch, response: SearchResponse) -> Iterator[str]:
    """Yield the places where a score exceeds the score before it, in one stage and one directory bucket.

    In a list of parts, the third and later parts of a session are placed after parts of other sessions with nearly
    equal scores. Therefore the parts of each session are compared with each other, and on the first page also the
    first two parts of all sessions.
    """
    if asked.options["order"] != "relevance":
        return
    alike = groupby(response.results, key=lambda r: (r.stage, r.directory_relevance))
    for (stage, bucket), results in alike:
        for falling in _falling(asked, list(results)):
            for one, two in pairwise(falling):
                if two.score > one.score:
                    yield f"{stage} {bucket}: {two.part_id} {two.score} behind {one.part_id} {one.score}"


def _falling(asked: RandomSearch, results: list[Result]) -> Iterator[Sequence[Result]]:
    """Yield the sequences of results whose scores must fall."""
    if asked.options["group"] == "session":
        yield results
        return
    sessions: dict[tuple[str, str], list[Result]] = defaultdict(list)
    first: list[Result] = []
    for result in results:
        same = sessions[result.history, result.session_id]
        same.append(result)
        if len(same) <= TURNS:
            first.append(result)
    yield from sessions.values()
    if not asked.options["offset"]:
        yield first


def _record(report: Report, seen: dict[str, Seen], wrong: dict[str, list[str]], cpu: float) -> None:
    rows = []
    for mode, one in seen.items():
        figures = (one.searches, one.refused, one.degraded, one.results)
        rows.append([mode, *(f"{value:,}" for value in figures), f"{one.largest:.1e}"])
    columns = ["mode", "searches", "refused", "out of time", "results", "largest deviation"]
    report.tables.append(Table(f"random searches, {cpu:.0f} s CPU", columns, rows))
    explained = sum((one.explained for one in seen.values()), Counter[str]())
    report.tables.append(
        Table("results with each part", ["part", "results"], [[k, f"{n:,}"] for k, n in explained.most_common()])
    )
    results = sum(one.results for one in seen.values())
    report.add("searches", sum(one.searches for one in seen.values()))
    report.add("results", results)
    report.add("largest deviation", max(one.largest for one in seen.values()), n=results)
    for rule, name in RULES.items():
        places = wrong[rule]
        told = [f"{len(places):,} violations", *places[:SHOWN]] if places else []
        report.check(name, not places, "\n     ".join(told))
    report.check("something was found in every mode", all(one.results for one in seen.values()), f"{results:,} results")
