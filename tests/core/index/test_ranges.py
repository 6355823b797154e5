"""How many documents of a few ranges hold a term."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from hypothesis import given

from recall_rank._core.index.ranges import held_in
from tests.reference.index import ranges as reference
from tests.support.kernels.inputs import columns, postings, seeds

TERMS = [b"a", b"b", b"cc", b"dd", b"eee"]


@given(seeds)
def test_documents_are_counted_as_by_looking_at_all(chance: Random) -> None:
    docs = chance.randint(0, 30)
    made = columns([dict.fromkeys(chance.sample(TERMS, chance.randint(0, 4)), 1) for _ in range(docs)])
    native, slow = postings(made)
    first = chance.randint(0, native.term_count)
    last = chance.randint(first, native.term_count)
    starts = array("I", [chance.randint(0, 32) for _ in range(chance.randint(0, 4))])
    ends = array("I", [chance.randint(0, 40) for _ in starts])
    assert held_in(native, first, last, starts, ends) == reference.held_in(slow, first, last, starts, ends)


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
        assert held_in(native, 0, 1, *asked) == reference.held_in(slow, 0, 1, *asked)


@pytest.mark.parametrize(("first", "last"), [(-1, 1), (0, 2), (1, 0), (0, 2**62)])
def test_terms_that_do_not_exist_are_refused(first: int, last: int) -> None:
    with pytest.raises(IndexError):
        held_in(postings(columns([{b"a": 1}]))[0], first, last, array("I", [0]), array("I", [1]))


def test_every_range_has_an_end() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        held_in(postings(columns([{b"a": 1}]))[0], 0, 1, array("I", [0]), array("I"))
