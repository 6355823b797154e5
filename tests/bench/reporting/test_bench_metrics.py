"""The figures of the benchmarks against values worked out by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from bench.datasets.history_files import LabelledQuery, read_queries
from bench.engines import Hit
from bench.reporting.earlier_hits import message_times
from bench.reporting.known_items import evaluate, figures, reciprocals, select
from bench.reporting.paired_difference import paired
from bench.reporting.rank_metrics import first_rank, hits_at, mean, quantile, reciprocal
from tests.support.search.samples import message, session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from recall_rank.model import Match, Session


class Fixed:
    """An engine that always gives the same ranking."""

    name = "fixed"

    def __init__(self, hits: Sequence[Hit]) -> None:
        self.hits = hits

    def build(self, sessions: Iterable[Session]) -> None:
        pass

    def search(self, query: str, k: int) -> Sequence[Hit]:
        return self.hits[:k]


class FixedWithSessions(Fixed):
    """One that also ranks sessions itself, and remembers how it was asked."""

    asked: Match = "smart"
    asked_before: tuple[int | None, ...] = ()

    def search_mode(self, query: str, k: int, match: Match, before: int | None = None) -> Sequence[Hit]:
        self.asked = match
        self.asked_before += (before,)
        return self.hits[:k]

    def search_sessions(self, query: str, k: int, match: Match, before: int | None = None) -> Sequence[str]:
        self.asked_before += (before,)
        return ["s9", "s2"]


HITS = [Hit("s1", "m1", "p1"), Hit("s1", "m2", "p2"), Hit("s2", "m3", "p3")]


def query(kind: str = "identifier", **more: object) -> LabelledQuery:
    known = {"id": kind, "kind": kind, "query": "q", "relevant": [("s2", "m3", "p3")], "also": [("s1", "m2", "p2")]}
    return LabelledQuery(**{**known, **more})  # type: ignore[arg-type]


def test_ranks_by_hand() -> None:
    assert first_rank("abcb", "b") == 2
    assert first_rank("abc", "z") is None
    assert hits_at([1, 10, 11, None], 10) == 2
    assert [reciprocal(1), reciprocal(4), reciprocal(11), reciprocal(None)] == [1.0, 0.25, 0.0, 0.0]
    assert mean([1.0, 0.25]) == 0.625
    assert math.isnan(mean([]))
    assert quantile([5, 1, 4, 2, 3], 0.5) == 3
    assert quantile(range(100), 0.95) == 95
    assert quantile([7], 0.99) == 7


def test_another_acceptable_part_counts_but_only_relevant_sessions_do() -> None:
    (outcome,) = evaluate(Fixed(HITS), [query()])
    assert (outcome.part, outcome.session) == (2, 2)


def test_excluded_messages_leave_the_ranking() -> None:
    (outcome,) = evaluate(Fixed(HITS), [query(also=[], exclude=frozenset({("s1", "m1")}))])
    assert (outcome.part, outcome.session) == (2, 2)


def test_session_order_is_the_engines_own_except_where_a_message_is_left_out() -> None:
    engine = FixedWithSessions(HITS)
    assert evaluate(engine, [query()])[0].session == 2
    assert evaluate(engine, [query(relevant=[("s9", "m", "p")])])[0].session == 1
    assert evaluate(engine, [query(relevant=[("s9", "m", "p")], exclude=frozenset({("x", "y")}))])[0].session is None


def test_typo_kinds_are_asked_in_fuzzy_mode() -> None:
    engine = FixedWithSessions(HITS)
    evaluate(engine, [query("identifier_typo_separator")])
    assert engine.asked == "fuzzy"
    evaluate(engine, [query("identifier_separator")])
    assert engine.asked == "smart"


def test_a_query_is_asked_as_of_its_own_moment() -> None:
    engine = FixedWithSessions(HITS)
    evaluate(engine, [query(before=20), query()])
    assert engine.asked_before == (20, 20, None, None)


def test_hits_from_the_moment_on_are_left_out_of_an_engine_without_times() -> None:
    times = {("s1", "m1"): 30, ("s1", "m2"): 20, ("s2", "m3"): 10}
    (outcome,) = evaluate(Fixed(HITS), [query(before=20, also=[])], times)
    assert (outcome.part, outcome.session, outcome.hits) == (1, 1, HITS[2:])
    (outcome,) = evaluate(Fixed(HITS), [query(before=10, also=[])], times)
    assert (outcome.part, outcome.session) == (None, None)


def test_a_line_may_name_its_moment(tmp_path: Path) -> None:
    line = '{"id": "1", "kind": "k", "query": "q", "relevant": [{"session": "s"}]'
    (tmp_path / "queries.jsonl").write_text(f'{line}, "before": 20}}\n{line}}}\n')
    assert [one.before for one in read_queries(tmp_path / "queries.jsonl")] == [20, None]


def test_times_are_those_of_messages_and_of_titles() -> None:
    history = [session("s1", message("m1", "one", time=7), message("m2", "two", time=9), title="T", updated=9)]
    assert message_times(history) == {("s1", ""): 9, ("s1", "m1"): 7, ("s1", "m2"): 9}


def test_figures_by_hand() -> None:
    found, title, lost = query(), query("title_session"), query("file_path", relevant=[("s8", "m", "p")], also=[])
    rows = figures(evaluate(Fixed(HITS), [found, title, lost]))
    assert rows["identifier"].n == 1
    assert rows["identifier"].part_mrr == 0.5
    assert rows["= identifiers"] == rows["identifier"]
    everything, parts = rows["*"], rows["= all parts"]
    assert (everything.n, everything.session_at_1, everything.session_at_10) == (3, 0, 2)
    assert everything.session_mrr == pytest.approx(1 / 3)
    assert (parts.n, parts.part_at_10, parts.part_mrr) == (2, 1, 0.25)
    assert "= title" in rows
    assert "= conversation" not in rows


def test_session_only_kinds_have_no_part_rank_to_compare() -> None:
    parts, sessions = reciprocals(evaluate(Fixed(HITS), [query(), query("title_session")]))
    assert parts == {"identifier": 0.5}
    assert sessions == {"identifier": 0.5, "title_session": 0.5}


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match="kinds must be among identifier, not nonsense"):
        select([query()], ["nonsense"])


def test_paired_bootstrap() -> None:
    ours = {str(number): float(number % 2) for number in range(40)}
    same = paired(ours, ours)
    assert (same.mean, same.low, same.high, same.n) == (0.0, 0.0, 0.0, 40)
    better = paired(ours, dict.fromkeys(ours, 0.0) | {"only theirs": 1.0})
    assert better.mean == 0.5
    assert 0.2 < better.low < 0.5 < better.high < 0.8
    assert paired(ours, dict.fromkeys(ours, 0.0)) == better
    with pytest.raises(ValueError, match="no query in common"):
        paired({"a": 1.0}, {"b": 1.0})
