"""Numbering the distinct forms of a vocabulary, seen through the builder: nothing is numbered twice or mixed up."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from kernels.inputs import texts, typed

from recall_rank._core.builder import SegmentBuilder

# forms that begin alike, differ in their last bytes, or only in length: what a slot of the table tells apart
alike = st.builds(
    lambda start, size, end: start[:size] + end,
    st.sampled_from(["abcdefghijklmnopq", "abcdefgh", "щщщщщщщщ", "abcdefghabcdefghabcdefgh"]),
    st.integers(1, 24),
    st.sampled_from(["", "a", "b", "щ", "aa"]),
)


def vocabulary(builder: SegmentBuilder) -> list[bytes]:
    made = typed(builder.finish())
    arena, offsets = bytes(made["arena"]), made["offsets"].tolist()
    return [arena[low:high] for low, high in pairwise(offsets)]


def built(*texts: bytes) -> SegmentBuilder:
    builder = SegmentBuilder()
    for text in texts:
        builder.add(text, 0, len(text))
    return builder


@pytest.mark.parametrize("size", [1, 7, 8, 9, 15, 16, 17, 63, 64])
def test_forms_that_differ_in_one_byte(size: int) -> None:
    forms = [b"a" * size, b"a" * (size - 1) + b"b", b"b" + b"a" * (size - 1)]
    assert vocabulary(built(b" ".join(forms), b" ".join(forms))) == sorted({*forms})


def test_the_table_grows() -> None:
    # 64,000 terms of 12 letters: past the first 32,768 terms, 65,536 slots and 524,288 bytes
    ends = ["".join(letters) for letters in product("abcdefghijklmnopqrstuvwxyzабвгдежзиоклмн", repeat=3)]
    forms = [f"sameheadx{end}" for end in ends]
    assert len(forms) == 64000
    builder = built(" ".join(forms).encode(), " ".join(reversed(forms)).encode())
    assert builder.terms == len(forms)
    made = typed(builder.finish())
    assert set(made["df"]) == {2}
    assert set(made["tfs"]) == {1}
    assert bytes(made["arena"]) == "".join(sorted(forms, key=lambda form: form.encode())).encode()


def test_random_forms_meet_in_their_slots() -> None:
    chance = Random(7)
    forms = [
        chance.randbytes(chance.randint(1, 12)).hex().translate({ord(c): 103 + int(c) for c in "0123456789"})
        for _ in range(50_000)
    ]
    builder = built(*(" ".join(forms[k : k + 500]).encode() for k in range(0, len(forms), 500)))
    assert set(vocabulary(builder)) == {form.encode()[:64] for form in forms}


@given(st.lists(alike, max_size=24))
def test_every_distinct_form_is_one_term(forms: list[str]) -> None:
    text = " ".join(forms).encode()
    builder = built(text, text)
    known = {token[0].encode() for token in reference.tokens(text)}
    assert builder.terms == len(known)
    assert sorted(vocabulary(builder)) == sorted(known)


@given(st.lists(texts, max_size=4))
def test_terms_are_counted_while_they_come(given: list[bytes]) -> None:
    native, slow = SegmentBuilder(), reference.SegmentBuilder()
    for text in given:
        native.add(text, 0, len(text))
        slow.add(text, 0, len(text))
        assert native.terms == slow.terms
