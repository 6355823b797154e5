"""Counts and means over ranks (1 = first, None = not found)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

Rank = int | None


def first_rank(ranking: Iterable[object], wanted: Container[object]) -> Rank:
    """The rank of the first item of `ranking` that is wanted."""
    return next((place for place, item in enumerate(ranking, 1) if item in wanted), None)


def hits_at(ranks: Iterable[Rank], depth: int) -> int:
    """How many ranks are within the first `depth`."""
    return sum(1 for rank in ranks if rank is not None and rank <= depth)


def reciprocal(rank: Rank, depth: int = 10) -> float:
    """1/rank, and 0 beyond `depth`."""
    return 1.0 / rank if rank is not None and rank <= depth else 0.0


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; NaN for nothing."""
    return math.fsum(values) / len(values) if values else math.nan


def quantile(values: Iterable[float], share: float) -> float:
    """The value below which `share` of the values lie (nearest rank, no interpolation); NaN for nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else math.nan


def auroc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """The chance that one of `higher` is above one of `lower`, ties counting half; NaN when either is empty."""
    if not higher or not lower:
        return math.nan
    ranked = sorted([(value, 1) for value in higher] + [(value, 0) for value in lower])
    wins, below, at = 0.0, 0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        tied_high = sum(mark for _, mark in ranked[at:end])
        tied_low = end - at - tied_high
        wins += tied_high * (below + tied_low / 2)
        below += tied_low
        at = end
    return wins / (len(higher) * len(lower))
