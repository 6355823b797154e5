"""Calibrate scores: turn the score of a candidate into the chance that it is relevant, and name a confidence."""

from __future__ import annotations

from array import array
from math import log
from operator import attrgetter

from recall_rank._core.rank import calibration as kernel
from recall_rank._core.rank.candidate import Candidate
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import DegradeKind
from recall_rank.search.ranking.group import is_title
from recall_rank.search.ranking.unfiltered import rank_unfiltered

_raw = attrgetter("raw")
LEAST = 1e-3  # added before a logarithm, which has no value at 0


def calibrate(search: SearchContext) -> None:
    """Set `score`, `sure` and `confidence` of the page's candidates, and `answerable` of the search.

    `score` becomes the chance, 0 to 1, that the result is relevant; the order of the candidates does not change. `sure`
    is the chance that the result's session is the right one. Both are logistic functions with the coefficients
    Weights.chance and Weights.sure. `answerable` is `sure` of the best candidate of the page.

    `confidence` is "high" where `sure` reaches Weights.high, for the best candidate of the first page, or
    Weights.high_behind, for any other; it is never "high" for a title. Below that it is "medium" from Weights.medium
    on, else "low".
    """
    candidates = [entry.candidate for entry in search.page]
    if not candidates:
        return
    weights = search.query.weights
    chance, sure = array("d", weights.chance), array("d", weights.sure)
    kernel.calibrate(candidates, array("d", query_signals(search)), chance, weights.plenty, LEAST)
    basis, judged = basis_of_certainty(search, candidates)
    signals, words = array("d", query_signals(basis)), search.query.counting
    for candidate, chance_of_session in zip(
        candidates, kernel.certainties(judged, signals, sure, words, weights.plenty, LEAST), strict=True
    ):
        candidate.sure = chance_of_session
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


def basis_of_certainty(search: SearchContext, candidates: list[Candidate]) -> tuple[SearchContext, list[Candidate]]:
    """Return (basis, judged), from which the chance is computed that the session of each candidate is the right one.

    `basis` is the search without its filters, and judged[k] is candidates[k] as it ranks in that search, without
    evidence if it is no hit there. Without filters, because a word that is common in one session, and therefore proves
    little among its messages, may still be what tells this session from all others; so narrowing a search never makes a
    result less sure. When the search has no filters and has read the passages of all reranked candidates, or when no
    time is left, the search and `candidates` are themselves returned.
    """
    borrowed = any(candidate.stage == "score" and not candidate.was_read for candidate in candidates)
    if search.eligible.part_marks is None and not borrowed:
        return search, candidates
    found = rank_unfiltered(search, [candidate.part for candidate in candidates])
    if found is None:
        search.degraded.add(DegradeKind.TIME)
        return search, candidates
    unfiltered, ranked = found
    return unfiltered, [ranked.get(one.part) or Candidate(one.part, one.doc, 0.0) for one in candidates]


def query_signals(search: SearchContext) -> list[float]:
    """Return the inputs of the logistic functions that depend on the query alone, three numbers.

    They are the constant 1, the logarithm of the query's ceiling divided by one more than its words that count, and the
    logarithm of the number of eligible documents, limited to Weights.fewest to Weights.most. They are the first signals
    in the order of SureWeights.
    """
    weights = search.query.weights
    documents = min(max(search.eligible.doc_count, weights.fewest), weights.most)
    return [1.0, log(search.expansion.ceiling / (search.query.counting + 1) + LEAST), log(documents)]


def candidate_signals(search: SearchContext, candidate: Candidate) -> list[float]:
    """Return the inputs of the logistic functions that depend on a candidate, six numbers.

    They follow those of query_signals() in the order of SureWeights.
    """
    return kernel.signals_of(candidate, search.query.counting, search.query.weights.plenty, LEAST)
