"""Scores of a block, collected with and without SIMD, and queries of many groups."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from hypothesis import given

from recall_rank._core.search.doc_scores import nonzero_scores
from tests.reference.search import doc_scores as reference
from tests.support.kernels.inputs import seeds
from tests.support.kernels.segments import ALONE, TERMS, Segment, accumulate, check, flat, groups


@given(seeds)
def test_scores_other_than_zero_are_collected(chance: Random) -> None:
    share = chance.choice([0.0, 0.05, 0.5, 1.0])
    size = 8 * chance.randint(0, 9)
    scores = array("f", [chance.uniform(0.1, 9) if chance.random() < share else 0.0 for _ in range(size)])
    wanted = reference.nonzero_scores(scores)
    for use_simd in (True, False):
        given = array("f", scores)
        assert nonzero_scores(given, use_simd) == wanted
        assert not any(given)


def test_the_number_of_scores_is_a_multiple_of_eight() -> None:
    with pytest.raises(ValueError, match="multiple of 8"):
        nonzero_scores(array("f", [1.0]), True)


@pytest.mark.parametrize("count", [1, 127, 128, 129, 300])
def test_every_member_of_a_group_counts_for_any_number_of_groups(count: int) -> None:
    chance = Random(count)
    documents = [{term: chance.randint(1, 3) for term in TERMS if chance.random() < 0.5} for _ in range(40)]
    native, slow = Segment(flat(40), documents).pair()
    term_count = len({term for document in documents for term in document})
    firsts = array("I", [chance.randrange(term_count) for _ in range(3 * count)])
    query = groups(
        range(0, 3 * count + 1, 3),
        firsts,
        [min(term_count, first + chance.choice([1, 1, 1, 2, 0])) for first in firsts],
        [chance.choice([0.0, 0.3, 1.0]) for _ in firsts],
        [chance.uniform(0.1, 2) for _ in range(count)],
        bytes(count),
    )
    for evidence in (native, slow):
        accumulate(evidence, query)
        evidence.fuse(**ALONE)
    check(native, slow)
