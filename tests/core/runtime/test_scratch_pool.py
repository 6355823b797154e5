"""Memory that goes from one search to the next."""

from __future__ import annotations

from random import Random

from hypothesis import given

from recall_rank._core.runtime.scratch_pool import forget, kept
from tests.support.kernels.inputs import seeds
from tests.support.kernels.segments import ALONE, Segment, accumulate, flat, one_group

MOST = 1 << 26  # bytes that are kept, however much was lent


def some_search(docs: int) -> list[float]:
    """The scores that a search in `docs` documents finds; what it worked in is given back."""
    native, _ = Segment(flat(docs), [{b"a": 1 + k % 5} for k in range(docs)]).pair()
    accumulate(native, one_group(0, 1))
    native.fuse(**ALONE)
    return [score for _, _, score, *_ in native.top(docs)]


def test_what_was_lent_is_kept_and_given_away() -> None:
    forget()
    assert kept() == 0
    found = some_search(20)
    waiting = kept()
    assert 0 < waiting <= MOST
    assert some_search(20) == found
    assert kept() == waiting  # the second search asked for nothing more
    forget()
    assert kept() == 0
    assert some_search(20) == found


@given(seeds)
def test_a_search_is_none_the_worse_for_those_before(chance: Random) -> None:
    docs = chance.choice([1, 7, 8, 9, 200, 3_000])
    forget()
    wanted = some_search(docs)
    for _ in range(chance.randint(1, 3)):
        some_search(chance.choice([3, 16, 300, 2_500]))
    assert some_search(docs) == wanted
    assert kept() <= MOST
