"""Stage: what a score means. A candidate's becomes the chance that it is relevant, and how sure that is, is said."""

from __future__ import annotations

from array import array
from math import log
from operator import attrgetter

from recall_rank import weights
from recall_rank._core.rank import candidate as room
from recall_rank.search.context import SearchContext
from recall_rank.search.ranking.candidate import Candidate
from recall_rank.search.ranking.group import is_title

_raw = attrgetter("raw")
LEAST = 1e-3  # added before a logarithm: nothing is not infinitely far from little


def calibrate(search: SearchContext) -> None:
    """Fill score, sure and confidence of the page's candidates, and `answerable`.

    Both chances are logistic (weights.CHANCE and weights.SURE). The score depends on query, document and corpus alone
    and keeps the candidates' order. Only the best of the first page is called high as soon as it is sure enough; an
    answer that others stand before must be surer.
    """
    candidates = [entry.candidate for entry in search.page]
    if not candidates:
        return
    words = search.query.counting
    asked = array("d", signs_of_query(search, words))
    chance, sure = array("d", weights.CHANCE.values()), array("d", weights.SURE.values())
    room.chances(candidates, asked, chance, sure, words, weights.PLENTY, LEAST)
    best = max(candidates, key=_raw)
    search.answerable = best.sure
    first = None if search.query.options.offset else best
    high, high_behind, medium = weights.HIGH, weights.HIGH_BEHIND, weights.MEDIUM
    for candidate in candidates:
        certain = candidate.sure
        if certain >= (high if candidate is first else high_behind) and not is_title(search.segment, candidate):
            candidate.confidence = "high"
        else:
            candidate.confidence = "medium" if certain >= medium else "low"


def signs_of_query(search: SearchContext, words: int) -> list[float]:
    """What of both chances is the same for all candidates: the first ones in the order of weights.SURE.

    `words` is how many words of the query count.
    """
    documents = min(max(search.eligible.doc_count, weights.FEWEST), weights.MOST)
    return [1.0, log(search.expansion.ceiling / (words + 1) + LEAST), log(documents)]


def signs_of(candidate: Candidate, words: int) -> list[float]:
    """What tells candidates apart: the others. weights.CHANCE ends after the first of them.

    `words` is how many words of the query count.
    """
    return room.signs_of(candidate, words, weights.PLENTY, LEAST)
