"""Rank the candidates of a search as they would be ranked without its filters."""

from __future__ import annotations

from collections.abc import Iterable

from recall_rank._core.rank.candidate import Candidate
from recall_rank.search.context import SearchContext
from recall_rank.search.expansion.expand import expand
from recall_rank.search.filters.eligible import everything
from recall_rank.search.ranking.best_hits import candidates
from recall_rank.search.ranking.rerank import rescored
from recall_rank.search.retrieval.prefilter import prefilter


def rank_unfiltered(search: SearchContext, parts: Iterable[int]) -> tuple[SearchContext, dict[int, Candidate]] | None:
    """Return (unfiltered, ranked): the search without its filters, and a mapping from part to its candidate in that
    search.

    Parts that are no hits there are left out. None when the time for scoring ended first. The cost is that of a search:
    each document of the index is scored, and the passages of `parts` are read.
    """
    reader, query, deadline = search.reader, search.query, search.deadline
    if deadline.too_late_to_score():
        return None
    eligible = everything(reader)
    expansion = expand(query, reader, eligible, deadline)
    unfiltered = SearchContext(reader, query, deadline, eligible, expansion)
    unfiltered.nearest = search.nearest
    unfiltered.note_words(expansion.words_done)
    marks = bytearray(reader.parts)
    for part in parts:
        marks[part] = 1
    evidence = prefilter(reader, query, expansion, eligible, marks, deadline.at_ns)
    unfiltered.note_documents(evidence.docs_done)
    if unfiltered.out_of_time:
        return None
    ranked = rescored(unfiltered, candidates(unfiltered, evidence.among(marks)))
    return None if ranked is None else (unfiltered, {candidate.part: candidate for candidate in ranked})
