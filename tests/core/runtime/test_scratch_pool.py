"""The pool of scratch buffers: later searches reuse it, and their results do not depend on it."""

from __future__ import annotations

from random import Random

from hypothesis import given

from recall_rank._core.runtime.scratch_pool import clear, pooled_bytes
from tests.support.kernels.inputs import seeds
from tests.support.kernels.segments import ALONE, Segment, accumulate, flat, one_group

MAX_POOLED = 1 << 26  # bytes that the pool keeps at most


def some_search(docs: int) -> list[float]:
    """The scores of a search over `docs` documents; its buffers are back in the pool when it returns."""
    native, _ = Segment(flat(docs), [{b"a": 1 + k % 5} for k in range(docs)]).pair()
    accumulate(native, one_group(0, 1))
    native.fuse(**ALONE)
    return [score for _, _, score, *_ in native.top(docs)]


def test_released_buffers_are_pooled_and_reused() -> None:
    clear()
    assert pooled_bytes() == 0
    found = some_search(20)
    pooled = pooled_bytes()
    assert 0 < pooled <= MAX_POOLED
    assert some_search(20) == found
    assert pooled_bytes() == pooled  # the second search allocated nothing
    clear()
    assert pooled_bytes() == 0
    assert some_search(20) == found


@given(seeds)
def test_earlier_searches_do_not_change_the_scores(chance: Random) -> None:
    docs = chance.choice([1, 7, 8, 9, 200, 3_000])
    clear()
    wanted = some_search(docs)
    for _ in range(chance.randint(1, 3)):
        some_search(chance.choice([3, 16, 300, 2_500]))
    assert some_search(docs) == wanted
    assert pooled_bytes() <= MAX_POOLED
