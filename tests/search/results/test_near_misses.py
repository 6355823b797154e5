"""Near misses of queries without hits."""

from __future__ import annotations

import pytest

from recall_rank.corpus import Index
from tests.support.index.cutting import Cut, joined_index
from tests.support.search.samples import ask, session, texts


def corpus() -> Index:
    return Index.build(
        [
            session("s1", "the harbour scheduler retries every upload"),
            session("s2", "tides and moons"),
        ]
    )


def test_a_word_beyond_repair_names_its_neighbours() -> None:
    answer = corpus().search("schxdxlxr")
    assert not answer.results
    assert [(miss.kind, miss.text) for miss in answer.near_misses] == [("term", "scheduler")]


@pytest.mark.parametrize(
    ("filters", "said"), [({}, "nobody wrote"), ({"title": "s1"}, "nothing that the filters leave has")]
)
def test_it_is_not_said_of_what_was_left_out(filters: dict[str, str], said: str) -> None:
    index = Index.build(
        [session("s1", "the harbour scheduler retries", title="s1"), session("s2", "tides", title="s2")]
    )
    (miss,) = index.search("schxdxlxr", **filters).near_misses
    assert miss.reason == f"3 edits from 'schxdxlxr', which {said}"


def test_a_literal_in_another_order_names_the_session_of_its_words() -> None:
    answer = corpus().search("upload every", match="literal")
    assert not answer.results
    assert [(miss.kind, miss.session_id) for miss in answer.near_misses] == [("session", "s1")]


@pytest.mark.parametrize("filters", [{}, {"role": "user"}], ids=["all", "filtered"])
@pytest.mark.parametrize("cut", [Cut(1, (), ()), Cut(3, (2, 0, 1, 2), ((0, 3, True),))], ids=["one", "three"])
def test_a_session_that_lacks_one_word_is_near_wherever_it_lies(cut: Cut, filters: dict[str, str]) -> None:
    index = joined_index(
        [
            session("s1", "the harbour scheduler retries every upload"),
            session("s2", "a harbour without uploads, every scheduler asleep"),
            session("s3", "tides and moons"),
            session("s4", "harbour, scheduler"),
        ],
        cut,
    )
    misses = index.search("upload every harbour scheduler retries", match="literal", **filters).near_misses
    told = {miss.session_id: miss.reason for miss in misses}
    assert told["s1"] == "holds all words of the query, not in this form"
    assert told["s2"] == "holds all words of the query but 'retries', not in this form"
    assert set(told) == {"s1", "s2"}


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        pytest.param("upload every schedulr", "holds all words of the query, 'schedulr' only nearly", id="one"),
        pytest.param(
            "uplaod every schedulr", "holds all words of the query, 'uplaod' and 'schedulr' only nearly", id="two"
        ),
        pytest.param(
            "upload bollards schedulr every",
            "holds all words of the query but 'bollards', 'schedulr' only nearly",
            id="beside one that it lacks",
        ),
    ],
)
def test_a_word_that_was_repaired_is_held_only_nearly(query: str, reason: str) -> None:
    misses = corpus().search(query, match="literal").near_misses
    assert [miss.reason for miss in misses if miss.kind == "session"] == [f"{reason}, not in this form"]


def test_nothing_is_near_while_there_are_hits() -> None:
    assert corpus().search("harbour").near_misses == ()


@pytest.mark.parametrize("match", ["literal", "smart"])
def test_behind_the_last_page_nothing_is_near_and_nothing_is_to_be_tried(match: str) -> None:
    index = texts("the lantern wick", "a wick for the lantern")
    behind = ask(index, "lantern wick", match=match, offset=5)
    assert behind.total > 0
    assert (list(behind.results), tuple(behind.near_misses), tuple(behind.suggestions)) == ([], (), ())


def test_a_filter_hides_its_near_misses_too() -> None:
    assert corpus().search("schxdxlxr", session_id="s2").near_misses == ()
