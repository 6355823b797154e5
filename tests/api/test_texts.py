"""Plain texts: an index of them, and a score for each of a list."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recall_rank as rr
from recall_rank.search.options import MAX_RESULTS
from tests.support.examples import examples
from tests.support.search.samples import ENOUGH_MS, NOW
from tests.support.search.strategies import phrase, query

NOTES = ["fill the oil lantern", "the keel is dry", "a lantern for the quay", "nothing"]
RECORDS: list[dict[str, Any]] = [
    {"id": "a", "body": "fill the oil lantern", "title": "Evening", "time": NOW, "author": "Odile", "other": 5},
    {"id": 7, "body": "the keel is dry", "role": "assistant", "directory": "/srv", "project": "harbor"},
    {"body": "a lantern"},
]


def test_every_text_gets_a_score() -> None:
    found = rr.rerank("oil lantern", NOTES)
    assert [each.index for each in found] == [0, 2, 1, 3]
    assert [each.item for each in found] == [NOTES[0], NOTES[2], NOTES[1], NOTES[3]]
    assert found[0].score > found[1].score > found[2].score == found[3].score == 0
    assert [each.stage for each in found] == ["score", "score", "none", "none"]


def test_the_order_of_the_list_can_be_kept() -> None:
    kept = rr.rerank("oil lantern", NOTES, order="input")
    assert [each.index for each in kept] == [0, 1, 2, 3]
    assert sorted(kept, key=lambda each: each.index) == sorted(
        rr.rerank("oil lantern", NOTES), key=lambda each: each.index
    )


def test_mappings_have_their_text_under_a_key() -> None:
    found = rr.rerank("lantern", RECORDS, key="body")
    assert {each.index for each in found[:2]} == {0, 2}
    assert found[0].item is RECORDS[found[0].index]
    assert [each.score for each in found] == [each.score for each in rr.rerank("lantern", [r["body"] for r in RECORDS])]


def test_of_equal_texts_the_earlier_comes_first() -> None:
    found = rr.rerank("lantern", ["the lantern"] * 30)
    assert [each.index for each in found] == list(range(30))
    assert len({each.score for each in found}) == 1


def test_more_texts_than_a_page_has() -> None:
    chance = Random(5)
    words = [f"w{number}" for number in range(300)]
    many = [" ".join(["lantern", *chance.choices(words, k=9)]) for _ in range(MAX_RESULTS + 200)]
    found = rr.rerank("lantern w7", iter(many), budget_ms=ENOUGH_MS)
    assert sorted(each.index for each in found) == list(range(len(many)))
    assert all(each.score > 0 for each in found)
    assert "w7" in found[0].item.split()


@examples(60)
@given(st.lists(phrase, max_size=12), query, st.sampled_from(("smart", "fuzzy", "literal")))
def test_scores_are_those_of_a_search_over_an_index_of_the_texts(texts: list[str], text: str, match: Any) -> None:
    options: Any = {"match": match, "now": NOW, "budget_ms": ENOUGH_MS}
    results = rr.Index.from_texts(texts).search(text, results=50, **options).results
    found = rr.rerank(text, texts, order="input", **options)
    wanted = {result.session_id: (result.score, result.stage) for result in results}
    assert {str(each.index): (each.score, each.stage) for each in found if each.stage != "none"} == wanted
    assert len(found) == len(texts)


def test_options_of_a_search_are_taken() -> None:
    assert [each.score > 0 for each in rr.rerank("lantern", NOTES, order="input", must=["quay"])] == [
        False,
        False,
        True,
        False,
    ]
    assert rr.rerank("lantren", NOTES, match="literal")[0].score == 0
    assert rr.rerank("lantren", NOTES)[0].score > 0


@pytest.mark.parametrize(
    ("wrong", "error", "told"),
    [
        pytest.param(lambda: rr.rerank("x", "one text"), TypeError, "'one text'"),
        pytest.param(lambda: rr.rerank("x", 5), TypeError, "not 5"),  # type: ignore[type-var]
        pytest.param(lambda: rr.rerank("x", [5]), TypeError, "not 5"),  # type: ignore[type-var]
        pytest.param(lambda: rr.rerank("x", [{"body": "x"}]), ValueError, "no 'text' in texts\\[0\\].*'body'"),
        pytest.param(lambda: rr.rerank("x", [{"text": 5}]), TypeError, "'text' must be a string, not 5"),
        pytest.param(lambda: rr.rerank("x", ["x"], order="best"), ValueError, "'relevance' or 'input'"),  # type: ignore[arg-type]
        pytest.param(lambda: rr.rerank("x", ["x"], results=3), TypeError, "unknown option results"),  # type: ignore[call-arg]
        pytest.param(lambda: rr.rerank("x", ["x"], match="odd"), ValueError, "'odd'"),  # type: ignore[arg-type]
        pytest.param(lambda: rr.rerank("", ["x"]), ValueError, "query"),
        pytest.param(lambda: rr.rerank("", []), ValueError, "query"),
        pytest.param(lambda: rr.Index.from_texts({"a": "x"}), TypeError, "'a'"),
        pytest.param(
            lambda: rr.Index.from_texts([{"id": "1", "text": "x"}, {"id": 1, "text": "y"}]), ValueError, "'1'"
        ),
        pytest.param(lambda: rr.Index.from_texts([{"id": 1.5, "text": "x"}]), TypeError, "1.5"),
        pytest.param(lambda: rr.Index.from_texts([{"title": 5, "text": "x"}]), TypeError, "'title'"),
        pytest.param(lambda: rr.Index.from_texts([{"time": "now", "text": "x"}]), TypeError, "'now'"),
        pytest.param(lambda: rr.Index.from_texts([{"role": "odd", "text": "x"}]), ValueError, "'odd'"),
    ],
)
def test_errors_name_the_value(wrong: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        wrong()


def test_nothing_is_reranked_to_nothing() -> None:
    assert rr.rerank("lantern", []) == []


def test_an_index_of_texts_knows_what_each_record_says() -> None:
    index = rr.Index.from_texts(RECORDS, key="body")
    assert len(index) == 3
    first, second = index.search("oil", now=NOW).results[0], index.search("keel", now=NOW).results[0]
    assert (first.session_id, first.message_id, first.part_id, first.session_title) == ("a", "a", "a", "Evening")
    assert (first.time, first.author, first.role) == (NOW, "Odile", "system")
    assert (second.session_id, second.role, second.directory, second.project) == ("7", "assistant", "/srv", "harbor")
    assert index.search("a lantern", now=NOW, session_id="2").total == 1


def test_an_index_of_texts_changes_like_any_other(tmp_path: Path) -> None:
    with rr.Index.from_texts(NOTES, folder=tmp_path / "notes") as index:
        index.remove(["0"])
        index.add([{"id": "new", "messages": [{"role": "user", "content": "light the lantern"}]}])
    found = rr.Index.open(tmp_path / "notes").search("lantern", now=NOW).results
    assert {result.session_id for result in found} == {"2", "new"}
