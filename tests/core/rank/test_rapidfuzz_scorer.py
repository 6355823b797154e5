"""The scores of rapidfuzz's C interface equal those of its public functions."""

from __future__ import annotations

from array import array
from time import monotonic_ns
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from recall_rank._core.rank.rapidfuzz_scorer import Scorer
from tests.reference.rank import rapidfuzz_scorer as reference

FUNCTIONS = [fuzz.ratio, fuzz.partial_ratio, fuzz.token_sort_ratio, fuzz.token_set_ratio, fuzz.WRatio, fuzz.QRatio]
by_name = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
# characters of one, two and four bytes, and one that no UTF-8 holds
strings = st.text(st.sampled_from("ab éß中\U0001f642\udc80"), max_size=12)


def scores(function: Any, query: str, texts: list[str]) -> list[float]:
    out = array("d", [-1.0] * len(texts))
    assert Scorer(function, query).scores(texts, out) == len(texts)
    return list(out)


def half(query: str, text: str) -> float:
    """A function that has no C interface."""
    return fuzz.ratio(query, text) / 2


class OfAnotherVersion:
    """What looks like a scorer and is none."""

    _RF_Scorer = "not a capsule"

    def __call__(self, query: str, text: str) -> float:
        return half(query, text)


@by_name
def test_the_c_interface_is_used(function: Any) -> None:
    assert Scorer(function, "query").native


@pytest.mark.parametrize("function", [half, OfAnotherVersion()])
def test_without_it_the_function_is_called(function: Any) -> None:
    assert not Scorer(function, "query").native
    assert scores(function, "abc", ["abc", "abd", ""]) == [50.0, half("abc", "abd"), 0.0]


@by_name
def test_rows(function: Any) -> None:
    texts = [
        "",
        "rate limit",
        "limit rate",
        "RATE LIMIT",
        "the rate limit of the gateway",
        "rate\0limit",
        "\udc80",
        "x" * 300,
    ]
    for query in ("", "rate limit", "\udc80", "x" * 300, "é" * 70, "\U0001f642" * 70):
        assert scores(function, query, texts) == [function(query, text) for text in texts]


def test_after_the_deadline_nothing_is_scored() -> None:
    for function in (fuzz.ratio, half):
        out = array("d", [-1.0, -1.0])
        assert Scorer(function, "a").scores(["a", "b"], out, 1) == 0
        assert list(out) == [-1.0, -1.0]
        assert Scorer(function, "a").scores(["a", "b"], out, monotonic_ns() + 10**12) == 2


def test_a_longer_output_is_filled_from_its_start() -> None:
    for function in (fuzz.ratio, half):
        out = array("d", [-1.0, -1.0, -1.0])
        assert Scorer(function, "a").scores(["b"], out) == 1
        assert list(out) == [0.0, -1.0, -1.0]
        assert Scorer(function, "a").scores([], array("d")) == 0


def test_what_is_no_text_is_refused() -> None:
    scorer = Scorer(fuzz.ratio, "a")
    for texts in ([b"a"], [None], ["a", 7]):
        with pytest.raises(TypeError, match="strings"):
            scorer.scores(texts, array("d", [0.0, 0.0]))  # type: ignore[arg-type]
    for texts in (None, "ab", ("a",)):
        with pytest.raises(TypeError):
            scorer.scores(texts, array("d", [0.0, 0.0]))  # type: ignore[arg-type]
    for query in (None, b"a", 7):
        with pytest.raises(TypeError):
            Scorer(fuzz.ratio, query)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Scorer(None, "a")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="too short"):
        scorer.scores(["a", "b"], array("d", [0.0]))
    with pytest.raises(ValueError, match="Buffer"):
        scorer.scores(["a"], array("f", [0.0]))


def test_an_error_of_the_function_is_passed_on() -> None:
    def broken(query: str, text: str) -> float:
        raise ZeroDivisionError(text)

    with pytest.raises(ZeroDivisionError, match="oops"):
        Scorer(broken, "a").scores(["oops"], array("d", [0.0]))


@given(st.sampled_from(FUNCTIONS), strings, st.lists(strings, max_size=4))
def test_scores_are_those_of_the_public_function(function: Any, query: str, texts: list[str]) -> None:
    slow = array("d", [-1.0] * len(texts))
    reference.Scorer(function, query).scores(texts, slow)
    assert scores(function, query, texts) == list(slow)
