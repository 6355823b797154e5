"""Counts and means over ranks (1 = first, None = not found), and the area under the ROC curve."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from recall_rank.evaluation.metrics import Rank, first_rank, mean, quantile, reciprocal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Rank", "auroc", "first_rank", "hits_at", "mean", "quantile", "reciprocal"]


def hits_at(ranks: Iterable[Rank], depth: int) -> int:
    """Return the number of ranks within the first `depth`."""
    return sum(1 for rank in ranks if rank is not None and rank <= depth)


def auroc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return the chance that one of `higher` exceeds one of `lower`; ties count half. NaN when either is empty."""
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
