"""Which documents hold a term, and how often."""

from __future__ import annotations

from array import array
from random import Random
from typing import Any

import pytest
from hypothesis import given
from kernels.inputs import POSTINGS, columns, marks, postings, seeds

from recall_rank._core.postings import Postings

TERMS = [b"a", b"b", b"cc", b"dd", b"eee"]
THREE = [{b"a": 1, b"bb": 2}, {b"bb": 255}, {b"a": 3}]


def test_postings_of_three_documents() -> None:
    native, _ = postings(columns(THREE))
    assert (len(native), native.term_count, native.block_count) == (4, 2, 1)
    assert native.postings(0) == [(0, 1), (2, 3)]
    assert native.postings(1) == [(0, 2), (1, 255)]
    assert [native.frequency(0, 2), native.frequency(0, 1), native.frequency(1, 1)] == [4, 2, 0]
    assert native.frequency(0, 2, bytearray(b"\0\1\7")) == 2
    assert native.frequency(0, 2, bytearray(3)) == 0


def test_an_empty_segment() -> None:
    native, _ = postings(columns([]))
    assert (len(native), native.term_count, native.block_count) == (0, 0, 0)
    assert native.frequency(0, 0) == native.frequency(0, 0, b"") == 0


def three_blocks() -> tuple[dict[str, memoryview], Any]:
    """Terms that live in the first, the last or all of three blocks."""
    chance = Random(3)
    sparse = {k: {b"all": 1 + k % 9} for k in range(0, 140_000, 997)}
    for doc in (0, 65535, 65536, 131071, 131072, 139_999):
        sparse[doc] = {b"edge": 2, b"all": chance.randint(1, 255)}
    sparse[65536][b"middle"] = 1
    made = columns([sparse.get(doc, {}) for doc in range(140_000)])
    return made, sparse


def test_documents_at_the_borders_of_blocks() -> None:
    made, sparse = three_blocks()
    native, _ = postings(made)
    assert native.block_count == 3
    for number, term in enumerate([b"all", b"edge", b"middle"]):
        expected = [(doc, counts[term]) for doc, counts in sorted(sparse.items()) if term in counts]
        assert native.postings(number) == expected
        eligible = marks(Random(number), 140_000)
        assert native.frequency(number, number + 1, eligible) == sum(eligible[doc] != 0 for doc, _ in expected)


@pytest.mark.parametrize(("first", "last"), [(-1, 1), (0, 3), (2, 1), (0, 2**62), (2**32, 2**32)])
def test_terms_that_do_not_exist_have_no_frequency(first: int, last: int) -> None:
    with pytest.raises(IndexError):
        postings(columns(THREE))[0].frequency(first, last)


@pytest.mark.parametrize("term", [-1, 2, 2**32, 2**62])
def test_terms_that_do_not_exist_have_no_postings(term: int) -> None:
    with pytest.raises(IndexError):
        postings(columns(THREE))[0].postings(term)


def test_marks_that_end_early_are_not_read_beyond_their_end() -> None:
    behind = memoryview(bytearray(b"\1\1\1"))
    assert postings(columns(THREE))[0].frequency(0, 2, behind[:1]) == 2
    with pytest.raises(ValueError, match="65536"):
        postings(three_blocks()[0])[0].frequency(0, 1, bytearray(65536))


@pytest.mark.parametrize("name", POSTINGS[1:])
@pytest.mark.parametrize("cut", [slice(0, 0), slice(0, -1), slice(1, None)])
def test_buffers_must_fit_together(name: str, cut: slice) -> None:
    made = columns(THREE)
    if name == "block_starts" and cut == slice(1, None):
        made[name] = memoryview(bytes(16)).cast("Q")
        cut = slice(None)
    with pytest.raises(ValueError, match="fit together"):
        Postings(*(made[other][cut] if other == name else made[other] for other in POSTINGS))


def test_blocks_must_be_in_order() -> None:
    made = columns(THREE)
    made["block_starts"] = memoryview(bytearray(24)).cast("Q")
    made["block_starts"][1], made["block_starts"][2] = 3, 2
    with pytest.raises(ValueError, match="out of order"):
        Postings(*(made[name] for name in POSTINGS))


@pytest.mark.parametrize(
    ("pointers", "words"),
    [
        pytest.param([0, 5, 4], "out of order", id="behind the postings"),
        pytest.param([0, 2**63, 4], "out of order", id="far behind them"),
        pytest.param([3, 2, 4], "fit together", id="backwards"),
        pytest.param([1, 2, 4], "fit together", id="not from the first"),
        pytest.param([0, 2, 5], "fit together", id="one more than there are"),
        pytest.param([0, 2, 3], "fit together", id="one fewer"),
    ],
)
def test_pointers_must_ascend_to_the_last_posting(pointers: list[int], words: str) -> None:
    made = columns(THREE)
    made["pointers"] = memoryview(array("Q", pointers))
    with pytest.raises(ValueError, match=words):
        Postings(*(made[name] for name in POSTINGS))


@pytest.mark.parametrize("name", POSTINGS)
def test_buffers_must_hold_their_type(name: str) -> None:
    made: dict[str, Any] = columns(THREE)
    for wrong, error in ((None, TypeError), (memoryview(bytes(16)).cast("d"), ValueError), ("text", TypeError)):
        with pytest.raises(error):
            Postings(*(wrong if other == name else made[other] for other in POSTINGS))


@given(seeds)
def test_postings_are_those_written_out(chance: Random) -> None:
    given = [
        {term: chance.randint(1, 255) for term in chance.sample(TERMS, chance.randint(0, 5))}
        for _ in range(chance.randint(0, 12))
    ]
    native, slow = postings(columns(given))
    assert len(native) == len(slow)
    assert [native.postings(term) for term in range(native.term_count)] == slow.lists
    eligible = marks(chance, len(given))
    for first in range(native.term_count + 1):
        for last in range(first, native.term_count + 1):
            assert native.frequency(first, last) == slow.frequency(first, last)
            assert native.frequency(first, last, eligible) == slow.frequency(first, last, eligible)
