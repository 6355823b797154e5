"""Whatever is wrong in the answer of a shard makes that shard one that is not reached, and nothing of it is used."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.index.shards.answer_check import AnswerCheck
from recall_rank.index.shards.questions import (
    EvidenceAnswer,
    EvidenceQuestion,
    NearAnswer,
    ScanAnswer,
    ScanQuestion,
    Score,
    ShardRequest,
)
from recall_rank.index.shards.scoring import Scoring
from recall_rank.shards.shards import Shards
from recall_rank.weights import DEFAULT
from tests.support.search.responses import told
from tests.support.search.samples import ENOUGH_MS, NOW, ask, message, session
from tests.support.shards.broken_shard import BrokenShard, changed, segments_shard
from tests.support.shards.lanterns import check_others_stand, history
from tests.support.shards.wire_shard import WireShard

Change = Callable[[Any], Any]


def cells(at: int, value: Any) -> Change:
    """Return a change of rows: another value in the column `at`, which may be made from the value that was there."""
    return lambda rows: [(*row[:at], value(row[at]) if callable(value) else value, *row[at + 1 :]) for row in rows]


def asked_with(change: Change, field: str, wanted: type = EvidenceAnswer, **options: Any) -> Any:
    """Search three shards, of which the second changes a field of its answers of one class."""

    def answer(shard: WireShard, request: ShardRequest) -> Future[Any]:
        reply = WireShard.submit(shard, request)
        found = reply.result().answer
        if not isinstance(found, wanted) or not (getattr(found, field) or field == "hit_count"):
            return reply
        return changed(shard, request, **{field: change(getattr(found, field))})

    shards = Shards([segments_shard("a"), BrokenShard("b", answer), segments_shard("c")])
    options = {"query": "lantern", "results": 50, **options}
    return shards.search(options.pop("query"), now=NOW, budget_ms=ENOUGH_MS, **options)


HITS: dict[str, Change] = {
    "none": lambda _: None,
    "numbers": lambda _: [1, 2, 3],
    "a text": lambda _: "hits",
    "short rows": lambda rows: [row[:3] for row in rows],
    "one short row": lambda rows: [*rows[:-1], rows[-1][:4]],
    "long rows": lambda rows: [(*row, 1) for row in rows],
    "too few rows": lambda rows: rows[:-1],
    "more rows than there are": lambda rows: [*rows, *rows],
    "a part that it does not have": cells(0, 10_000),
    "a negative part": cells(0, -1),
    "a part as text": cells(0, "1"),
    "a part as float": cells(0, float),
    "a part that is true": cells(0, True),
    "a huge part": cells(0, 10**30),
    "no part": cells(0, None),
    "the document of another part": cells(1, lambda doc: (doc + 1) % 6),
    "a document that it does not have": cells(1, 10_000),
    "a score that is no number": cells(2, nan),
    "one score that is no number": lambda rows: [*rows[:-1], (*rows[-1][:2], nan, *rows[-1][3:])],
    "no score": cells(2, None),
    "an infinite score": cells(2, inf),
    "a score beyond f32": cells(2, 1e300),
    "a score as text": cells(2, "9"),
    "a negative score": cells(2, -5.0),
    "a base that is no number": cells(3, nan),
    "a negative base": cells(3, -5.0),
    "a negative tier": cells(4, -1),
    "a tier that nobody asked for": cells(4, 1),
    "a huge tier": cells(4, 10**30),
    "a tier as text": cells(4, "x"),
}


@pytest.mark.parametrize("kind", HITS)
def test_rows_of_hits_that_cannot_be(kind: str) -> None:
    check_others_stand(asked_with(HITS[kind], "hits"), "b", "its answer is wrong: ")


@pytest.mark.parametrize("count", [-1000, 13, 5, 10**18, "many", None, 6.0, True])
def test_a_number_of_hits_that_cannot_be(count: Any) -> None:
    check_others_stand(asked_with(lambda _: count, "hit_count"), "b", "its answer is wrong: ")


def test_rows_that_come_twice() -> None:
    def answer(shard: WireShard, request: ShardRequest) -> Future[Any]:
        found: Any = WireShard.submit(shard, request).result().answer
        return changed(shard, request, hit_count=2 * len(found.hits), hits=[*found.hits, *found.hits])

    shards = Shards([segments_shard("a"), BrokenShard("b", answer), segments_shard("c")])
    response = shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, results=50)
    check_others_stand(response, "b", "it has a part twice")


SESSIONS: dict[str, Change] = {
    **{kind: change for kind, change in HITS.items() if kind.startswith(("none", "numbers", "short", "a part as"))},
    "rows twice": lambda rows: [*rows, *rows],
    "the document of another part": cells(1, lambda doc: (doc + 1) % 6),
    "a score that is no number": cells(2, nan),
    "no hits": cells(3, 0),
    "negative hits": cells(3, -1),
    "more hits than there are": cells(3, 2),
    "hits as float": cells(3, 1.5),
    "no title": cells(4, None),
    "a negative tier": cells(5, -1),
    "a huge tier": cells(5, 2**40),
}


@pytest.mark.parametrize("kind", SESSIONS)
def test_rows_of_sessions_that_cannot_be(kind: str) -> None:
    check_others_stand(asked_with(SESSIONS[kind], "sessions", group="session"), "b", "its answer is wrong: ")


def test_a_session_that_is_told_twice() -> None:
    """Two rows of one session, which together have as many hits as the answer tells."""
    own = session("b", message("b.0", "the lantern"), message("b.1", "a lantern"), updated=NOW)

    def answer(shard: WireShard, request: ShardRequest) -> Future[Any]:
        question = request.question
        if not isinstance(question, EvidenceQuestion) or question.wanted != "sessions":
            return WireShard.submit(shard, request)
        rows = [(1, 0, 1.0, 1, False, 0), (2, 1, 1.0, 1, False, 0)]
        return changed(shard, request, hit_count=2, sessions=rows)

    broken = BrokenShard("b", answer, [own])
    response = Shards([segments_shard("a"), broken]).search("lantern", now=NOW, budget_ms=ENOUGH_MS, group="session")
    assert response.coverage.not_reached == ("b",)
    assert "it has a session twice" in response.warnings[0]


SCANS: dict[str, Change] = {
    "none": lambda _: None,
    "texts": lambda _: ["x"],
    "floats": lambda _: [1.5],
    "a part that it does not have": lambda _: [99_999],
    "a negative part": lambda parts: [-1, *parts],
    "parts twice": lambda parts: [*parts, *parts],
}


@pytest.mark.parametrize("kind", SCANS)
@pytest.mark.parametrize("match", ["literal", "regex"])
def test_parts_of_a_scan_that_cannot_be(kind: str, match: str) -> None:
    if match == "regex":
        pytest.importorskip("re2")
    response = asked_with(SCANS[kind], "parts", ScanAnswer, match=match)
    assert {result.session_id[0] for result in response.results} == {"a", "c"}
    assert response.coverage.not_reached == ("b",)


NEAR: dict[str, Change] = {
    "none": lambda _: None,
    "a number": lambda _: [5],
    "no segment": lambda _: [],
    "two segments": lambda terms: [*terms, *terms],
    "a term that it does not have": lambda _: [[(123_456, 1)]],
    "a negative term": lambda _: [[(-1, 1)]],
    "edits as text": lambda _: [[(0, "x")]],
    "negative edits": lambda _: [[(0, -5)]],
    "no edits": lambda _: [[(0, 0)]],
    "many edits": lambda _: [[(0, 500)]],
    "a term twice": lambda _: [[(0, 1), (0, 1)]],
    "terms out of order": lambda _: [[(1, 1), (0, 1)]],
    "a short row": lambda _: [[(1,)]],
}


@pytest.mark.parametrize("kind", NEAR)
def test_near_terms_that_cannot_be(kind: str) -> None:
    response = asked_with(NEAR[kind], "terms", NearAnswer, query="lanterm")
    assert {result.session_id[0] for result in response.results} == {"a", "c"}
    assert response.coverage.not_reached == ("b",)


PARTS: dict[str, Change] = {
    "too few": lambda parts: parts[:-1],
    "none": lambda _: None,
    "texts": lambda parts: ["x"] * len(parts),
    "out of order": lambda parts: parts[::-1],
}


@pytest.mark.parametrize("kind", PARTS)
def test_parts_of_all_hits_that_cannot_be(kind: str) -> None:
    response = asked_with(PARTS[kind], "parts", order="time")
    assert {result.session_id[0] for result in response.results} == {"a", "c"}
    assert response.coverage.not_reached == ("b",)


@pytest.mark.parametrize("wrong", [[1.0], [1.0, nan], [1.0, -1.0], [1.0, None], ["x", "x"], None])
def test_scores_of_all_hits_that_cannot_be(wrong: Any) -> None:
    check = AnswerCheck(IndexReader([build(history("a"))]))
    scoring = Scoring((), (1.0,) * 5, (), (), (0.0,) * 12, (0.0,) * 6, 0.0, 0.0, 0.0)
    question = EvidenceQuestion("key", (Score(scoring, None, None, 0),), "scores")
    assert not check.problem(question, EvidenceAnswer(2, True, parts=[1, 3], scores=[1.0, 0.0]))
    assert check.problem(question, EvidenceAnswer(2, True, parts=[1, 3], scores=wrong))


# --- what a question did not allow ----------------------------------------------------------------------------


def _everything(shard: WireShard, request: ShardRequest) -> Future[Any]:
    """Answer as if nothing had been left out."""
    question: Any = request.question
    if isinstance(question, ScanQuestion):
        question = replace(question, keep=None)
    elif isinstance(question, EvidenceQuestion):
        score: Any = question.steps[0]
        question = replace(question, steps=[replace(score, eligible=None, only=None), *question.steps[1:]])
    return WireShard.submit(shard, replace(request, question=question))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"group": "session"},
        {"order": "time"},
        {"order": "time", "group": "session"},
        {"match": "literal"},
    ],
)
def test_nothing_is_shown_that_filters_left_out(options: Any) -> None:
    shards = Shards([segments_shard("a"), BrokenShard("b", _everything), segments_shard("c")])
    excluded = ["b0", "b1", "b2"]
    response = shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, exclude_session_ids=excluded, **options)
    assert {result.session_id[0] for result in response.results} == {"a", "c"}
    assert response.coverage.not_reached == ("b",)
    assert "it has a part that is not eligible" in response.warnings[0]


def test_a_scan_finds_nothing_that_filters_left_out() -> None:
    def answer(shard: WireShard, request: ShardRequest) -> Future[Any]:
        scans = isinstance(request.question, ScanQuestion)
        return _everything(shard, request) if scans else WireShard.submit(shard, request)

    shards = Shards([segments_shard("a"), BrokenShard("b", answer), segments_shard("c")])
    response = shards.search(
        "lantern", now=NOW, budget_ms=ENOUGH_MS, exclude_session_ids=["b0"], match="literal", results=50
    )
    assert response.coverage.not_reached == ("b",)
    assert "it has a part that is not eligible" in response.warnings[0]


def test_nothing_is_shown_that_was_deleted() -> None:
    own = history("b")
    honest = WireShard("b", [build(own)], [frozenset()])
    with_deleted = WireShard("b", [build(own)], [frozenset({0})])
    with_deleted.worker = honest.worker
    response = Shards([segments_shard("a"), with_deleted]).search("lantern", now=NOW, budget_ms=ENOUGH_MS, results=1)
    assert {result.session_id[0] for result in response.results} == {"a"}
    assert "it has a part that is not eligible" in response.warnings[0]


def test_weights_that_are_negative_may_give_negative_scores() -> None:
    weights = replace(DEFAULT, session_log=-3.0, message_before=-2.0, session_talk=-3.0)
    shards = Shards([segments_shard("a"), segments_shard("c")])
    one = Index.build([*history("a"), *history("c")])
    assert told(shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, weights=weights)) == told(
        ask(one, "lantern", weights=weights)
    )
