"""Measures by hand, and against an evaluation library."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.evaluation.metrics import bootstrap, first_rank, mean, ndcg, quantile, reciprocal, share
from tests.support.examples import examples


def test_ranks_by_hand() -> None:
    assert first_rank("abcb", "b") == 2
    assert first_rank("abc", "z") is None
    assert [reciprocal(1), reciprocal(4), reciprocal(10), reciprocal(11), reciprocal(None)] == [
        1.0,
        0.25,
        0.1,
        0.0,
        0.0,
    ]
    assert (mean([1.0, 0.25]), share([True, False, False, True]), share([])) == (0.625, 0.5, 0.0)
    assert math.isnan(mean([]))
    assert (quantile([5, 1, 4, 2, 3], 0.5), quantile(range(100), 0.95), quantile([7], 0.99)) == (3, 95, 7)


def test_gain_by_hand() -> None:
    assert ndcg("ab", "a", 1) == 1.0
    assert ndcg("ba", "a", 1) == pytest.approx(1 / math.log2(3))
    assert ndcg("xaybz", "ab", 2) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3)))
    assert ndcg("x" * 10 + "a", "a", 1) == 0.0
    assert ndcg("", "a", 1) == 0.0


def test_what_stands_in_for_an_answer_gains_no_more_than_the_answers_would() -> None:
    assert ndcg("abc", "abc", 1) == 1.0
    assert ndcg("xabc", "abc", 1) == ndcg("xa", "a", 1)


@examples(50)
@given(st.permutations([str(number) for number in range(14)]), st.integers(1, 14))
def test_measures_are_those_of_a_library(ranking: list[str], count: int) -> None:
    relevant = {str(number) for number in range(count)}
    run = {"q": {item: float(-place) for place, item in enumerate(ranking)}}
    values: dict[Any, float] = ir_measures.calc_aggregate(
        [ir_measures.nDCG @ 10, ir_measures.RR @ 10], {"q": dict.fromkeys(relevant, 1)}, run
    )
    assert ndcg(ranking, relevant, count) == pytest.approx(values[ir_measures.nDCG @ 10])
    assert reciprocal(first_rank(ranking, relevant)) == pytest.approx(values[ir_measures.RR @ 10])


def test_the_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    gaps = [float(number % 2) for number in range(40)]
    low, high = bootstrap(gaps)
    assert 0.2 < low < 0.5 < high < 0.8
    assert bootstrap(gaps) == (low, high)
    assert bootstrap([0.25]) == bootstrap([0.25, 0.25]) == (0.25, 0.25)
