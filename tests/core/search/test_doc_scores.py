"""The documents that a block gives evidence to, with the instructions of any processor."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from hypothesis import given

from recall_rank._core.search.doc_scores import taken
from tests.reference.search import doc_scores as reference
from tests.support.kernels.inputs import seeds
from tests.support.kernels.segments import ALONE, TERMS, Segment, accumulate, check, flat, groups


@given(seeds)
def test_what_has_evidence_is_taken(chance: Random) -> None:
    share = chance.choice([0.0, 0.05, 0.5, 1.0])
    size = 8 * chance.randint(0, 9)
    scores = array("f", [chance.uniform(0.1, 9) if chance.random() < share else 0.0 for _ in range(size)])
    wanted = reference.taken(scores)
    for wide in (True, False):
        given = array("f", scores)
        assert taken(given, wide) == wanted
        assert not any(given)


def test_scores_come_by_eights() -> None:
    with pytest.raises(ValueError, match="multiple of 8"):
        taken(array("f", [1.0]), True)


@pytest.mark.parametrize("count", [1, 127, 128, 129, 300])
def test_every_form_of_a_word_counts_however_many_words_there_are(count: int) -> None:
    chance = Random(count)
    documents = [{term: chance.randint(1, 3) for term in TERMS if chance.random() < 0.5} for _ in range(40)]
    native, slow = Segment(flat(40), documents).pair()
    held = len({term for document in documents for term in document})
    firsts = array("I", [chance.randrange(held) for _ in range(3 * count)])
    query = groups(
        range(0, 3 * count + 1, 3),
        firsts,
        [min(held, first + chance.choice([1, 1, 1, 2, 0])) for first in firsts],
        [chance.choice([0.0, 0.3, 1.0]) for _ in firsts],
        [chance.uniform(0.1, 2) for _ in range(count)],
        bytes(count),
    )
    for evidence in (native, slow):
        accumulate(evidence, query)
        evidence.fuse(**ALONE)
    check(native, slow)
