"""The kernel passages cuts texts as its slow version does."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.text.passages import passage_ends
from tests.reference.text import passages as reference
from tests.support.kernels.inputs import seeds

ATOMS = [
    b"a",
    b"bc",
    b" ",
    b". ",
    b"? ",
    b"! ",
    b"\n",
    b"\xf8",
    b"\xff",
    "é".encode(),
    "ж".encode(),
    "ก".encode(),
    b"\xe0",
    "中".encode(),
    "🙂".encode(),
    b"\x80" * 9,
]


def some_passage(chance: Random) -> bytes:
    return b"".join(chance.choices(ATOMS, k=chance.randint(0, 60)))


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        pytest.param(b"", [0], id="nothing"),
        pytest.param(b"x" * 20, [20], id="a rest below a quarter stays"),
        pytest.param(b"x" * 21, [16, 21], id="a longer one does not"),
        pytest.param(b"x" * 9 + b"\n" + b"x. " + b"x" * 9, [10, 22], id="behind a line"),
        pytest.param(b"x" * 9 + b"\xf9" + b"x. " + b"x" * 9, [9, 22], id="before a field"),
        pytest.param(b"x" * 9 + b". " + b"x x" + b"x" * 9, [11, 23], id="behind a sentence"),
        pytest.param(b"x" * 9 + b" " + b"x" * 12, [10, 22], id="behind a blank"),
        pytest.param(b"x" * 7 + b" " + b"x" * 14, [16, 22], id="not in the first half"),
        pytest.param(b"x" * 15 + "é".encode() * 3, [15, 21], id="between characters"),
        pytest.param("ж".encode() * 20, [40], id="a letter of two bytes counts as one"),
        pytest.param("ก".encode() * 21, [48, 63], id="a letter of three bytes counts as one"),
        pytest.param("中".encode() * 7, [15, 21], id="a character that is a word counts by its bytes"),
        pytest.param(b"\x80" * 40, [8, 16, 24, 40], id="no characters at all"),
    ],
)
def test_passages(text: bytes, ends: list[int]) -> None:
    assert passage_ends(text, 16) == ends
    assert reference.passage_ends(text, 16) == ends


@pytest.mark.parametrize("longest", [15, 0, -1, -(2**62)])
def test_passages_have_at_least_16_bytes(longest: int) -> None:
    with pytest.raises(ValueError, match=str(longest)):
        passage_ends(b"text", longest)


def test_the_longest_passage_there_can_be() -> None:
    assert passage_ends(b"a b" * 99, 2**63 - 1) == [297]


@given(seeds, st.integers(16, 40))
def test_every_cut_is_at_the_best_place(chance: Random, longest: int) -> None:
    text = some_passage(chance)
    ends = passage_ends(text, longest)
    assert ends == reference.passage_ends(text, longest)
    lengths = reference.lengths(text)
    sizes = [sum(lengths[low:high]) for low, high in pairwise([0, *ends])]
    assert ends[-1] == len(text)
    assert all(longest // 2 <= size <= longest for size in sizes[:-1])
    assert sizes[-1] <= longest + longest // 4
