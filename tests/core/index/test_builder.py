"""From texts to vocabulary and postings."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.index.builder import BLOCK, SegmentBuilder
from recall_rank._core.index.postings import Postings
from tests.reference.index import builder as reference
from tests.reference.text import token_buffer as reference_token_buffer
from tests.reference.text import tokens as reference_tokens
from tests.support.kernels.inputs import seeds, some_text

Documents = list[tuple[bytes, list[tuple[bytes, bytes]]]]
SHARED = [b"rate ", b"Limit ", b"rateLimit ", b"limit ", "é ".encode(), "日本".encode(), b"c++ "]


def some_documents(chance: Random) -> Documents:
    """Texts of many sorts, texts of few words, some with fields."""
    return [
        (
            some_text(chance) if chance.random() < 0.5 else b"".join(chance.choices(SHARED, k=chance.randint(0, 6))),
            [(chance.choice([b"\x01", b"\x02"]), some_text(chance)) for _ in range(chance.choice([0, 0, 1, 2]))],
        )
        for _ in range(chance.randint(0, 5))
    ]


def test_a_segment_of_two_documents() -> None:
    builder = SegmentBuilder()
    assert builder.add(b"-- b a b --", 2, 9) == 3
    assert builder.add(b"a", 0, 1, [(b"\x01", b"Ab")]) == 1
    assert (len(builder), builder.terms) == (2, 3)
    made = builder.finish()
    assert made == reference_of([(b" b a b ", []), (b"a", [(b"\x01", b"Ab")])])
    assert made["arena"] == b"ab\x01ab"
    native = Postings(*made["postings"])
    assert [native.postings(term) for term in range(3)] == [[(0, 1), (1, 1)], [(0, 2)], [(1, 1)]]


def reference_of(given: Documents) -> dict[str, Any]:
    builder = reference.SegmentBuilder()
    for text, extra in given:
        builder.add(text, 0, len(text), extra)
    return builder.finish()


def test_an_empty_segment() -> None:
    assert SegmentBuilder().finish() == reference.SegmentBuilder().finish()


def test_a_frequency_ends_at_255() -> None:
    builder = SegmentBuilder()
    for count in (254, 255, 256, 300):
        builder.add(b"a " * count, 0, 2 * count)
    assert Postings(*builder.finish()["postings"]).postings(0) == [(0, 254), (1, 255), (2, 255), (3, 255)]


def test_a_word_of_a_field_must_have_room_for_its_tag() -> None:
    value = b"x" * 63 + b" " + b"y" * 64 + b" " + b"z" * 99
    assert reference_of([(b"", [(b"\x01", value)])])["arena"] == b"\x01" + b"x" * 63
    builder = SegmentBuilder()
    builder.add(b"", 0, 0, [(b"\x01", value)])
    assert builder.finish()["arena"] == b"\x01" + b"x" * 63


@pytest.mark.parametrize("count", [BLOCK, BLOCK + 1])
def test_blocks_of_65536_documents(count: int) -> None:
    builder = SegmentBuilder()
    for doc in range(count):
        builder.add(b"a bc", 0, 4 if doc in (0, BLOCK - 1, BLOCK) else 1)
    native = Postings(*builder.finish()["postings"])
    ends = [doc for doc in (0, BLOCK - 1, BLOCK) if doc < count]
    assert native.block_count == -(-count // BLOCK)
    assert native.postings(0) == [(doc, 1) for doc in range(count)]
    assert native.postings(1) == [(doc, 1) for doc in ends]


@pytest.mark.parametrize("count", [2, 40, 4000])
def test_terms_stand_by_length_then_bytes(count: int) -> None:
    chance = Random(count)
    forms = {"".join(chance.choices("abzщ中é", k=chance.choice([1, 3, 9]))) for _ in range(count)}
    forms |= {f"thesamehead{''.join(chance.choices('abzщ', k=5))}" for _ in range(count)}
    builder = SegmentBuilder()
    for form in forms:
        builder.add(b"", 0, 0, [(b"\x01", form.encode())])
    known = {token[0] for form in forms for token in reference_tokens.tokens(form.encode())}
    assert len(known) >= count // 2
    ordered = sorted(known, key=lambda form: (len(form), form.encode()))
    assert builder.finish()["arena"] == b"".join(b"\x01" + form.encode() for form in ordered)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (0, 5), (3, 2), (5, 5), (0, 2**62), (-(2**62), 0)])
def test_a_range_outside_the_text_is_refused(start: int, end: int) -> None:
    builder = SegmentBuilder()
    with pytest.raises(IndexError, match=str(end)):
        builder.add(b"text", start, end)
    assert len(builder) == 0


@pytest.mark.parametrize("tag", [b"", b"\x01\x02", None])
def test_a_tag_is_one_byte(tag: Any) -> None:
    with pytest.raises(ValueError, match="one byte"):
        SegmentBuilder().add(b"", 0, 0, [(tag, b"value")])


@pytest.mark.parametrize("field", [("\x01", b"a"), (b"\x01", "a"), (b"\x01", None), 7, (b"\x01",)])
def test_a_field_is_a_pair_of_bytes(field: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        SegmentBuilder().add(b"", 0, 0, [field])


def test_a_finished_segment_takes_nothing_more() -> None:
    builder = SegmentBuilder()
    builder.add(b"a", 0, 1)
    builder.finish()
    with pytest.raises(ValueError, match="finished"):
        builder.add(b"a", 0, 1)
    with pytest.raises(ValueError, match="finished"):
        builder.finish()
    assert (len(builder), builder.terms) == (1, 1)


@given(seeds)
def test_the_segment_is_that_of_dictionaries(chance: Random) -> None:
    given = some_documents(chance)
    builder = SegmentBuilder()
    words = [builder.add(b"(" + text + b")", 1, len(text) + 1, extra) for text, extra in given]
    assert words == [
        sum(token[1] == reference_token_buffer.WORD for token in reference_tokens.tokens(text)) for text, _ in given
    ]
    assert builder.finish() == reference_of(given)
