"""Columns that follow from other columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise


def owners(firsts: Sequence[int], count: int) -> list[int]:
    if not firsts or firsts[0] != 0 or firsts[-1] != count or list(firsts) != sorted(firsts):
        raise ValueError("order")
    return [bisect_right(firsts, row) - 1 for row in range(count)]


def values_at(values: Sequence[int], places: Sequence[int]) -> list[int]:
    if any(place >= len(values) for place in places):
        raise ValueError("place")
    return [values[place] for place in places]


def piece_sizes(starts: Sequence[int], whose: Sequence[int]) -> list[int]:
    return [starts[k] - starts[k - 1] for k in range(1, len(whose)) if whose[k] == whose[k - 1]]


def piece_starts(begins: Sequence[int], firsts: Sequence[int], sizes: Sequence[int]) -> list[int]:
    if not firsts or firsts[0] != 0 or len(begins) != len(firsts) or list(firsts) != sorted(firsts):
        raise ValueError("order")
    made, left = [], list(sizes)
    for begin, (first, last) in zip(begins, pairwise(firsts), strict=False):
        for piece in range(first, last):
            if piece > first and not left:
                raise ValueError("sizes")
            made.append(begin if piece == first else (made[-1] + left.pop(0)) % 2**64)
    if left:
        raise ValueError("sizes")
    return [*made, begins[-1]]
