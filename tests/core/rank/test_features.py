"""The features of a passage, against their definitions."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from recall_rank._core.rank.features import FEATURE_NAMES
from recall_rank._core.rank.matcher import Matcher
from tests.support.kernels.inputs import seeds
from tests.support.kernels.matchers import features, query, some_passage, some_query


@given(seeds)
def test_measures_are_those_of_every_window_and_run(chance: Random) -> None:
    native, slow = some_query(chance)
    text = some_passage(chance)
    width = chance.choice([1, 2, 3, 5, 24, 2**31 - 1])
    found = features(native, text, width)
    expected = dict(zip(FEATURE_NAMES, slow.features(text, width), strict=True))
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", {"coverage": 0, "words": 0, "window_words": 0}, id="nothing"),
        pytest.param("x y", {"coverage": 0, "window": 0, "words": 2, "window_words": 0}, id="no match"),
        pytest.param("a", {"coverage": 0.25, "window": 0.25, "phrase": 0.25, "near": 0, "matched": 1}, id="one word"),
        pytest.param("a a a", {"coverage": 0.25, "window": 0.25, "phrase": 0.25, "near": 0}, id="once is enough"),
        pytest.param("d c b a", {"coverage": 1, "window": 1, "phrase": 0.25, "near": 0, "exact": 4}, id="out of order"),
        pytest.param(
            "a b c d", {"coverage": 1, "phrase": 1, "near": 1, "start": 0, "end": 7, "window_words": 4}, id="all"
        ),
        pytest.param("a b x c d", {"coverage": 1, "window": 0.75, "phrase": 0.5, "near": 5 / 6}, id="a gap"),
        pytest.param("a x x x x x b", {"near": 1 / 18}, id="six words are still near"),
        pytest.param("a x x x x x x b", {"near": 0}, id="seven are not"),
        pytest.param(
            "x a x x x b c d", {"window": 0.75, "start": 10, "end": 15, "window_words": 3}, id="densest stretch"
        ),
        pytest.param(
            "a x b x x x a b", {"window": 0.5, "start": 12, "end": 15, "window_words": 2}, id="the shorter of equals"
        ),
        pytest.param("a b x x x x a b", {"window": 0.5, "start": 0, "end": 3}, id="the first of equals"),
    ],
)
def test_rows(text: str, expected: dict[str, float]) -> None:
    found = features(query("a", "b", "c", "d"), text.encode())
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_a_stop_word_counts_for_phrases_only() -> None:
    matcher = query("the", "rate", weights=[1.0, 3.0], stop=("the",))
    found = features(matcher, b"the rate")
    assert (found["coverage"], found["window"], found["phrase"], found["matched"]) == (1, 1, 1, 1)
    found = features(matcher, b"the")
    assert (found["coverage"], found["window"], found["phrase"], found["matched"]) == (0, 0, 0.25, 0)


def test_a_joined_form_stands_for_its_words() -> None:
    matcher = query("rate", "limit", "hit")
    matcher.add(b"ratelimit", 0, 2, 1.0)
    for text in (b"ratelimit hit", b"RateLimit hit", b"rate_limit hit", b"rate limit hit"):
        assert features(matcher, text)["phrase"] == 1


@pytest.mark.parametrize(
    ("text", "held"),
    [
        pytest.param("map tiles and gulls", 1, id="together"),
        pytest.param("MapTiles and gulls", 1, id="as one"),
        pytest.param("map of tiles and gulls", 0.25, id="a word between them"),
        pytest.param("tiles map and gulls", 0.25, id="in another order"),
        pytest.param("a map and gulls", 0.5, id="one of them"),
        pytest.param("a map", 0, id="nothing else"),
        pytest.param("gulls", 1, id="none of them"),
        pytest.param("nothing", 1, id="no match"),
    ],
)
def test_pieces_of_a_name_are_evidence_together(text: str, held: float) -> None:
    matcher = query("map", "tiles", "gulls", weights=[1.0, 2.0, 1.0])
    assert features(matcher, text.encode())["held"] == 1
    assert matcher.add_name(0, 2)
    assert features(matcher, text.encode())["held"] == held


def test_there_is_room_for_16_names() -> None:
    matcher = query("a", "b")
    assert [matcher.add_name(*place) for place in ((-1, 1), (0, 0), (0, 3), (2, 1))] == [False] * 4
    assert [matcher.add_name(0, 2) for _ in range(17)] == [True] * 16 + [False]


def test_a_word_that_leaves_the_window_takes_its_similarity_along() -> None:
    matcher = Matcher([4.0, 1.0], [True, True])
    matcher.add(b"rate", 0, 1, 1.0)
    matcher.add(b"rat", 0, 1, 0.25)
    matcher.add(b"hit", 1, 1, 1.0)
    # "rat hit" is worth 2 of 5; the better "rate" is too far away to be in one window with it
    found = features(matcher, b"rate x rat x hit", 4)
    assert (found["coverage"], found["window"], found["start"], found["end"]) == (1, pytest.approx(0.8), 0, 4)


def test_64_words_are_followed() -> None:
    words = [f"w{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(70)]
    matcher = Matcher([1.0] * 70, [True] * 70)
    added = [matcher.add(word.encode(), slot, 1, 1.0) for slot, word in enumerate(words)]
    assert added == [True] * 64 + [False] * 6
    found = features(matcher, " ".join(words).encode(), 99)
    assert (found["coverage"], found["phrase"], found["matched"], found["words"]) == (1, 1, 64, 70)


def test_a_query_of_no_words_matches_nothing() -> None:
    matcher = Matcher([], [])
    assert matcher.add(b"a", 0, 1, 1.0) is False
    assert features(matcher, b"a b") == {**dict.fromkeys(FEATURE_NAMES, 0), "words": 2, "held": 1}
