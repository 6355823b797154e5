"""Evaluations by hand, beside the benchmarks' own figures, and of what cannot be evaluated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import recall_rank
from bench.datasets import dataset, generate
from bench.datasets.history_files import LabelledQuery as BenchQuery
from bench.datasets.history_files import read_history, read_queries
from bench.datasets.label import label
from bench.engines.ours import Ours
from bench.reporting.known_items import evaluate as bench_evaluate
from bench.reporting.known_items import figures, reciprocals
from bench.reporting.paired_difference import paired
from recall_rank import Evaluation, Index, LabelledQuery, Place, SearchResponse, evaluate
from recall_rank.evaluation.report import Certainty, Figures
from tests.support.frontends.samples import hit, response
from tests.support.search.samples import ENOUGH_MS, NOW, message, session

SECRETS = ("lantern", "brass", "whale", "harbour-session", "first-message")
HISTORY = [
    session(
        "harbour-session",
        message("first-message", "the brass lantern was lit"),
        message("second", "whale oil for the lantern", "and a wick"),
        message("third", "nothing else"),
        title="Harbour lights", project="harbour",
    ),
    session("inland", message("m", "the lantern in the window"), project="inland"),
]  # fmt: skip
INDEX = Index.build(HISTORY)
OPTIONS = {"now": NOW, "budget_ms": ENOUGH_MS}
SHARE = 12  # of the benchmarks' queries, one in so many is asked


def query(text: str = "lantern", *relevant: Place, **fields: Any) -> LabelledQuery:
    return LabelledQuery(text, relevant or (Place("s1", "m1", "p1"),), **fields)


def ranking(*places: str, **changes: Any) -> SearchResponse:
    """An answer whose hits are these, such as "s1/m1/p1"."""
    ids = (place.split("/") for place in places)
    return response([hit(session_id=s, message_id=m, part_id=p) for s, m, p in ids], **changes)


class Fixed:
    """Holds every place it is asked for, and always gives the same rankings; remembers how it was asked."""

    def __init__(self, *parts: str, sessions: Sequence[str] = (), **changes: Any) -> None:
        self.answers = {"part": ranking(*parts, **changes), "session": ranking(*sessions)}
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def search(self, query: str, **options: Any) -> SearchResponse:
        self.asked.append((query, options))
        return self.answers[options["group"]]

    def holds(self, places: Any, *, project: str | None = None) -> set[Place]:
        return set(places)


def untimed(figures: Figures) -> Figures:
    return replace(figures, cpu_ms_p50=None, cpu_ms_p95=None)


PARTS = ("s1/m0/p0", "s1/m0/p1", "s2/m1/p1", "s1/m1/p0", "s1/m1/p1")
SESSIONS = ("s2/m/p", "s1/m/p")


def test_figures_by_hand() -> None:
    found = evaluate(Fixed(*PARTS, sessions=SESSIONS), [query()])
    assert found.overall.parts is not None
    assert (found.overall.parts.hit_1, found.overall.parts.hit_10, found.overall.parts.mrr_10) == (0.0, 1.0, 0.2)
    assert found.overall.sessions is not None
    assert found.overall.sessions.mrr_10 == 0.5
    assert found.overall.ndcg_10 == pytest.approx(1 / math.log2(4))  # its message stands third among messages
    assert (found.queries, found.measured, found.missing, found.refused) == (1, 1, 0, 0)
    assert found.overall == found.kinds["query"]
    assert found.against is None


@pytest.mark.parametrize(
    ("asked", "part", "ndcg"),
    [
        pytest.param(query("q", Place("s1", "m1")), 1 / 4, 1 / math.log2(4), id="any part of a message"),
        pytest.param(query(also=[Place("s1", "m0", "p1")]), 1 / 2, 1.0, id="another acceptable place stands in"),
        pytest.param(query(exclude=[Place("s1", "m0")]), 1 / 3, 1 / math.log2(3), id="a message is left out"),
        pytest.param(query("q", Place("s9", "m1", "p1")), 0.0, 0.0, id="not found"),
        pytest.param(
            query("q", Place("s1", "m1", "p1"), Place("s1", "m0", "p1")),
            1 / 2,
            (1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3)),
            id="several answers",
        ),
    ],
)
def test_where_an_answer_stands(asked: LabelledQuery, part: float, ndcg: float) -> None:
    overall = evaluate(Fixed(*PARTS, sessions=SESSIONS), [asked]).overall
    assert overall.parts is not None
    assert overall.parts.mrr_10 == pytest.approx(part)
    assert overall.ndcg_10 == pytest.approx(ndcg)


def test_grades_by_hand() -> None:
    """Parts and recall look for the best grade, nDCG for all."""
    near, best, gone = Place("s1", "m0", "p1"), Place("s1", "m1", "p1"), Place("s9", "m1")
    asked = query("q", near, best, gone, grades={near: 1, best: 2, gone: 2})
    overall = evaluate(Fixed(*PARTS, sessions=SESSIONS), [asked]).overall
    assert overall.parts is not None
    assert (overall.parts.mrr_10, overall.recall_10) == (1 / 5, 0.5)
    gain = 1 + 3 / math.log2(4)  # s1/m0 is first, s2/m1 second, s1/m1 third
    assert overall.ndcg_10 == pytest.approx(gain / (3 + 3 / math.log2(3) + 1 / math.log2(4)))
    binary = query("q", near, best)
    assert untimed(evaluate(Fixed(*PARTS), [binary]).overall) == untimed(
        evaluate(Fixed(*PARTS), [replace(binary, grades={near: 1, best: 1})]).overall
    )


def test_queries_that_nothing_answers_count_by_confidence_alone() -> None:
    engine, nothing = Fixed(*PARTS, sessions=SESSIONS), Fixed()
    hopeless = LabelledQuery("absent", kind="absent", answerable=False)
    found = evaluate(engine, [query(), hopeless, hopeless], against=nothing.search)
    assert (found.queries, found.measured, found.unanswerable, found.missing) == (3, 1, 2, 0)
    assert list(found.kinds) == ["query"]
    level = hit().why.confidence
    assert found.certainty[level] == Certainty(queries=1, right=0.0, unanswerable=2)
    assert sum(one.queries + one.unanswerable for one in found.certainty.values()) == 3
    assert found.against is not None
    assert found.against.certainty["none"] == Certainty(queries=1, right=0.0, unanswerable=2)
    alone = evaluate(nothing, [hopeless])
    assert (alone.measured, alone.overall.sessions, alone.certainty["none"]) == (0, None, Certainty(0, None, 1))


def test_beyond_ten_is_not_found() -> None:
    many = Fixed(*(f"s1/x{n}/p" for n in range(10)), "s1/m1/p1", sessions=[*(f"x{n}/m/p" for n in range(10)), "s1/m/p"])
    overall = evaluate(many, [query()]).overall
    assert overall.parts is not None
    assert overall.sessions is not None
    assert (overall.parts.hit_10, overall.parts.mrr_10, overall.sessions.hit_10, overall.ndcg_10) == (0.0,) * 4


def test_sessions_are_ranked_by_the_engine_except_where_a_message_is_left_out() -> None:
    def rank_of(asked: LabelledQuery) -> float:
        sessions = evaluate(Fixed(*PARTS, sessions=["s7/m/p", "s2/m/p"]), [asked]).overall.sessions
        assert sessions is not None
        return sessions.mrr_10

    assert rank_of(query("q", Place("s2", "m1", "p1"))) == 0.5
    assert rank_of(query("q", Place("s2", "m1", "p1"), exclude=[Place("s1", "m0")])) == 1.0
    assert rank_of(query("q", Place("s2", "m1", "p1"), relevant_sessions=["s7"])) == 1.0


def test_a_whole_session_has_no_part() -> None:
    overall = evaluate(Fixed(*PARTS, sessions=SESSIONS), [query("q", Place("s1"))]).overall
    assert (overall.parts, overall.ndcg_10) == (None, None)
    both = evaluate(Fixed(*PARTS, sessions=SESSIONS), [query("q", Place("s1")), query(kind="named")])
    assert both.overall.parts is not None
    assert (both.overall.queries, both.overall.parts.queries) == (2, 1)
    assert list(both.kinds) == ["named", "query"]


def test_empty_and_degraded_answers_are_counted() -> None:
    empty = evaluate(Fixed(), [query()]).overall
    assert (empty.empty, empty.degraded, empty.degrade_kinds) == (1.0, 0.0, {})
    late = evaluate(Fixed(*PARTS, degrade_kind="time", degrade_kinds=("time", "fallback")), [query(), query()]).overall
    assert (late.empty, late.degraded, late.degrade_kinds) == (0.0, 1.0, {"fallback": 2, "time": 2})


def test_a_query_that_points_back_is_asked_as_of_its_own_moment() -> None:
    said = message("said", "the lantern stood on the quay", time=NOW - 60_000)
    asks = message("asks", "where did we say the lantern stood", time=NOW)
    later = message("later", "the lantern stood, as said, where the lantern stood", time=NOW + 60_000)
    index = Index.build([session("talk", said, asks, later)])
    options = {"now": NOW + 120_000, "budget_ms": ENOUGH_MS}
    back = {"query": "where did we say the lantern stood", "relevant": [{"session": "talk", "message": "said"}]}
    alone = evaluate(index, [{**back, "before": NOW}], **options).overall.parts
    beside = evaluate(index, [back], **options).overall.parts
    assert alone is not None
    assert beside is not None
    assert (alone.hit_1, beside.hit_1) == (1.0, 0.0)
    dated = evaluate(index, [{**back, "before": "a Tuesday of long ago"}, back], **options)
    assert (dated.measured, dated.refused) == (1, 1)


def test_how_queries_are_asked() -> None:
    engine = Fixed(*PARTS, sessions=SESSIONS)
    evaluate(engine, [query("one", kind="two typos"), query("two", project="harbour")], width=90)
    probe, *asked = engine.asked
    assert probe[0] == "probe"
    assert [(text, options["match"]) for text, options in asked] == [("one", "fuzzy")] * 3 + [("two", "smart")] * 3
    assert [options["group"] for _, options in asked] == ["part", "part", "session"] * 2
    assert {options.get("project") for _, options in asked[3:]} == {"harbour"}
    assert {options["width"] for _, options in asked} == {90}
    assert len({options["now"] for _, options in engine.asked}) == 1
    engine.asked.clear()
    evaluate(engine, [query(kind="typo")], match="literal", using={"match": "smart"}, against={})
    assert {options["match"] for text, options in engine.asked if text != "probe"} == {"smart", "literal"}


def test_two_configurations_query_by_query() -> None:
    better, worse = Fixed("s1/m1/p1", sessions=["s1/m/p"]), Fixed(*PARTS, sessions=SESSIONS)
    queries = [query(kind="a"), query(kind="b"), query("q", Place("s2", "m1", "p1"), kind="b")]
    found = evaluate(better, queries, against=worse.search)
    assert found.against is not None
    overall, kinds = found.against.overall, found.against.kinds
    assert overall.part_mrr_10 is not None
    one = overall.part_mrr_10
    assert (one.queries, one.wins, one.losses, one.ties) == (3, 2, 1, 0)
    assert one.mean == pytest.approx((0.8 + 0.8 - 1 / 3) / 3)
    assert one.low <= one.mean <= one.high
    assert kinds["a"].part_mrr_10 is not None
    assert (kinds["a"].part_mrr_10.low, kinds["a"].part_mrr_10.high) == pytest.approx((0.8, 0.8))
    assert overall.session_mrr_10 is not None
    assert (overall.session_mrr_10.wins, overall.session_mrr_10.losses) == (2, 1)
    alone = evaluate(worse, queries)
    assert untimed(overall.figures) == untimed(alone.overall)
    assert {kind: untimed(one.figures) for kind, one in kinds.items()} == {
        kind: untimed(one) for kind, one in alone.kinds.items()
    }


def test_a_comparison_of_sessions_has_no_parts() -> None:
    engine = Fixed(*PARTS, sessions=SESSIONS)
    found = evaluate(engine, [query("q", Place("s1"))], against={"order": "time"})
    assert found.against is not None
    assert (found.against.overall.part_mrr_10, found.against.overall.ndcg_10) == (None, None)
    assert found.against.overall.session_mrr_10 is not None
    assert found.against.overall.session_mrr_10.ties == 1


def test_an_index_and_mappings() -> None:
    asked = {"query": "brass lantern", "relevant": [{"session": "harbour-session", "message": "first-message"}]}
    found = evaluate(INDEX, [asked, {**asked, "project": "harbour"}], **OPTIONS, against={"match": "literal"})
    assert found.overall.parts is not None
    assert (found.measured, found.overall.parts.mrr_10, found.overall.ndcg_10) == (2, 1.0, 1.0)
    assert found.overall.cpu_ms_p50 is not None
    assert found.overall.cpu_ms_p95 is not None
    assert 0 <= found.overall.cpu_ms_p50 <= found.overall.cpu_ms_p95


def test_what_is_not_in_the_index_is_no_miss() -> None:
    here = query("whale oil", Place("harbour-session", "second"), Place("harbour-session", "gone"))
    gone = query("whale oil", Place("harbour-session", "gone"))
    elsewhere = query("whale oil", Place("harbour-session", "second"), project="inland")
    found = evaluate(INDEX, [here, gone, elsewhere], **OPTIONS)
    assert (found.queries, found.measured, found.missing, found.missing_places) == (3, 1, 2, 1)
    assert found.overall.ndcg_10 == 1.0
    nothing = evaluate(INDEX, [gone], **OPTIONS, against={"match": "fuzzy"})
    assert (nothing.measured, nothing.missing, nothing.kinds) == (0, 1, {})
    assert nothing.overall.sessions is nothing.overall.cpu_ms_p50 is nothing.overall.ndcg_10 is None
    assert nothing.against is not None
    assert nothing.against.overall.session_mrr_10 is None


def test_a_query_that_a_search_refuses_is_counted() -> None:
    def picky(text: str, **options: Any) -> SearchResponse:
        if text == "no":
            raise ValueError(text)
        return INDEX.search(text, **options)

    asked = [query("no", Place("inland")), query("window", Place("inland"))]
    for given in ({"using": picky}, {"against": picky}):
        found = evaluate(INDEX, asked, **OPTIONS, **given)  # type: ignore[arg-type]
        assert (found.queries, found.measured, found.refused) == (2, 1, 1)


def test_nothing_private_comes_out() -> None:
    asked = [query("whale oil lantern", Place("harbour-session", "second"), id="brass")]
    told = evaluate(INDEX, asked, **OPTIONS, against={"match": "fuzzy"}).to_dict()
    assert not [secret for secret in SECRETS if secret in str(told)]
    assert told["against"]["overall"]["part_mrr_10"]["ties"] == 1
    assert told["overall"]["parts"] == {"queries": 1, "hit_1": 1.0, "hit_10": 1.0, "mrr_10": 1.0}


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int | None]] = []
    asked = [query("window", Place("inland"))] * 2
    evaluate(INDEX, asked, progress=lambda *state: told.append(state), **OPTIONS)
    assert told == [("evaluating", 0, 2), ("evaluating", 1, 2), ("evaluating", 2, 2)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"queries": []}, "there are no queries"),
        ({"queries": "lantern"}, "queries must be LabelledQuery records or mappings, not str"),
        ({"queries": 7}, "queries must be LabelledQuery records or mappings, not int"),
        ({"queries": {"query": "lantern"}}, "not dict"),
        ({"queries": [query(), {"query": "lantern"}]}, r"queries\[1\]: relevant must name"),
        ({"queries": [None]}, r"queries\[0\]: a query must be"),
        ({"index": HISTORY}, "index must be a recall_rank.Index or Recall, not list"),
        ({"banana": 1}, "unknown option banana"),
        ({"against": {"banana": 1}}, "unknown option banana"),
        ({"match": "loose"}, "match must be 'literal'"),
        ({"against": {"match": "loose"}}, "match must be 'literal'"),
        ({"scope": "project"}, "needs a context"),
        ({"results": 3}, "results cannot be chosen"),
        ({"against": {"group": "session", "offset": 1}}, "offset, group cannot be chosen"),
        ({"against": "fuzzy"}, "against must be a mapping of options or a function, not 'fuzzy'"),
        ({"using": 3}, "using must be a mapping of options or a function, not 3"),
        ({"using": lambda *_, **__: []}, "must return a recall_rank.SearchResponse, not list"),
    ],
)
def test_wrong_use_is_an_error(given: dict[str, Any], words: str) -> None:
    asked = {"index": INDEX, "queries": [query("window", Place("inland"))], **given}
    with pytest.raises((ValueError, TypeError), match=words):
        evaluate(asked.pop("index"), asked.pop("queries"), **asked)


def test_importing_the_module_does_not_hide_the_function() -> None:
    assert recall_rank.evaluate is evaluate
    assert isinstance(evaluate(INDEX, [query("window", Place("inland"))], **OPTIONS), Evaluation)


def as_labelled(one: BenchQuery) -> LabelledQuery:
    return LabelledQuery(
        one.query, [Place(*place) for place in one.relevant], one.id, one.kind, one.project,
        [Place(*place) for place in one.also], [Place(*place) for place in one.exclude], sorted(one.relevant_sessions),
        one.before,
    )  # fmt: skip


def check_beside_benchmarks(engine: Ours, queries: Sequence[BenchQuery]) -> None:
    """The same figures, kind by kind, and the same difference between two modes."""
    assert engine.index is not None
    theirs = figures(bench_evaluate(engine, queries))
    found = evaluate(engine.index, map(as_labelled, queries), budget_ms=60_000.0)
    assert (found.measured, found.missing) == (len(queries), 0)
    for kind, ours in [*found.kinds.items(), ("*", found.overall)]:
        row = theirs[kind]
        assert ours.sessions is not None
        assert round(ours.sessions.hit_1 * ours.queries) == row.session_at_1
        assert round(ours.sessions.hit_10 * ours.queries) == row.session_at_10
        assert ours.sessions.mrr_10 == pytest.approx(row.session_mrr)
        if ours.parts is not None:
            row = theirs["= all parts" if kind == "*" else kind]
            assert round(ours.parts.hit_1 * ours.parts.queries) == row.part_at_1
            assert round(ours.parts.hit_10 * ours.parts.queries) == row.part_at_10
            assert ours.parts.mrr_10 == pytest.approx(row.part_mrr)
    same = [one for one in queries if "typo" not in one.kind]
    smart = evaluate(engine.index, map(as_labelled, same), budget_ms=60_000.0, against={"match": "fuzzy"})
    fuzzy = evaluate(engine.index, map(as_labelled, same), budget_ms=60_000.0, match="fuzzy")
    assert smart.against is not None
    assert smart.against.overall.figures.parts == fuzzy.overall.parts
    parts, _ = reciprocals(bench_evaluate(engine, same))
    gap = smart.against.overall.part_mrr_10
    assert gap is not None
    assert fuzzy.overall.parts is not None
    assert gap.mean == pytest.approx(sum(parts.values()) / len(parts) - fuzzy.overall.parts.mrr_10)


@pytest.mark.slow
def test_figures_are_those_of_the_benchmarks() -> None:
    engine = Ours()
    engine.build(generate.sessions(1500, 3))
    check_beside_benchmarks(engine, label(generate.mentions(1500, 3), 3, per_kind=4))


@pytest.mark.shared
def test_figures_are_those_of_the_benchmarks_on_real_histories(shared: Path) -> None:
    engine = Ours()
    engine.build(read_history(shared / "histories"))
    dataset.release()
    check_beside_benchmarks(engine, read_queries(shared / "histories" / "queries.jsonl")[::SHARE])


def test_the_interval_is_that_of_the_benchmarks() -> None:
    better, worse = Fixed("s1/m1/p1"), Fixed(*PARTS)
    queries = [query(id=str(n)) if n % 3 else query("q", Place("s2", "m1", "p1"), id=str(n)) for n in range(9)]
    found = evaluate(better, queries, against=worse.search)
    assert found.against is not None
    one = found.against.overall.part_mrr_10
    assert one is not None
    ours = {str(n): 1.0 if n % 3 else 0.0 for n in range(9)}
    theirs = {str(n): 0.2 if n % 3 else 1 / 3 for n in range(9)}
    same = paired(ours, theirs)
    assert (one.mean, one.low, one.high) == pytest.approx((same.mean, same.low, same.high))
