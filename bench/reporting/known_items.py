"""Ranks of the answers to known-item queries in an engine's ranking."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from bench.engines import Engine, HasModes, Hit, cpu_clock
from bench.reporting.earlier_hits import NO_TIMES, earlier_hits
from bench.reporting.rank_metrics import Rank, first_rank, hits_at, mean, reciprocal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from bench.datasets.history_files import LabelledQuery
    from bench.reporting.earlier_hits import Times
    from recall_rank.model import Match

DEPTH = 50  # results asked for; the figures look at the first ten
PAGE = 10  # results of a timed search, each with its snippet

SESSION_ONLY = "title_session"  # its answer is a session, so it has no part rank
SOLVED = ("solved_tune", "solved_check")  # labelled by hand; apart from the others, which are drawn
GROUPS: dict[str, tuple[str, ...]] = {
    "= identifiers": ("identifier", "identifier_ambiguous"),
    "= typo+separator": ("identifier_typo", "identifier_separator", "identifier_typo_separator"),
    "= errors+paths": ("error_string", "file_path", "error_noisy"),
    "= error_string+file_path": ("error_string", "file_path"),
    "= first_message": ("first_message_dropped",),
    "= title": ("title_session",),
    "= noisy": ("error_noisy", "file_path", "identifier_typo", "identifier_typo_separator"),
    "= conversation": ("followup_backref", "question_answer"),
    "= solved_tune": ("solved_tune",),
    "= solved_check": ("solved_check",),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The ranks of the answer to one query."""

    query: LabelledQuery
    part: Rank
    session: Rank
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one kind of query. All counts are numbers of queries."""

    n: int
    part_at_1: int
    part_at_10: int
    part_mrr: float
    session_at_1: int
    session_at_10: int
    session_mrr: float


def mode(query: LabelledQuery) -> Match:
    """Return "fuzzy" for kinds with misspelt queries, as a caller who expects typos would ask, else "smart"."""
    return "fuzzy" if "typo" in query.kind else "smart"


def evaluate(engine: Engine, queries: Iterable[LabelledQuery], times: Times = NO_TIMES) -> list[Outcome]:
    """Return the ranks of each query's answer in the ranking of a built engine.

    `times` are those of the messages; engines that cannot filter by time need them for queries with `before`.
    """
    return [_outcome(engine, query, times) for query in queries]


def _outcome(engine: Engine, query: LabelledQuery, times: Times) -> Outcome:
    found = earlier_hits(engine, query, DEPTH, mode(query), times)
    hits = [hit for hit in found if (hit.session, hit.message) not in query.exclude]
    # The engine's own session ranking counts, except where a message must be left out of it.
    if isinstance(engine, HasModes) and not query.exclude:
        sessions = engine.search_sessions(query.query, DEPTH, mode(query), query.before)
    else:
        sessions = [hit.session for hit in hits]
    return Outcome(
        query,
        first_rank(map(tuple, hits), query.good),
        first_rank(dict.fromkeys(sessions), {session for session, _, _ in query.relevant}),
        hits,
    )


def figures(outcomes: Iterable[Outcome]) -> dict[str, Row]:
    """Return the figures of each kind, each group of kinds, "= all parts" and "*" (everything); kinds are sorted,
    groups follow. The last two leave out SOLVED.
    """
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        kinds[outcome.query.kind].append(outcome)
    table = {kind: _row(kinds[kind]) for kind in sorted(kinds)}
    for group, members in GROUPS.items():
        inside = [one for kind in members for one in kinds.get(kind, ())]
        if inside:
            table[group] = _row(inside)
    drawn = {kind: some for kind, some in kinds.items() if kind not in SOLVED}
    if drawn:
        table["= all parts"] = _row([one for kind, some in drawn.items() if kind != SESSION_ONLY for one in some])
        table["*"] = _row([one for some in drawn.values() for one in some])
    return table


def _row(outcomes: Sequence[Outcome]) -> Row:
    parts = [one.part for one in outcomes]
    sessions = [one.session for one in outcomes]
    return Row(
        len(outcomes),
        hits_at(parts, 1),
        hits_at(parts, 10),
        mean([reciprocal(rank) for rank in parts]),
        hits_at(sessions, 1),
        hits_at(sessions, 10),
        mean([reciprocal(rank) for rank in sessions]),
    )


def reciprocals(outcomes: Iterable[Outcome]) -> tuple[dict[str, float], dict[str, float]]:
    """Return the reciprocal ranks within ten by query id: of parts (without kinds that a session answers), and of
    sessions.
    """
    parts = {one.query.id: reciprocal(one.part) for one in outcomes if one.query.kind != SESSION_ONLY}
    return parts, {one.query.id: reciprocal(one.session) for one in outcomes}


def read_run(path: Path, queries: Iterable[LabelledQuery]) -> tuple[dict[str, float], dict[str, float]]:
    """Return another engine's stored ranks in the form of `reciprocals`. A line has the keys id, kind, part and
    session.
    """
    kinds = {query.id: query.kind for query in queries}
    parts: dict[str, float] = {}
    sessions: dict[str, float] = {}
    for row in map(orjson.loads, path.read_bytes().splitlines()):
        if kinds.get(row["id"]) != row["kind"]:
            continue
        sessions[row["id"]] = reciprocal(row["session"])
        if row["kind"] != SESSION_ONLY:
            parts[row["id"]] = reciprocal(row["part"])
    return parts, sessions


def cpu_ms(engine: Engine, queries: Iterable[LabelledQuery]) -> dict[str, float]:
    """Return the CPU milliseconds of a page of results, by query id."""
    spent = {}
    clock = cpu_clock(engine)
    for query in queries:
        before = clock()
        if isinstance(engine, HasModes):
            engine.search_mode(query.query, PAGE, mode(query), query.before)
        else:
            engine.search(query.query, PAGE)
        spent[query.id] = (clock() - before) * 1e3
    return spent


def select(queries: Sequence[LabelledQuery], kinds: Sequence[str]) -> list[LabelledQuery]:
    """Return the queries of the named kinds, or all when none is named. Raises ValueError for a kind that no query
    has.
    """
    known = {query.kind for query in queries}
    if unknown := [kind for kind in kinds if kind not in known]:
        raise ValueError(f"kinds must be among {', '.join(sorted(known))}, not {', '.join(unknown)}")
    return [query for query in queries if not kinds or query.kind in kinds]
