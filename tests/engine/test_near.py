"""What is close when nothing is found."""

from __future__ import annotations

from engine.samples import session

from recall_rank.corpus import Index


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


def test_a_literal_in_another_order_names_the_session_of_its_words() -> None:
    answer = corpus().search("upload every", match="literal")
    assert not answer.results
    assert [(miss.kind, miss.session_id) for miss in answer.near_misses] == [("session", "s1")]


def test_nothing_is_near_while_there_are_hits() -> None:
    assert corpus().search("harbour").near_misses == ()


def test_a_filter_hides_its_near_misses_too() -> None:
    assert corpus().search("schxdxlxr", session_id="s2").near_misses == ()
