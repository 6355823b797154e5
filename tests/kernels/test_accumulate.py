"""The documents that a block gives evidence to, with the instructions of any processor."""

from __future__ import annotations

from array import array
from random import Random

import pytest
import reference
from hypothesis import given
from kernels.inputs import seeds

from recall_rank._core.accumulate import taken


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
