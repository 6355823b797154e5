"""The kernel token_coverage tells whether the tokens of a text cover its runs of letters and digits."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.text.token_coverage import is_covered
from tests.reference.text import token_coverage as reference
from tests.support.kernels.inputs import seeds

PIECES = [
    "a",
    "B",
    "foo",
    "Bar",
    "7",
    "404",
    "_",
    "-",
    ".",
    " ",
    "'",
    "é",
    "e\u0301",
    "字",
    "\U0001f600",
    "Ⅷ",
    "ﬁ",
    "s",
    "#",
    "+",
]


@given(seeds)
def test_whole_is_a_look_at_every_run(chance: Random) -> None:
    size = chance.choice([3, 12, 40, 200])
    text = "".join(chance.choices(PIECES[: chance.choice([6, 9, len(PIECES)])], k=size)).encode()
    good, clear = is_covered(text)
    assert good == reference.is_covered(text)
    assert good or not clear


@given(st.binary(max_size=200))
def test_whole_of_any_bytes(text: bytes) -> None:
    good, clear = is_covered(text)
    assert good == reference.is_covered(text)
    assert good or not clear


@pytest.mark.parametrize(
    ("text", "good"),
    [
        pytest.param("rateLimiter.end error404 naïve", True, id="joined"),
        pytest.param("x" * 64, True, id="as long as a term"),
        pytest.param("x" * 65, False, id="longer than a term"),
        pytest.param("aB" * 12, False, id="more pieces than are joined"),
        pytest.param("a_" * 20 + "b", True, id="many pieces between separators"),
        pytest.param("", True, id="nothing"),
    ],
)
def test_what_no_word_tells(text: str, good: bool) -> None:
    assert is_covered(text.encode())[0] is good
