"""Numbering the distinct forms of a vocabulary, seen through the builder: nothing is numbered twice or mixed up."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import given

from recall_rank._core.index.builder import SegmentBuilder
from tests.reference.index import builder as reference_builder
from tests.reference.text import tokens as reference_tokens
from tests.support.kernels.inputs import postings, seeds, some_text, typed

# forms that begin alike, differ in their last bytes, or only in length: what a slot of the table tells apart
STARTS = ["abcdefghijklmnopq", "abcdefgh", "щщщщщщщщ", "abcdefghabcdefghabcdefgh"]


def alike(chance: Random) -> str:
    return chance.choice(STARTS)[: chance.randint(1, 24)] + chance.choice(["", "a", "b", "щ", "aa"])


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


@pytest.mark.slow
def test_the_table_grows() -> None:
    # 39,304 terms of 12 letters: past the first 32,768 terms, 65,536 slots and 524,288 bytes
    ends = ["".join(letters) for letters in product("abcdefghijklmnopqrstuvwxyzабвгдежз", repeat=3)]
    forms = [f"sameheadx{end}" for end in ends]
    assert len(forms) == 34**3
    builder = built(" ".join(forms).encode(), " ".join(reversed(forms)).encode())
    assert builder.terms == len(forms)
    made = typed(builder.finish())
    native, _ = postings(made)
    assert all(native.postings(term) == [(0, 1), (1, 1)] for term in range(len(forms)))
    assert bytes(made["arena"]) == "".join(sorted(forms, key=lambda form: form.encode())).encode()


def test_random_forms_meet_in_their_slots() -> None:
    chance = Random(7)
    forms = [
        chance.randbytes(chance.randint(1, 12)).hex().translate({ord(c): 103 + int(c) for c in "0123456789"})
        for _ in range(20_000)
    ]
    builder = built(*(" ".join(forms[k : k + 500]).encode() for k in range(0, len(forms), 500)))
    assert set(vocabulary(builder)) == {form.encode()[:64] for form in forms}


@given(seeds)
def test_every_distinct_form_is_one_term(chance: Random) -> None:
    text = " ".join(alike(chance) for _ in range(chance.randint(0, 24))).encode()
    builder = built(text, text)
    known = {token[0].encode() for token in reference_tokens.tokens(text)}
    assert builder.terms == len(known)
    assert sorted(vocabulary(builder)) == sorted(known)


@given(seeds)
def test_terms_are_counted_while_they_come(chance: Random) -> None:
    native, slow = SegmentBuilder(), reference_builder.SegmentBuilder()
    for _ in range(chance.randint(1, 4)):
        text = some_text(chance)
        native.add(text, 0, len(text))
        slow.add(text, 0, len(text))
        assert native.terms == slow.terms
