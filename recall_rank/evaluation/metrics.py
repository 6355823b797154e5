"""Measures of a ranking: ranks, reciprocal rank, recall, nDCG, and confidence intervals of differences."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

Rank = int | None
"""1 for the first place, None for not found."""

DRAWS = 2000
SEED = 20261121
CUTOFF = 10  # places a figure looks at

Grades = Mapping[Any, float]
"""Item of a ranking -> its grade, 0 or more; an item without one is not relevant."""

NO_GRADES: Final[Grades] = MappingProxyType({})


def first_rank(ranking: Iterable[object], wanted: Container[object]) -> Rank:
    """Return the rank, from 1, of the first item of `ranking` that is in `wanted`; None when there is none."""
    return next((place for place, item in enumerate(ranking, 1) if item in wanted), None)


def reciprocal(rank: Rank, depth: int = CUTOFF) -> float:
    """Return 1 / rank; 0 for no rank and for one beyond `depth`.

    Its mean over queries is MRR@depth (Voorhees, TREC-8 question answering track, 1999).
    """
    return 1.0 / rank if rank is not None and rank <= depth else 0.0


def recall(ranking: Sequence[object], relevant: Container[object], count: int, depth: int = CUTOFF) -> float:
    """Return recall@depth of a ranking without repeats: the share of `count` relevant items among its first `depth`.

    `relevant` may hold more items than `count`, any of which stands in for another; the share is at most 1. `count` is
    at least 1.
    """
    return min(sum(item in relevant for item in ranking[:depth]), count) / count


def ndcg(ranking: Sequence[object], grades: Grades, stand_ins: Grades = NO_GRADES, depth: int = CUTOFF) -> float:
    """Return nDCG@depth of a ranking without repeats, in which an item of grade g gains 2**g - 1.

    DCG is the sum of gain / log2(rank + 1), with ranks from 1. It is divided by the DCG of a ranking that begins with
    the items of `grades`, the best first (Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with the gain of Burges et
    al., ICML 2005); at least one of them has a grade above 0. Items of `stand_ins` gain too, but no more items gain
    than `grades` has with a gain, and nDCG is at most 1.
    """
    best = sorted((gain for grade in grades.values() if (gain := _gain(grade))), reverse=True)
    found = [_gain(grades.get(item, stand_ins.get(item, 0))) for item in ranking[:depth]]
    places = [(place, gain) for place, gain in enumerate(found, 1) if gain][: len(best)]
    return min(_dcg(places) / _dcg(enumerate(best[:depth], 1)), 1.0)


def _gain(grade: float) -> float:
    return math.pow(2.0, grade) - 1.0


def _dcg(gains: Iterable[tuple[int, float]]) -> float:
    return math.fsum(gain / math.log2(place + 1) for place, gain in gains)


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
