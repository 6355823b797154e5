"""Calibrate scores: turn the score of a candidate into the chance that it is relevant, and name a confidence."""

from __future__ import annotations

from array import array
from math import log
from operator import attrgetter

from recall_rank._core.rank import calibration as kernel
from recall_rank._core.rank.candidate import Candidate
from recall_rank.search.context import SearchContext
from recall_rank.search.ranking.group import is_title

_raw = attrgetter("raw")
LEAST = 1e-3  # added before a logarithm, which has no value at 0


def calibrate(search: SearchContext) -> None:
    """Set `score`, `sure` and `confidence` of the page's candidates, and `answerable` of the search.

    `score` becomes the chance, 0 to 1, that the result is relevant; the order of the candidates does not change.
    `sure` is the chance that the result's session is the right one. Both are logistic functions with the coefficients
    Weights.chance and Weights.sure. `answerable` is `sure` of the best candidate.

    `confidence` is "high" where `sure` reaches Weights.high, for the best candidate of the first page, or
    Weights.high_behind, for any other; it is never "high" for a title.
    """
    candidates = [entry.candidate for entry in search.page]
    if not candidates:
        return
    words, weights = search.query.counting, search.query.weights
    signals = array("d", query_signals(search))
    chance, sure = array("d", weights.chance), array("d", weights.sure)
    kernel.calibrate(candidates, signals, chance, sure, words, weights.plenty, LEAST)
    best = max(candidates, key=_raw)
    search.answerable = best.sure
    first = None if search.query.options.offset else best
    high, high_behind, medium = weights.high, weights.high_behind, weights.medium
    for candidate in candidates:
        certain = candidate.sure
        if certain >= (high if candidate is first else high_behind) and not is_title(search.reader, candidate):
            candidate.confidence = "high"
        else:
            candidate.confidence = "medium" if certain >= medium else "low"


def query_signals(search: SearchContext) -> list[float]:
    """Return the inputs of the logistic functions that depend on the query alone, three numbers.

    They are the constant 1, the logarithm of the query's highest possible score per word, and the logarithm of the
    number of eligible documents. They are the first signals in the order of SureWeights.
    """
    weights = search.query.weights
    documents = min(max(search.eligible.doc_count, weights.fewest), weights.most)
    return [1.0, log(search.expansion.ceiling / (search.query.counting + 1) + LEAST), log(documents)]


def candidate_signals(search: SearchContext, candidate: Candidate) -> list[float]:
    """Return the inputs of the logistic functions that depend on a candidate, six numbers.

    They follow those of query_signals() in the order of SureWeights.
    """
    return kernel.signals_of(candidate, search.query.counting, search.query.weights.plenty, LEAST)
