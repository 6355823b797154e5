"""The paired difference of two rankings over queries, with its bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recall_rank.evaluation.metrics import bootstrap, mean

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of ours minus theirs over the queries that both answered, with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.mean:+.4f} [{self.low:+.4f}, {self.high:+.4f}] n={self.n}"


def paired(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Difference:
    """Return the paired difference; equal inputs give equal intervals. Raises ValueError when no query is in both."""
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        raise ValueError("the two runs have no query in common")
    gaps = [ours[key] - theirs[key] for key in shared]
    return Difference(mean(gaps), *bootstrap(gaps), len(shared))
