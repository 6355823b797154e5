"""Measures by hand, and against an evaluation library."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.evaluation.metrics import bootstrap, first_rank, mean, ndcg, quantile, recall, reciprocal, share
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
    assert ndcg("ab", {"a": 1}) == 1.0
    assert ndcg("ba", {"a": 1}) == pytest.approx(1 / math.log2(3))
    both = {"a": 1, "b": 1}
    assert ndcg("xaybz", both) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3)))
    assert ndcg("x" * 10 + "a", {"a": 1}) == 0.0
    assert ndcg("", {"a": 1}) == 0.0
    assert ndcg("ab", {"a": 1, "b": 2}) == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))
    assert ndcg("ab", {"a": 0, "b": 0.5}) == pytest.approx(1 / math.log2(3))


def test_what_stands_in_for_an_answer_gains_no_more_than_the_answers_would() -> None:
    others = {"b": 1, "c": 1}
    assert ndcg("abc", {"a": 1}, others) == 1.0
    assert ndcg("xabc", {"a": 1}, others) == ndcg("xb", {"a": 1}, others) == ndcg("xa", {"a": 1})
    assert ndcg("bc", {"a": 1}, {"b": 5}) == 1.0
    assert (recall("xbc", "abc", 1), recall("xbc", "abc", 3), recall("xbc", "a", 1)) == (1.0, 2 / 3, 0.0)
    assert recall("x" * 10 + "a", "a", 1) == 0.0


def slow_ndcg(ranking: list[str], grades: dict[str, int]) -> float:
    """nDCG@10 by the words of its definition."""

    def dcg(order: list[str]) -> float:
        total = 0.0
        for rank in range(1, 11):
            if rank <= len(order):
                total += (2 ** grades.get(order[rank - 1], 0) - 1) / math.log2(rank + 1)
        return total

    return dcg(ranking) / dcg(sorted(grades, key=lambda item: -grades[item]))


ITEMS = [str(number) for number in range(14)]
GRADES = st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 4)).filter(lambda grades: any(grades.values()))


@examples(100)
@given(st.permutations(ITEMS).flatmap(lambda order: st.integers(0, 14).map(lambda count: order[:count])), GRADES)
def test_graded_measures_are_those_of_the_definition_and_of_a_library(
    ranking: list[str], grades: dict[str, int]
) -> None:
    run = {"q": {item: float(-place) for place, item in enumerate(ranking)}}
    gains = {grade: 2**grade - 1 for grade in range(5)}
    best = {item for item, grade in grades.items() if grade == max(grades.values())}
    assert ndcg(ranking, grades) == pytest.approx(slow_ndcg(ranking, grades))
    assert recall(ranking, best, len(best)) == len([item for item in ranking[:10] if item in best]) / len(best)
    if ranking:
        measures = [ir_measures.nDCG(gains=gains) @ 10, ir_measures.R @ 10]
        values: dict[Any, float] = ir_measures.calc_aggregate(measures[:1], {"q": grades}, run)
        assert ndcg(ranking, grades) == pytest.approx(values[measures[0]])
        values = ir_measures.calc_aggregate(measures[1:], {"q": dict.fromkeys(best, 1)}, run)
        assert recall(ranking, best, len(best)) == pytest.approx(values[measures[1]])


@examples(50)
@given(st.permutations([str(number) for number in range(14)]), st.integers(1, 14))
def test_measures_are_those_of_a_library(ranking: list[str], count: int) -> None:
    relevant = {str(number) for number in range(count)}
    run = {"q": {item: float(-place) for place, item in enumerate(ranking)}}
    values: dict[Any, float] = ir_measures.calc_aggregate(
        [ir_measures.nDCG @ 10, ir_measures.RR @ 10], {"q": dict.fromkeys(relevant, 1)}, run
    )
    assert ndcg(ranking, dict.fromkeys(relevant, 1)) == pytest.approx(values[ir_measures.nDCG @ 10])
    assert reciprocal(first_rank(ranking, relevant)) == pytest.approx(values[ir_measures.RR @ 10])


def test_the_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    gaps = [float(number % 2) for number in range(40)]
    low, high = bootstrap(gaps)
    assert 0.2 < low < 0.5 < high < 0.8
    assert bootstrap(gaps) == (low, high)
    assert bootstrap([0.25]) == bootstrap([0.25, 0.25]) == (0.25, 0.25)
