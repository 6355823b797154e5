"""From texts to vocabulary and postings, and where a text is cut into passages."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from kernels.inputs import seeds, some_text, typed

from recall_rank._core.builder import BLOCK, SegmentBuilder, cut

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


ATOMS = [b"a", b"bc", b" ", b". ", b"? ", b"! ", b"\n", b"\xf8", b"\xff", "é".encode(), "🙂".encode(), b"\x80" * 9]


def some_passage(chance: Random) -> bytes:
    return b"".join(chance.choices(ATOMS, k=chance.randint(0, 60)))


def test_a_segment_of_two_documents() -> None:
    builder = SegmentBuilder()
    assert builder.add(b"-- b a b --", 2, 9) == 3
    assert builder.add(b"a", 0, 1, [(b"\x01", b"Ab")]) == 1
    assert (len(builder), builder.terms) == (2, 3)
    made = builder.finish()
    assert made == reference_of([(b" b a b ", []), (b"a", [(b"\x01", b"Ab")])])
    columns = typed(made)
    assert made["arena"] == b"ab\x01ab"
    assert columns["df"].tolist() == [2, 1, 1]
    assert list(zip(columns["docs"], columns["tfs"], strict=True)) == [(0, 1), (1, 1), (0, 2), (1, 1)]


def reference_of(given: Documents) -> dict[str, bytes]:
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
    assert list(typed(builder.finish())["tfs"]) == [254, 255, 255, 255]


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
    made = typed(builder.finish())
    ends = [doc for doc in (0, BLOCK - 1, BLOCK) if doc < count]
    assert made["df"].tolist() == [count, len(ends)]
    assert made["block_starts"].tolist() == ([0, 2] if count <= BLOCK else [0, 2, 4])
    assert made["terms"].tolist() == [0, 1] * (1 if count <= BLOCK else 2)
    first = min(count, BLOCK)
    low = len([doc for doc in ends if doc < BLOCK])
    assert made["pointers"].tolist() == [0, first, first + low] + [first + low + 1, first + low + 2] * (count > BLOCK)
    assert made["docs"].tolist()[:first] == list(range(first))
    assert made["docs"].tolist()[first:] == [doc for doc in ends if doc < BLOCK] + [0, 0] * (count > BLOCK)


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
    assert words == [sum(token[1] == reference.WORD for token in reference.tokens(text)) for text, _ in given]
    assert builder.finish() == reference_of(given)


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
        pytest.param(b"\x80" * 40, [8, 16, 24, 40], id="no characters at all"),
    ],
)
def test_passages(text: bytes, ends: list[int]) -> None:
    assert cut(text, 16) == ends
    assert reference.cut(text, 16) == ends


@pytest.mark.parametrize("longest", [15, 0, -1, -(2**62)])
def test_passages_have_at_least_16_bytes(longest: int) -> None:
    with pytest.raises(ValueError, match=str(longest)):
        cut(b"text", longest)


def test_the_longest_passage_there_can_be() -> None:
    assert cut(b"a b" * 99, 2**63 - 1) == [297]


@given(seeds, st.integers(16, 40))
def test_every_cut_is_at_the_best_place(chance: Random, longest: int) -> None:
    text = some_passage(chance)
    ends = cut(text, longest)
    assert ends == reference.cut(text, longest)
    sizes = [high - low for low, high in pairwise([0, *ends])]
    assert ends[-1] == len(text)
    assert all(longest // 2 <= size <= longest for size in sizes[:-1])
    assert sizes[-1] <= longest + longest // 4
