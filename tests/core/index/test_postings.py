"""Which documents hold a term, and how often."""

from __future__ import annotations

from array import array
from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.index.packing import PostingsWriter
from recall_rank._core.index.postings import Postings
from tests.reference.index import packing as reference_packing
from tests.reference.index import postings as reference
from tests.support.kernels.inputs import POSTINGS, columns, marks, postings, seeds

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
    with pytest.raises((IndexError, OverflowError)):
        postings(columns(THREE))[0].frequencies([[(0, 1, 1.0), (first, last, 1.0)]], 9)


@pytest.mark.parametrize("term", [-1, 2, 2**32, 2**62])
def test_terms_that_do_not_exist_have_no_postings(term: int) -> None:
    with pytest.raises(IndexError):
        postings(columns(THREE))[0].postings(term)


def test_marks_that_end_early_are_not_read_beyond_their_end() -> None:
    behind = memoryview(bytearray(b"\1\1\1"))
    assert postings(columns(THREE))[0].frequency(0, 2, behind[:1]) == 2
    with pytest.raises(ValueError, match="65536"):
        postings(three_blocks()[0])[0].frequency(0, 1, bytearray(65536))


def of_every_kind() -> dict[str, memoryview]:
    """Terms that one document holds, or more than 255 do, or some, over two blocks."""
    made: list[dict[bytes, int]] = [{b"many": 1 + k % 3, b"once%d" % k: 1} for k in range(300)]
    return columns([*made, *[{}] * 65_400, {b"many": 1, b"far": 1}, {b"some": 1}, {b"some": 2}])


@pytest.mark.parametrize("name", POSTINGS)
@pytest.mark.parametrize("cut", [slice(0, 0), slice(0, -1), slice(1, None)])
def test_buffers_must_fit_together(name: str, cut: slice) -> None:
    made = of_every_kind()
    made[name] = made[name][cut]
    if name == "pointers" or (name in ("df", "frames") and made[name]):
        # nothing says how many there should be; of what is missing, there are no postings
        native = Postings(*(made[each] for each in POSTINGS))
        assert len(native.postings(native.term_count - 1)) <= 1
        return
    with pytest.raises(ValueError, match="fit together"):
        Postings(*(made[each] for each in POSTINGS))


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
    assert len(native) == len(slow) == sum(map(len, given))
    assert [native.postings(term) for term in range(native.term_count)] == slow.lists
    ends = [sorted(chance.choices(range(native.term_count + 1), k=2)) for _ in range(4)]
    groups = [[(first, last, 1.0) for first, last in ends[:2]], [], [(first, last, 0.5) for first, last in ends[2:]]]
    for most in (0, 4, 2**63):
        assert native.frequencies(groups, most) == slow.frequencies(groups, most)
    eligible = marks(chance, len(given))
    for first in range(native.term_count + 1):
        for last in range(first, native.term_count + 1):
            assert native.frequency(first, last) == slow.frequency(first, last)
            assert native.frequency(first, last, eligible) == slow.frequency(first, last, eligible)


IN_PLACE = array("q", range(2 * 65_536))  # documents that keep their numbers


def some_pairs(chance: Random) -> list[tuple[int, int]]:
    """What a block holds of a term: few or many documents, near each other or not, of few or many frequencies."""
    last = chance.choice([7, 300, 4_000, 65_535])
    count = min(chance.choice([1, 2, 5, 40, 255, 256, 257, 600]), last + 1)
    docs = sorted(chance.sample(range(last + 1), count))
    frequencies = chance.choice([[1], [1, 1, 1, 2], [1, 2, 3, 90], [255], range(1, 256)])
    base = chance.choice([0, 65_535 - docs[-1]])
    return [(base + doc, chance.choice(frequencies)) for doc in docs]


@given(seeds)
def test_what_is_packed_is_read_again(chance: Random) -> None:
    terms = chance.randint(1, 3)
    held = [{term: some_pairs(chance) for term in range(terms) if chance.random() < 0.7} for _ in range(2)]
    writer = PostingsWriter(terms)
    for entries in held:
        writer.add(array("Q", [t << 24 | doc << 8 | tf for t, pairs in sorted(entries.items()) for doc, tf in pairs]))
    counts = [sum(len(entries.get(term, ())) for entries in held) for term in range(terms)]
    assert memoryview(writer.frequencies()).cast("I").tolist() == counts
    made = writer.finish()
    assert made == reference_packing.packed(terms, held)
    native, slow = Postings(*made), reference.Postings(*(column.tolist() for column in made))
    kept = [term for term in range(terms) if counts[term]]
    written = [[(65_536 * k + d, tf) for k, own in enumerate(held) for d, tf in own.get(term, ())] for term in kept]
    assert [native.postings(term) for term in range(len(kept))] == slow.lists == written
    for block, entries in enumerate(held):
        keys = memoryview(native.keys(block, array("q", kept), IN_PLACE, block * 65_536)).cast("Q")
        again = [(key >> 24, key >> 8 & 0xFFFF, key & 0xFF) for key in keys]
        assert again == [(term, *pair) for term, pairs in sorted(entries.items()) for pair in pairs]


def test_keys_are_those_of_documents_that_go_to_the_block() -> None:
    native, _ = postings(columns(THREE))
    keys = native.keys(0, array("q", [5, 9]), array("q", [65_537, -1, 65_540]), 65_536)
    assert memoryview(keys).cast("Q").tolist() == [5 << 24 | 1 << 8 | 1, 5 << 24 | 4 << 8 | 3, 9 << 24 | 1 << 8 | 2]
    assert native.keys(0, array("q", [5, 9]), array("q", [-1]), 0) == b""
    with pytest.raises(IndexError):
        native.keys(1, array("q", [5, 9]), array("q", [0]), 0)
    with pytest.raises(ValueError, match="one number a term"):
        native.keys(0, array("q", [5]), array("q", [0]), 0)


def test_a_term_far_behind_is_not_lone() -> None:
    # a byte tells 256 blocks apart
    writer = PostingsWriter(3)
    for block in range(258):
        writer.add(array("Q", [(block - 255) << 24 | 7 << 8 | 1] if block > 254 else []))
    native = Postings(*writer.finish())
    assert [native.postings(term) for term in range(3)] == [[((255 + term) * 65_536 + 7, 1)] for term in range(3)]
    assert len(native.buffers[2]) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param([1 << 24 | 1, 1], id="terms"),
        pytest.param([2 << 8 | 1, 1 << 8 | 1], id="documents"),
        pytest.param([1, 2], id="twice"),
        pytest.param([0], id="no frequency"),
        pytest.param([2 << 24 | 1], id="no such term"),
        pytest.param([1 << 63 | 1], id="far behind the last"),
    ],
)
def test_postings_come_in_order(keys: list[int]) -> None:
    with pytest.raises(ValueError, match="out of order"):
        PostingsWriter(2).add(array("Q", keys))


def test_a_writer_that_is_finished_takes_nothing_more() -> None:
    writer = PostingsWriter(1)
    assert (writer.term_count, writer.block_count) == (1, 0)
    writer.finish()
    for call in (writer.finish, lambda: writer.add(array("Q"))):
        with pytest.raises(ValueError, match="finished"):
            call()
    with pytest.raises(ValueError, match="-1 terms"):
        PostingsWriter(-1)


RANGE_TERMS = [b"a", b"b", b"cc", b"dd", b"eee"]


@given(seeds)
def test_documents_are_counted_as_by_looking_at_all(chance: Random) -> None:
    docs = chance.randint(0, 30)
    made = columns([dict.fromkeys(chance.sample(RANGE_TERMS, chance.randint(0, 4)), 1) for _ in range(docs)])
    native, slow = postings(made)
    first = chance.randint(0, native.term_count)
    last = chance.randint(first, native.term_count)
    starts = array("I", [chance.randint(0, 32) for _ in range(chance.randint(0, 4))])
    ends = array("I", [chance.randint(0, 40) for _ in starts])
    assert native.frequency_in(first, last, starts, ends) == reference.frequency_in(slow, first, last, starts, ends)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        pytest.param(0, 140_000, id="all"),
        pytest.param(65_535, 65_537, id="across a border"),
        pytest.param(65_536, 131_072, id="a whole block"),
        pytest.param(65_536, 65_536, id="none"),
        pytest.param(131_071, 2**32 - 1, id="behind the last"),
        pytest.param(200_000, 300_000, id="only behind the last"),
        pytest.param(9, 3, id="turned round"),
    ],
)
def test_ranges_go_across_blocks(low: int, high: int) -> None:
    held = {doc: {b"all": 1} for doc in (*range(0, 140_000, 997), 65_535, 65_536, 131_071, 131_072, 139_999)}
    native, slow = postings(columns([held.get(doc, {}) for doc in range(140_000)]))
    for starts, ends in (([low], [high]), ([low, 0], [high, 1])):
        asked = array("I", starts), array("I", ends)
        assert native.frequency_in(0, 1, *asked) == reference.frequency_in(slow, 0, 1, *asked)


@pytest.mark.parametrize(("first", "last"), [(-1, 1), (0, 2), (1, 0), (0, 2**62)])
def test_terms_that_do_not_exist_are_refused(first: int, last: int) -> None:
    with pytest.raises(IndexError):
        postings(columns([{b"a": 1}]))[0].frequency_in(first, last, array("I", [0]), array("I", [1]))


def test_every_range_has_an_end() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        postings(columns([{b"a": 1}]))[0].frequency_in(0, 1, array("I", [0]), array("I"))
