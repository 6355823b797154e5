"""The stretch of a text that shows most of a query."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import reference
from hypothesis import given
from kernels.inputs import seeds

from recall_rank._core.stretch import centre

THREE = [(0, 3), (4, 7), (20, 23)]


@pytest.mark.parametrize(
    ("places", "weights", "width", "kinds", "run"),
    [
        pytest.param([], [], 10, None, (0, 0), id="nothing"),
        pytest.param([(5, 9)], [1.0], 10, None, (0, 0), id="one place"),
        pytest.param([(5, 90)], [1.0], 10, None, (0, 0), id="a place longer than the width"),
        pytest.param(THREE, [1.0, 1.0, 1.0], 7, None, (0, 1), id="two near each other"),
        pytest.param(THREE, [1.0, 1.0, 3.0], 7, None, (2, 2), id="one that weighs more"),
        pytest.param(THREE, [1.0, 1.0, 1.0], 6, None, (0, 0), id="one too far: the first of equals"),
        pytest.param(THREE, [1.0, 1.0, 1.0], 99, None, (0, 2), id="all"),
        pytest.param([(0, 3), (5, 8), (10, 13), (14, 17)], [1.0] * 4, 8, None, (2, 3), id="the shorter of equals"),
        pytest.param(
            [(0, 3), (4, 7), (20, 23), (24, 27)], [1.0] * 4, 7, [0, 0, 0, 1], (2, 3), id="a repeat counts little"
        ),
        pytest.param([(0, 3), (4, 7), (20, 23)], [1.0] * 3, 7, [0, 0, 0], (0, 1), id="but it counts"),
        pytest.param(
            [(0, 3), (4, 7), (9, 12)], [4.0, 1.0, 1.0], 8, [0, 0, 1], (0, 1), id="what has left counts no more"
        ),
        pytest.param(THREE, [0.0] * 3, 7, None, (0, 0), id="no weight at all"),
    ],
)
def test_rows(
    places: list[tuple[int, int]], weights: list[float], width: int, kinds: Any, run: tuple[int, int]
) -> None:
    assert centre(places, weights, width, kinds) == run
    assert reference.centre(places, weights, width, kinds) == run


@pytest.mark.parametrize("kind", [-1, 64, 2**31 - 1])
def test_a_kind_is_0_to_63(kind: int) -> None:
    with pytest.raises(ValueError, match=str(kind)):
        centre([(0, 1)], [1.0], 9, [kind])


@pytest.mark.parametrize(("weights", "kinds"), [([], None), ([1.0, 1.0], None), ([1.0], []), ([1.0], [0, 0])])
def test_lists_must_be_of_one_length(weights: list[float], kinds: list[int] | None) -> None:
    with pytest.raises(ValueError, match="length"):
        centre([(0, 1)], weights, 9, kinds)


@pytest.mark.parametrize("place", [None, 7, (1,), (1, 2, 3), ("a", "b"), (2**70, 0)])
def test_a_place_is_a_pair_of_numbers(place: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        centre([place], [1.0], 9)


@pytest.mark.parametrize("wrong", [None, "ab", ((0, 1),)])
def test_only_lists_are_taken(wrong: Any) -> None:
    with pytest.raises(TypeError):
        centre(wrong, [1.0], 9)
    with pytest.raises(TypeError):
        centre([(0, 1)], wrong, 9)


@given(seeds)
def test_the_run_is_the_best_of_all(chance: Random) -> None:
    starts = sorted(chance.randrange(60) for _ in range(chance.randint(0, 14)))
    # a compound and its words begin at one place and end at others
    places = [(start, start + chance.choice([1, 2, 3, 9, 30])) for start in starts]
    weights = [chance.choice([0.0, 0.25, 0.5, 1.0, 4.0]) for _ in places]
    kinds = [chance.choice([0, 1, 1, 63]) for _ in places] if chance.random() < 0.7 else None
    width, repeat = chance.choice([0, 1, 5, 12, 40, 2**40]), chance.choice([0.0, 0.125, 0.5])
    assert centre(places, weights, width, kinds, repeat) == reference.centre(places, weights, width, kinds, repeat)
