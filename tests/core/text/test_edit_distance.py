"""The kernel edit_distance gives the optimal string alignment distance up to its bound."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from recall_rank._core.text.edit_distance import osa_distance
from tests.reference.text import edit_distance as reference
from tests.support.kernels.inputs import seeds

LETTERS = "abé中\U0001f642"
strings = st.text(st.sampled_from(LETTERS), max_size=14)

ROWS = [
    pytest.param("", "", 0, 0, id="nothing"),
    pytest.param("abc", "abc", 0, 0, id="equal"),
    pytest.param("abc", "abd", 0, 1, id="bound 0 tells only equal from not"),
    pytest.param("", "abc", 3, 3, id="insert"),
    pytest.param("abc", "", 2, 3, id="delete beyond the bound"),
    pytest.param("kitten", "sitting", 3, 3, id="replace and insert"),
    pytest.param("kitten", "sitting", 2, 3, id="bound + 1 for anything farther"),
    pytest.param("t", "rts", 2, 2, id="insert on both sides"),
    pytest.param("xabcx", "yabcdey", 4, 4, id="the farthest diagonal"),
    pytest.param("abcd", "abdc", 1, 1, id="swap of neighbours"),
    pytest.param("ab", "ba", 1, 1, id="swap at both ends"),
    pytest.param("ca", "abc", 3, 3, id="nothing is edited between swapped letters"),
    pytest.param("abcdef", "badcfe", 3, 3, id="three swaps"),
    pytest.param("abcdef", "badcfe", 2, 3, id="a swap reaches two rows up"),
    pytest.param("\ud800a", "a\ud800", 1, 1, id="lone surrogates are characters"),
    pytest.param("a" * 512, "a" * 511 + "b", 1, 1, id="longest"),
    pytest.param("a" * 8 + "b" * 504, "b" * 504 + "a" * 8, 8, 9, id="longest, far"),
]


@pytest.mark.parametrize(("a", "b", "bound", "edits"), ROWS)
def test_rows(a: str, b: str, bound: int, edits: int) -> None:
    assert osa_distance(a, b, bound) == edits
    assert osa_distance(b, a, bound) == edits
    assert reference.osa_distance(a, b, bound) == edits


@pytest.mark.parametrize("bound", [-1, 9, 2**31 - 1, -(2**31)])
def test_bound_is_0_to_8(bound: int) -> None:
    with pytest.raises(ValueError, match=str(bound)):
        osa_distance("a", "b", bound)


@pytest.mark.parametrize(("a", "b"), [("a" * 513, ""), ("", "a" * 513)])
def test_strings_have_at_most_512_characters(a: str, b: str) -> None:
    with pytest.raises(ValueError, match="512"):
        osa_distance(a, b, 8)


@pytest.mark.parametrize(("a", "b"), [(None, ""), ("", None), (b"", "")])
def test_only_strings_are_compared(a: Any, b: Any) -> None:
    with pytest.raises(TypeError):
        osa_distance(a, b, 1)


def edited(chance: Random, text: str) -> tuple[str, int]:
    """Return the text after some edits, and an upper bound of its distance."""
    cost = 0
    for _ in range(chance.randint(0, 4)):
        at = chance.randint(0, len(text))
        left, right = text[:at], text[at:]
        swap = left + right[1:2] + right[:1] + right[2:]
        # where another edit parts the two, a swap cannot count once: it is given two
        change, price = chance.choice(
            [(left + "b" + right, 1), (left + right[1:], 1), (left + "é" + right[1:], 1), (swap, 2)]
        )
        text, cost = change, cost + price
    return text, cost


@given(seeds)
def test_the_distance_is_that_of_the_full_matrix(chance: Random) -> None:
    a, other = ("".join(chance.choices(LETTERS, k=chance.randint(0, 12))) for _ in range(2))
    near, cost = edited(chance, a)
    assert osa_distance(a, near, 8) <= cost
    for b in (near, other):
        for bound in (chance.randint(0, 3), chance.randint(0, 8)):
            assert osa_distance(a, b, bound) == reference.osa_distance(a, b, bound) == osa_distance(b, a, bound)


@given(
    st.text(st.sampled_from(LETTERS), max_size=14), st.text(st.sampled_from(LETTERS), max_size=14), st.integers(0, 8)
)
@example("abcdef", "badcfe", 3)
def test_the_distance_is_rapidfuzz_s(a: str, b: str, bound: int) -> None:
    assert osa_distance(a, b, bound) == min(OSA.distance(a, b), bound + 1)
