"""Rank the hits of a search as they would be ranked without its filters."""

from __future__ import annotations

from collections.abc import Iterable

from recall_rank.search.context import SearchContext
from recall_rank.search.expansion.expand import expand
from recall_rank.search.filters.eligible import everything
from recall_rank.search.ranking.best_hits import best_hits, candidates
from recall_rank.search.ranking.rerank import rescored
from recall_rank.search.retrieval.prefilter import prefilter


def rank_unfiltered(search: SearchContext, parts: Iterable[int]) -> SearchContext | None:
    """Return the search without its filters; its `reranked` are the best hits of the index and those of `parts`.

    Parts that are no hits there are left out. None when the time for scoring ended first. The cost is that of a search:
    each document of the index is scored, and the passages of the best hits and of `parts` are read.
    """
    reader, query, deadline = search.reader, search.query, search.deadline
    if deadline.too_late_to_score():
        return None
    eligible = everything(reader)
    expansion = expand(query, reader, eligible, deadline)
    unfiltered = SearchContext(reader, query, deadline, eligible, expansion)
    unfiltered.nearest = search.nearest
    unfiltered.note_words(expansion.words_done)
    evidence = prefilter(reader, query, expansion, eligible, None, deadline.at_ns)
    unfiltered.note_documents(evidence.docs_done)
    if search.nearest is not None:
        evidence.extend_marked(search.nearest_marks())  # what is a hit by its meaning is one here, too
    if unfiltered.out_of_time:
        return None
    best = best_hits(unfiltered, evidence)
    marks = bytearray(reader.parts)
    for part in parts:
        marks[part] = 1
    for part in best.parts():
        marks[part] = 0
    ranked = rescored(unfiltered, candidates(unfiltered, best) + candidates(unfiltered, evidence.among(marks)))
    if ranked is None:
        return None
    unfiltered.reranked = ranked
    return unfiltered
