"""Calibrates scores: a score becomes the chance that its result is relevant, with a confidence in words."""

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
    """Set score, sure and confidence of the page's candidates, and `answerable` of the search.

    score is the chance that the result is relevant and sure the chance that its session is the right one; both are
    logistic (Weights.chance and Weights.sure). score depends on query, document and corpus alone and keeps the order
    of the candidates. Confidence is high for the best candidate of the first page from Weights.high on, for every
    other one from Weights.high_behind on, and never for a title.
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
    """The signals that depend on the query alone, and begin the list of signals in the order of SureWeights."""
    weights = search.query.weights
    documents = min(max(search.eligible.doc_count, weights.fewest), weights.most)
    return [1.0, log(search.expansion.ceiling / (search.query.counting + 1) + LEAST), log(documents)]


def candidate_signals(search: SearchContext, candidate: Candidate) -> list[float]:
    """The signals of one candidate, which follow query_signals() in the order of SureWeights."""
    return kernel.signals_of(candidate, search.query.counting, search.query.weights.plenty, LEAST)
