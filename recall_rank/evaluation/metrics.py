"""Measures of a ranking: ranks, reciprocal rank, nDCG, and confidence intervals of differences."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence

Rank = int | None
"""1 for the first place, None for not found."""

DRAWS = 2000
SEED = 20261121
CUTOFF = 10  # places a figure looks at


def first_rank(ranking: Iterable[object], wanted: Container[object]) -> Rank:
    """Return the rank, from 1, of the first item of `ranking` that is in `wanted`; None when there is none."""
    return next((place for place, item in enumerate(ranking, 1) if item in wanted), None)


def reciprocal(rank: Rank, depth: int = CUTOFF) -> float:
    """Return 1 / rank; 0 for no rank and for one beyond `depth`.

    Its mean over queries is MRR@depth (Voorhees, TREC-8 question answering track, 1999).
    """
    return 1.0 / rank if rank is not None and rank <= depth else 0.0


def ndcg(ranking: Sequence[object], relevant: Container[object], count: int, depth: int = CUTOFF) -> float:
    """Return nDCG@depth of a ranking without repeats, in which items of `relevant` gain 1 and others 0.

    At most `count` items gain. DCG is the sum of gain / log2(rank + 1), with ranks from 1. It is divided by the DCG of
    a ranking that begins with `count` relevant items (Järvelin and Kekäläinen, ACM TOIS 20(4), 2002). `count` is at
    least 1.
    """
    places = [place for place, item in enumerate(ranking[:depth], 1) if item in relevant][:count]
    return _gain(places) / _gain(range(1, min(count, depth) + 1))


def _gain(places: Iterable[int]) -> float:
    return math.fsum(1.0 / math.log2(place + 1) for place in places)


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean; NaN for an empty list."""
    return math.fsum(values) / len(values) if values else math.nan


def share(claims: Sequence[bool]) -> float:
    """Return the share of true values among `claims`, 0 to 1; 0 for an empty list."""
    return sum(claims) / len(claims) if claims else 0.0


def quantile(values: Iterable[float], part: float) -> float:
    """Return the quantile `part` of the values, such as the 95th percentile for 0.95; NaN for no values.

    It is one of the values, without interpolation: of n sorted values the one at index floor(n * part), at most the
    last.
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else math.nan


def bootstrap(gaps: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % confidence interval (low, high) of the mean of `gaps`, by a percentile bootstrap.

    `gaps` has one difference for each query, at least one in all. 2,000 samples of that size are drawn with
    replacement; 2.5 % of the sample means lie below the interval and 2.5 % above it (Efron and Tibshirani, An
    Introduction to the Bootstrap, 1993, chapter 13). With differences between two rankings of equal queries it is a
    paired test (Sakai, SIGIR 2006). Deterministic: the seed is fixed.
    """
    from recall_rank.index.merge.numpy_room import require_numpy_room

    require_numpy_room()
    import numpy as np

    values = np.array(gaps)
    generator = np.random.default_rng(SEED)
    means = np.array([values[generator.integers(0, len(values), len(values))].mean() for _ in range(DRAWS)])
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
