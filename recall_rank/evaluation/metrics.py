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
    """The rank, from 1, of the first item of `ranking` that is in `wanted`; None when there is none."""
    return next((place for place, item in enumerate(ranking, 1) if item in wanted), None)


def reciprocal(rank: Rank, depth: int = CUTOFF) -> float:
    """1 / rank, and 0 beyond `depth`. Its mean is MRR@depth (Voorhees, TREC-8 question answering track, 1999)."""
    return 1.0 / rank if rank is not None and rank <= depth else 0.0


def ndcg(ranking: Sequence[object], relevant: Container[object], count: int, depth: int = CUTOFF) -> float:
    """nDCG@depth of a ranking without repeats, of which `relevant` items gain 1, at most `count` of them.

    DCG = sum of gain / log2(place + 1), over the DCG of `count` relevant items in the first places (Järvelin and
    Kekäläinen, ACM TOIS 20(4), 2002). `count` is at least 1.
    """
    places = [place for place, item in enumerate(ranking[:depth], 1) if item in relevant][:count]
    return _gain(places) / _gain(range(1, min(count, depth) + 1))


def _gain(places: Iterable[int]) -> float:
    return math.fsum(1.0 / math.log2(place + 1) for place in places)


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean; NaN for an empty list."""
    return math.fsum(values) / len(values) if values else math.nan


def share(claims: Sequence[bool]) -> float:
    """The share of true values among `claims`, 0 to 1; 0 for none."""
    return sum(claims) / len(claims) if claims else 0.0


def quantile(values: Iterable[float], part: float) -> float:
    """The value below which the share `part` of the values lies (nearest rank, no interpolation); NaN for no
    values.
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else math.nan


def bootstrap(gaps: Sequence[float]) -> tuple[float, float]:
    """The 95 % confidence interval of the mean of `gaps`, by a percentile bootstrap over queries.

    2,000 samples of the size of `gaps` are drawn with replacement; 2.5 % of their means lie below the interval and 2.5
    % above it (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). Gaps between two rankings of
    equal queries make it a paired test (Sakai, SIGIR 2006). Deterministic: the seed is fixed. `gaps` holds at least
    one value.
    """
    import numpy as np

    values = np.array(gaps)
    generator = np.random.default_rng(SEED)
    means = np.array([values[generator.integers(0, len(values), len(values))].mean() for _ in range(DRAWS)])
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
