"""Calibrate scores: turn the score of a candidate into the chance that it is relevant, and name a confidence."""

from __future__ import annotations

from array import array
from heapq import nlargest
from math import log
from operator import attrgetter, itemgetter
from typing import NamedTuple

from recall_rank._core.rank import calibration as kernel
from recall_rank._core.rank.candidate import Candidate
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import DegradeKind
from recall_rank.search.ranking.group import is_title
from recall_rank.search.ranking.unfiltered import rank_unfiltered

_raw, _own = attrgetter("raw"), attrgetter("own")
LEAST = 1e-3  # added before a logarithm, which has no value at 0


class Basis(NamedTuple):
    """The input of the certainty of candidates; see basis_of_certainty()."""

    search: SearchContext
    candidates: list[Candidate]
    leads: list[float]
    shares: list[float]


def calibrate(search: SearchContext) -> None:
    """Set `score`, `sure` and `confidence` of the page's candidates, and `answerable` of the search.

    `score` becomes the chance, 0 to 1, that the result is relevant; the order of the candidates does not change. `sure`
    is the chance that the result's session is the right one. Both are logistic functions with the coefficients
    Weights.chance and Weights.sure. `answerable` is `sure` of the best candidate of the page.

    `confidence` is "high" where `sure` reaches Weights.high, "medium" from Weights.medium on, and else "low". It is
    never "high" for a title, nor where nobody wrote a word or a name as the query writes it.
    """
    candidates = [entry.candidate for entry in search.page]
    if not candidates:
        return
    weights = search.query.weights
    kernel.calibrate(candidates, array("d", query_signals(search)), array("d", weights.chance), weights.plenty, LEAST)
    basis = basis_of_certainty(search, candidates)
    signals = array("d", query_signals(basis.search))
    chances = kernel.certainties(
        basis.candidates,
        array("d", basis.leads),
        array("d", basis.shares),
        signals,
        array("d", weights.sure),
        weights.plenty,
        LEAST,
    )
    expansion = basis.search.expansion
    all_known = not (expansion.names or expansion.unknown or expansion.repaired)
    all_known = all_known and not any(group.nearly for group in expansion.groups)
    for candidate, sure in zip(candidates, chances, strict=True):
        candidate.sure = sure
        if sure >= weights.high and all_known and not is_title(search.reader, candidate):
            candidate.confidence = "high"
        else:
            candidate.confidence = "medium" if sure >= weights.medium else "low"
    search.answerable = max(candidates, key=_raw).sure


def basis_of_certainty(search: SearchContext, candidates: list[Candidate]) -> Basis:
    """Return the Basis from which the chance is computed that the session of each candidate is the right one.

    Its search is this one without its filters, its candidates[k] is candidates[k] as it ranks in that search, without
    evidence if it is no hit there; leads[k] is by how much it is ahead of other sessions, see leads_of(), and shares[k]
    the share of its session in the best scores, see shares_of(). Without filters, because a word that is common in one
    session, and therefore proves little among its messages, may still be what tells this session from all others; so
    narrowing a search never makes a result less sure. When the search has no filters and has read the passages of all
    reranked candidates, or when no time is left, the search and `candidates` are themselves returned.
    """
    marks = search.eligible.part_marks
    borrowed = any(candidate.stage == "score" and not candidate.was_read for candidate in candidates)
    unfiltered = search
    if marks is not None or borrowed:
        found = rank_unfiltered(search, [candidate.part for candidate in candidates])
        if found is None:
            search.degraded.add(DegradeKind.TIME)
        else:
            unfiltered = found
            ranked = {candidate.part: candidate for candidate in found.reranked}
            candidates = [ranked.get(one.part) or Candidate(one.part, one.doc, 0.0) for one in candidates]
    copies = {part for parts in search.copies.values() for part in parts}
    rivals = [one for one in unfiltered.reranked if one.part not in copies and (marks is None or marks[one.part])]
    return basis_among(unfiltered, candidates, rivals)


def basis_among(search: SearchContext, candidates: list[Candidate], rivals: list[Candidate]) -> Basis:
    """Return the Basis of candidates of a search, of which the `rivals` are all that may be ahead of them."""
    reader = search.reader
    return Basis(search, candidates, leads_of(reader, candidates, rivals), shares_of(search, candidates))


def leads_of(reader: IndexReader, candidates: list[Candidate], rivals: list[Candidate]) -> list[float]:
    """Return by how much each candidate is ahead of the rivals of other sessions, a number from -1 to 1.

    It is 1 - r / e, at least -1: e is the score of the candidate before calibration, and r is the highest one of a
    rival in another session, 0 if there is none. A candidate without a score has the lead -1.
    """
    best: dict[int, float] = {}
    for session, one in zip(reader.sessions_of([one.part for one in rivals]), rivals, strict=True):
        if one.own > best.get(session, 0.0):
            best[session] = one.own
    first, second = (*nlargest(2, best.items(), key=itemgetter(1)), (-1, 0.0), (-1, 0.0))[:2]
    found = []
    for session, candidate in zip(reader.sessions_of([one.part for one in candidates]), candidates, strict=True):
        rival = second[1] if session == first[0] else first[1]
        found.append(max(-1.0, 1 - rival / candidate.own) if candidate.own > 0 else -1.0)
    return found


def shares_of(search: SearchContext, candidates: list[Candidate]) -> list[float]:
    """Return the share, 0 to 1, of the session of each candidate in the scores of the best reranked candidates of a
    search, as many as Weights.survivors, before calibration.

    Where one session has most of what ranks high, it is seldom the wrong one. A filter of the search does not change
    the share.
    """
    reader, most = search.reader, search.query.weights.survivors
    ranked = search.reranked if len(search.reranked) <= most else nlargest(most, search.reranked, key=_own)
    sums: dict[int, float] = {}
    for session, one in zip(reader.sessions_of([one.part for one in ranked]), ranked, strict=True):
        sums[session] = sums.get(session, 0.0) + one.own
    total = sum(sums.values()) or 1.0
    return [sums.get(session, 0.0) / total for session in reader.sessions_of([one.part for one in candidates])]


def query_signals(search: SearchContext) -> list[float]:
    """Return the inputs of the logistic functions that depend on the query alone, three numbers.

    They are the constant 1, the logarithm of the query's ceiling divided by one more than its words that count, and the
    logarithm of the number of eligible documents, limited to Weights.fewest to Weights.most. They are the first signals
    in the order of SureWeights.
    """
    weights = search.query.weights
    documents = min(max(search.eligible.doc_count, weights.fewest), weights.most)
    return [1.0, log(search.expansion.ceiling / (search.query.counting + 1) + LEAST), log(documents)]


def candidate_signals(basis: Basis, place: int) -> list[float]:
    """Return the inputs of the logistic functions that depend on the candidate at `place` of a basis, four numbers.

    They follow those of query_signals() in the order of SureWeights.
    """
    plenty = basis.search.query.weights.plenty
    return kernel.signals_of(basis.candidates[place], basis.leads[place], basis.shares[place], plenty, LEAST)


def score_signal(search: SearchContext, candidate: Candidate) -> float:
    """Return the input of the chance that a candidate is relevant which depends on the candidate, as calibrate() of the
    kernel computes it: ln(raw / (raw + Weights.plenty) + LEAST).
    """
    return log(candidate.raw / (candidate.raw + search.query.weights.plenty) + LEAST)
