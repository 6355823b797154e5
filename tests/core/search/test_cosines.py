"""Dot products of a query with the int8 vectors of a segment, against the slow version."""

from __future__ import annotations

import math
import time
from array import array
from random import Random

import pytest
from hypothesis import given

from recall_rank._core.search.cosines import cosines
from tests.reference.search import cosines as reference
from tests.support.kernels.inputs import seeds


def found(
    values: array[int], scales: array[float], query: array[float], deadline_ns: int = 0
) -> tuple[int, list[float]]:
    out = array("f", bytes(4 * len(scales)))
    done = cosines(values, scales, query, out, deadline_ns)
    return done, out.tolist()


@given(seeds)
def test_every_product_is_that_of_the_slow_version(chance: Random) -> None:
    size, count = chance.choice([1, 2, 7, 16, 33, 384, 700, 2100]), chance.randint(0, 6)
    extreme = chance.random() < 0.3
    draw = (lambda: chance.choice((-127, 127))) if extreme else (lambda: chance.randint(-127, 127))
    values = array("b", (draw() for _ in range(size * count)))
    scales = array("f", (chance.choice([0.0, 1 / 127, chance.random()]) for _ in range(count)))
    query = array("f", (chance.choice((-1.0, 1.0)) if extreme else chance.gauss(0, 1) for _ in range(size)))
    done, products = found(values, scales, query)
    assert done == count
    length = math.sqrt(sum(value * value for value in query))
    wanted = reference.cosines(values, scales, query)
    most = max(map(abs, query), default=0) * size / min(32767, (2**31 - 1) // (127 * size))
    for product, other, scale in zip(products, wanted, scales, strict=True):
        assert product == pytest.approx(other, rel=1e-4, abs=127 * scale * most + 1e-6 * length)


def test_a_vector_has_the_cosine_1_with_itself() -> None:
    values = array("b", [127, -64, 0, 32])
    length = math.sqrt(sum(value * value for value in values))
    _, (own,) = found(values, array("f", [1 / length]), array("f", [value / length for value in values]))
    assert own == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("size", [384, 516, 517, 2100, 5000])
def test_the_largest_sum_does_not_overflow(size: int) -> None:
    values, query = array("b", [127] * size + [-127] * size), array("f", [1.0] * size)
    _, (most, least) = found(values, array("f", [1.0, 1.0]), query)
    assert (most, least) == (pytest.approx(127 * size, rel=1e-3), pytest.approx(-127 * size, rel=1e-3))


def test_a_query_of_zeros_has_the_product_0() -> None:
    assert found(array("b", [1, 2]), array("f", [1.0]), array("f", [0.0, 0.0])) == (1, [0.0])


def test_no_vector_is_read_after_the_deadline() -> None:
    values, scales = array("b", [1] * 10_000), array("f", [1.0] * 10_000)
    assert found(values, scales, array("f", [1.0]), time.monotonic_ns() - 1) == (0, [0.0] * 10_000)
    assert found(values, scales, array("f", [1.0]), time.monotonic_ns() + 10**12)[0] == 10_000


@pytest.mark.parametrize(
    ("values", "scales", "query", "out"), [(3, 2, 2, 2), (4, 2, 2, 1), (4, 1, 2, 1), (0, 0, 0, 0), (5, 5, 0, 5)]
)
def test_lengths_that_do_not_fit_are_refused(values: int, scales: int, query: int, out: int) -> None:
    with pytest.raises(ValueError, match=r"differ in length|has 1 to"):
        cosines(array("b", [0] * values), array("f", [0] * scales), array("f", [0] * query), array("f", [0] * out))
