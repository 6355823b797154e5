"""Signals other than words: the caller's own scores, and quotation marks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from recall_rank.corpus import Index, index_of_segments
from recall_rank.index.segment.build import build
from recall_rank.model import Context, Session
from tests.support.index.cutting import Cut, joined
from tests.support.search.samples import NOW, ask, message, paged, part, session, texts


def order(query: str, **options: object) -> list[str]:
    index = texts("the gull of the north harbour", "the north gull of a harbour", "gulls, harbours, north")
    return [result.message_id for result in ask(index, query, **options).results]


def test_a_signal_of_the_caller_lifts_its_part() -> None:
    plain = order("gull harbour north")
    lifted = order("gull harbour north", extra_scores={f"{plain[-1]}.1": 1.0})
    assert lifted.index(plain[-1]) < plain.index(plain[-1])


@pytest.mark.parametrize("number", [np.float32, np.float64, np.int64, int])
def test_numbers_of_numpy_are_signals(number: type[Any]) -> None:
    plain = order("gull harbour north")
    assert order("gull harbour north", extra_scores={f"{plain[-1]}.1": number(1)}) == order(
        "gull harbour north", extra_scores={f"{plain[-1]}.1": 1.0}
    )
    with pytest.raises(ValueError, match="must map part ids to finite numbers"):
        order("gull", extra_scores={"s.0.1": np.float32("nan")})


@pytest.mark.parametrize("signal", [-5.0, 0.0])
def test_a_signal_below_zero_is_none(signal: float) -> None:
    last = order("gull harbour north")[-1]
    assert order("gull harbour north", extra_scores={f"{last}.1": signal}) == order("gull harbour north")


def test_ids_that_no_part_has_are_counted() -> None:
    index = texts("the gull of the north harbour", "a keeper")
    known, gone = {"s.0.1": 1.0, ("s", "s.1.1"): 0.5}, {"s.7.1": 1.0, ("s", "s.8.1"): 0.5, "s.9.1": 0.0}
    assert ask(index, "gull", extra_scores=known).warnings == ()
    assert ask(index, "gull", extra_scores=known, role="user").warnings == ()
    assert ask(index, "gull", extra_scores={**known, **gone}).warnings == ("no part has 2 of the ids in extra_scores",)
    cut = ask(index, "gull", extra_scores={**known, **gone}, budget_ms=0.001)
    assert cut.degrade_kind == "time"
    assert cut.warnings == ()


def test_the_explanation_names_the_signal() -> None:
    index = texts("the gull of the north harbour")
    [result] = ask(index, "gull", extra_scores={"s.0.1": 1.0}, explain=True).results
    assert result.explain is not None
    assert result.explain["extra"] > 0
    assert sum(result.explain.values()) == pytest.approx(result.score, abs=1e-6)


def test_quotes_weigh_and_do_not_exclude() -> None:
    assert order('"north gull" harbour')[0] == "s.1"
    assert len(order('"north gull" harbour')) == 3


# --- parts that only the caller scored -----------------------------------------------------------------------


def history() -> list[Session]:
    said = {"a": "the gull of the harbour", "b": "nothing alike", "c": "a heron, far inland", "d": "the gull again"}
    return [
        session(key, message(f"{key}.0", part("p", text), role="user" if key < "c" else "assistant", time=NOW - at),
                project="north" if key in "ab" else "south", directory=f"/{key}", title=f"Title {key}")
        for at, (key, text) in enumerate(said.items())
    ]  # fmt: skip


@pytest.fixture(scope="module", params=[None, Cut(2, (0, 1, 0, 1), ())], ids=["one", "segments"])
def birds(request: pytest.FixtureRequest) -> Index:
    return Index(joined(history(), request.param))


@pytest.mark.parametrize("match", ["smart", "fuzzy"])
@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize("order", ["relevance", "time"])
@pytest.mark.parametrize("results", [1, 10])
def test_a_signal_adds_a_hit(birds: Index, match: str, group: str, order: str, results: int) -> None:
    options = {"match": match, "group": group, "order": order}
    plain = {hit.session_id for hit in paged(birds, "gull", **options)}
    response = ask(birds, "gull", extra_scores={("c", "p"): 0.9}, results=results, **options)
    hits = paged(birds, "gull", results=results, extra_scores={("c", "p"): 0.9}, explain=True, **options)
    assert [hit.session_id for hit in hits].count("c") == 1
    assert {hit.session_id for hit in hits} == plain | {"c"} == {"a", "c", "d"}
    assert response.total == len(hits) == 3 or not response.total_exact
    added = next(hit for hit in hits if hit.session_id == "c")
    assert tuple(added.why.matched_fields) == ("extra_scores",)
    assert not added.matched_terms
    assert added.why.confidence == "low"
    assert added.snippet
    assert 0 <= added.score <= 1
    assert sum((added.explain or {}).values()) == pytest.approx(added.score, abs=1e-6)
    assert all("extra_scores" not in hit.why.matched_fields for hit in hits if hit is not added)
    if order == "relevance":
        assert hits[-1] is added, "a signal alone weighs less than words"
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_query_without_hits_has_those_of_the_signal(birds: Index) -> None:
    response = ask(birds, "zephyrine", extra_scores={("c", "p"): 0.9, ("b", "p"): 0.4})
    assert [hit.session_id for hit in response.results] == ["c", "b"]
    assert response.total == 2
    assert response.degrade_kind == "none"
    assert response.answerable < 0.1


@pytest.mark.parametrize(
    ("options", "sessions"),
    [
        ({}, {"a", "b", "c", "d"}),
        ({"session_id": "c"}, {"c"}),
        ({"scope": "session", "context": Context(session_id="b")}, {"b"}),
        ({"project": "south"}, {"c", "d"}),
        ({"directory": "/b"}, {"b"}),
        ({"title": "title c"}, {"c"}),
        ({"exclude_session_ids": ["c"]}, {"a", "b", "d"}),
        ({"sessions": 2}, None),
        ({"role": "user"}, {"a", "b"}),
        ({"after": NOW - 1}, {"a"}),
        ({"type": "tool"}, set()),
        ({"tool_name": "bash"}, set()),
        ({"must": ["heron"]}, {"c"}),
        ({"must_not": ["heron"]}, {"a", "b", "d"}),
    ],
)
@pytest.mark.parametrize("group", ["part", "session"])
def test_what_a_signal_adds_passes_every_filter(
    birds: Index, options: dict[str, Any], sessions: set[str] | None, group: str
) -> None:
    hits = ask(birds, "zephyrine", extra_scores={"p": 0.9}, group=group, **options).results
    found = {hit.session_id for hit in hits}
    assert (found == sessions) if sessions is not None else len(found) == 2


def test_a_deleted_session_is_not_added() -> None:
    index = index_of_segments([build(history()[:2]), build(history()[2:])], [(), (0, 1)])
    assert {hit.session_id for hit in ask(index, "zephyrine", extra_scores={"p": 1.0}).results} == {"a", "b"}


@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize("behind", [[], ["gamma delta"]])
def test_a_part_without_text_is_not_added(group: str, behind: list[str]) -> None:
    index = Index.build([session("s", message("m", part("a", "alpha beta"), part("b", ""), *behind))])
    found = index.search("alpha", group=group, extra_scores={"b": 1.0})
    assert [hit.part_id for hit in found.results] == ["a"]


@pytest.mark.parametrize("match", ["literal", "regex"])
def test_where_the_text_decides_a_signal_only_lifts(birds: Index, match: str) -> None:
    hits = ask(birds, "heron", match=match, extra_scores={"p": 1.0}).results
    assert [hit.session_id for hit in hits] == ["c"]


@pytest.mark.parametrize(
    "scores", [{"nobody": 1.0}, {("a", "nobody"): 1.0}, {("nobody", "p"): 1.0}, {"p": 0}, {"p": -1}]
)
def test_unknown_parts_and_scores_of_nothing_add_nothing(birds: Index, scores: dict[Any, float]) -> None:
    assert not ask(birds, "zephyrine", extra_scores=scores).results


def test_the_score_of_a_session_s_part_comes_first(birds: Index) -> None:
    hits = ask(birds, "zephyrine", extra_scores={"p": 0.2, ("c", "p"): 0.9, ("b", "p"): 0.0}).results
    assert [hit.session_id for hit in hits] == ["c", "a", "d"]


def test_a_title_can_be_added(birds: Index) -> None:
    [hit] = ask(birds, "zephyrine", extra_scores={"c:title": 1.0}).results
    assert (hit.source, hit.session_id) == ("title", "c")


@pytest.mark.parametrize(
    ("scores", "error", "words"),
    [
        (5.0, TypeError, "not 5.0"),
        ([("p", 1.0)], TypeError, "must map part ids"),
        ({3: 1.0}, TypeError, "not 3"),
        ({("a", "p", "x"): 1.0}, TypeError, "session id, part id"),
        ({("a", 3): 1.0}, TypeError, "session id, part id"),
        ({"p": "high"}, TypeError, "'p' to 'high'"),
        ({"p": True}, TypeError, "'p' to True"),
        ({"p": math.nan}, ValueError, "finite"),
        ({("a", "p"): math.inf}, ValueError, "finite"),
        ({"p": -math.inf}, ValueError, "finite"),
    ],
)
def test_other_signals_are_refused_by_name(birds: Index, scores: Any, error: type[Exception], words: str) -> None:
    for call in (birds.search, birds.scores):
        with pytest.raises(error, match=words):
            call("gull", extra_scores=scores)


# --- rows of scores() and columns ----------------------------------------------------------------------------


def test_rows_of_scores_are_named(birds: Index) -> None:
    columns, scores = birds.columns, birds.scores("gull", now=NOW)
    parts, messages, sessions = birds.part_ids, birds.message_ids, birds.session_ids
    assert len(parts) == len(scores) == len(columns["part_message"]) == len(columns["part_is_title"]) == 8
    assert len(messages) == len(columns["message_session"]) == 8
    assert sessions == ["a", "b", "c", "d"]
    rows = [
        (sessions[columns["message_session"][message]], messages[message], parts[row])
        for row, message in enumerate(columns["part_message"])
    ]
    titles = [row for row, title in zip(rows, columns["part_is_title"], strict=True) if title]
    assert [(owner, name) for owner, _, name in titles] == [(key, f"{key}:title") for key in "abcd"]
    hits = ask(birds, "gull").results
    named = {rows[row] for row in scores.nonzero()[0].tolist()}
    assert named == {(hit.session_id, hit.message_id, hit.part_id) for hit in hits}
    best = int(scores.argmax())
    assert (rows[best][0], rows[best][2]) in {(hit.session_id, hit.part_id) for hit in hits}


def test_named_rows_can_be_fused_by_the_caller(birds: Index) -> None:
    """What the rows are for: a signal of one's own over all parts, given back by session and part."""
    columns, parts, sessions = birds.columns, birds.part_ids, birds.session_ids
    own = {"c": 0.8, "b": 0.3}
    scores = {
        (sessions[columns["message_session"][message]], parts[row]): own[sessions[columns["message_session"][message]]]
        for row, message in enumerate(columns["part_message"])
        if not columns["part_is_title"][row] and sessions[columns["message_session"][message]] in own
    }
    assert [hit.session_id for hit in ask(birds, "zephyrine", extra_scores=scores).results] == ["c", "b"]
