"""The groups of a query, split into the groups of each segment."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any


def split_groups(
    sizes: Sequence[int],
    starts: Sequence[int],
    firsts: Sequence[int],
    lasts: Sequence[int],
    weights: Sequence[float],
    **others: Any,
) -> Iterator[dict[str, Any]]:
    """For each segment, of `sizes[k]` terms, the groups with its own members only, as it numbers its terms."""
    before = 0
    for size in sizes:
        terms = range(before, before + size)
        before += size
        own = [[at for at in range(low, high) if firsts[at] in terms] for low, high in pairwise(starts)]
        members = [at for group in own for at in group]
        yield {
            "starts": array("I", accumulate(map(len, own), initial=0)),
            "firsts": array("I", [firsts[at] - terms.start for at in members]),
            "lasts": array("I", [lasts[at] - terms.start for at in members]),
            "weights": array("f", [weights[at] for at in members]),
            **others,
        }
