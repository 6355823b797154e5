"""Words that nobody looks for, passed over 64 bytes at a time."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.rank.matcher import Matcher
from recall_rank._core.text.tokens import looked_at
from tests.reference.text import token_skipper as reference
from tests.support.kernel_inputs import seeds
from tests.support.matchers import WRITTEN, some_query

SIGNS = [" ", " ", " ", "\n", ", ", ".", "_", "-", "'", "#", "%", "+", "++", "\u2019", "é", "中", "", ""]
PIECES = [*WRITTEN, "AB", "ABc", "Abc", "s", "'s", "1", "12", "4x", "x4"]


def some_code(chance: Random) -> bytes:
    """Compounds and prose over several times 64 bytes, some of it broken."""
    text = bytearray()
    for piece in chance.choices(PIECES, k=chance.randint(0, 80)):
        text += piece.encode() + chance.choice(SIGNS).encode()
    for at in chance.sample(range(len(text)), min(len(text), chance.choice([0, 0, 3]))):
        text[at] = chance.randrange(256)
    return bytes(text)


@given(seeds)
def test_what_is_passed_over_is_counted(chance: Random) -> None:
    native, slow = some_query(chance)
    text = some_code(chance)
    assert native.form_matches(text, 0, len(text)) == slow.form_matches(text, 0, len(text))


@given(st.binary(min_size=64, max_size=64), st.booleans())
def test_bytes_are_told_apart_alike_many_at_a_time(text: bytes, wide: bool) -> None:
    assert looked_at(text, wide) == reference.looked_at(text)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("first", range(0, 256, 64))
def test_every_byte_is_told_apart(first: int, wide: bool) -> None:
    text = bytes(range(first, first + 64))
    assert looked_at(text, wide) == reference.looked_at(text)
    with pytest.raises(ValueError, match="63"):
        looked_at(text[1:], wide)


@pytest.mark.parametrize("before", range(130))
@pytest.mark.parametrize(
    ("written", "place"),
    [("wanted", 0), ("Wanted's", 0), ("x.wanted", 1), ("xWanted", 1), ("wan_ted.y", 0), ("100%-wanted", 1)],
)
def test_a_word_is_found_wherever_it_stands(written: str, place: int, before: int) -> None:
    matcher = Matcher([1.0], [True])
    matcher.add(b"wanted", 0, 1, 1.0)
    text = (b"ab " * 50)[:before] + b" " + written.encode() + b" cd" * 30
    words = (before + 2) // 3
    assert [event[-1] for event in matcher.form_matches(text, 0, len(text))] == [words + place]
