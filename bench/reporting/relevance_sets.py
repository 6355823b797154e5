"""Labelled relevance sets: messages and sessions are ranked for each query, inside the project of the query."""

from __future__ import annotations

import copy
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import ir_measures
import orjson
from ir_measures import RR, R, nDCG

from bench.datasets.history_files import LabelledQuery, by_project, read_history, read_queries
from bench.engines import HasModes, HasWeights
from bench.reporting.earlier_hits import earlier_hits, message_times
from bench.reporting.rank_metrics import mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from bench.engines import Engine
    from recall_rank.weights import Weights

SETS = ("locomo", "realtalk", "beam100k", "beam500k", "cranfield", "cisi")
PERTURBATIONS = ("typo1", "typo2", "sep", "drop")
LEFT_OUT = "adversarial"  # questions about the wrong person, on purpose; they count in no mean
DEPTH = 30  # results asked for
CUTOFF = 10  # messages or sessions kept of a ranking
MEASURES = (nDCG @ 10, R @ 1, R @ 5, R @ 10, RR @ 10)
NAMES = {"nDCG@10": "nDCG@10", "R@1": "recall@1", "R@5": "recall@5", "R@10": "recall@10", "RR@10": "MRR@10"}


@dataclass(frozen=True, slots=True)
class Ranked:
    """One query's ranking as message ids and session ids, each id once."""

    query: LabelledQuery
    messages: Sequence[str]
    sessions: Sequence[str]


PerQuery = dict[str, dict[str, float]]  # measure -> query id -> value


class RelevanceSet:
    """One set with an engine for each project, or one engine for all when pooled. Engines are kept between runs."""

    def __init__(self, folder: Path, engine: Callable[[], Engine], *, pooled: bool = False) -> None:
        self.name = folder.name
        self.folder = folder
        self.pooled = pooled
        self.engines: dict[str, Engine] = {}
        sessions = read_history(folder)
        self.times = message_times(sessions)
        for project, some in {"": sessions}.items() if pooled else by_project(sessions).items():
            built = engine()
            built.build(some)
            self.engines[project] = built

    @property
    def engine_name(self) -> str:
        return next(iter(self.engines.values())).name

    def reweighed(self, weights: Weights) -> RelevanceSet:
        """This set with engines that rank by other weights, over the indexes that were built."""
        other = copy.copy(self)
        other.engines = {
            project: engine.reweighed(weights) if isinstance(engine, HasWeights) else engine
            for project, engine in self.engines.items()
        }
        return other

    def has(self, perturbation: str) -> bool:
        """Whether there is a misspelt copy of the queries of this kind."""
        return (self.folder / f"queries.{perturbation}.jsonl").is_file()

    def queries(self, perturbation: str | None = None) -> list[LabelledQuery]:
        """Return the queries with an answer, without the adversarial kind."""
        name = f"queries.{perturbation}.jsonl" if perturbation else "queries.jsonl"
        found = read_queries(self.folder / name)
        return [query for query in found if query.kind != LEFT_OUT and query.relevant]

    def rank(self, queries: Iterable[LabelledQuery]) -> list[Ranked]:
        """Return each query's ranking inside its project, or inside the whole set when pooled."""
        return [self._rank(query) for query in queries]

    def _rank(self, query: LabelledQuery) -> Ranked:
        engine = self.engines["" if self.pooled else query.project or ""]
        hits = earlier_hits(engine, query, DEPTH, "smart", self.times)
        messages = dict.fromkeys(hit.message for hit in hits)
        if isinstance(engine, HasModes):  # other engines rank a session by its best message
            sessions = dict.fromkeys(engine.search_sessions(query.query, CUTOFF, "smart", query.before))
        else:
            sessions = dict.fromkeys(hit.session for hit in hits)
        return Ranked(query, list(messages)[:CUTOFF], list(sessions)[:CUTOFF])


def measure(ranked: Sequence[Ranked]) -> tuple[PerQuery, PerQuery]:
    """Return every measure by query id, for messages and for sessions."""
    queries = [one.query for one in ranked]
    return (
        _measure(message_labels(queries), {one.query.id: one.messages for one in ranked}),
        _measure(
            {query.id: set(query.relevant_sessions) for query in queries}, {r.query.id: r.sessions for r in ranked}
        ),
    )


def message_labels(queries: Iterable[LabelledQuery]) -> dict[str, set[str]]:
    """Return the ids of the messages that answer each query."""
    return {query.id: {message for _, message, _ in query.relevant if message} for query in queries}


def _measure(labels: Mapping[str, set[str]], rankings: Mapping[str, Sequence[str]]) -> PerQuery:
    qrels = {query: dict.fromkeys(wanted, 1) for query, wanted in labels.items()}
    run = {
        query: {item: float(-place) for place, item in enumerate(ranking)}
        for query, ranking in rankings.items()
        if ranking
    }
    values: PerQuery = {name: dict.fromkeys(labels, 0.0) for name in NAMES.values()}
    for one in ir_measures.iter_calc(MEASURES, qrels, run):
        values[NAMES[str(one.measure)]][one.query_id] = one.value
    return values


def means(values: PerQuery, only: Iterable[str] | None = None) -> dict[str, float]:
    """Return the mean of each measure over all queries, or over the queries `only`."""
    chosen = None if only is None else list(only)
    return {
        name: mean(list(per.values()) if chosen is None else [per[query] for query in chosen])
        for name, per in values.items()
    }


def ids_by_kind(queries: Iterable[LabelledQuery]) -> dict[str, list[str]]:
    """Return the query ids of each kind; kinds are sorted."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for query in queries:
        kinds[query.kind].append(query.id)
    return dict(sorted(kinds.items()))


def read_run(path: Path, queries: Iterable[LabelledQuery]) -> PerQuery:
    """Return the measures of a stored run over the queries it holds. A line has the keys id and messages (best
    first).
    """
    rows = map(orjson.loads, path.read_bytes().splitlines())
    rankings = {row["id"]: row["messages"][:CUTOFF] for row in rows}
    kept = [query for query in queries if query.id in rankings]
    return _measure(message_labels(kept), {query.id: rankings[query.id] for query in kept})
