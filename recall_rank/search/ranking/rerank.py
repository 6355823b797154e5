"""Rerank candidates: read their passages, measure features, add boosts, compare with the query, and order.

One native call for each segment measures the passages and reads the names in them. Comparing, boosting and ordering are
one native call each for all candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

from recall_rank._core.rank import rerank as kernel
from recall_rank._core.rank.candidate import Candidate
from recall_rank._core.rank.passage_names import QueryName
from recall_rank._core.rank.rerank import RerankQuery, SegmentTexts
from recall_rank.analysis.normalize import encode, fold
from recall_rank.analysis.question_intent import speaks_of_asker
from recall_rank.index.reader.segment_view import SegmentView
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import DegradeKind
from recall_rank.search.query import Query
from recall_rank.search.ranking.query_names import query_names
from recall_rank.search.retrieval.caller_scores import score_of

LEAST_RUN = 0.3  # share of the query in one run from which on a passage is searched for the whole query
SHORTEST_QUERY = 4  # bytes of a query from which on it is searched as a whole


class BoostWorth(NamedTuple):
    """The greatest share of the evidence that each boost adds, or subtracts; see the weights of the same names."""

    window: float
    phrase: float
    near: float
    quoted: float
    whole_query: float
    cue: float
    scorer: float
    missing: float
    scattered: float
    repeated: float


def rerank(search: SearchContext, found: list[Candidate]) -> list[Candidate] | None:
    """Return the candidates in their final order, or None when the time for scoring ended first.

    In that case, the score of every candidate is only its evidence, as if nothing had been reranked.
    """
    if not found:
        return []
    best = None if search.deadline.too_late_to_score() else rescored(search, found)
    if best is None:
        search.degraded.add(DegradeKind.TIME)
        for candidate in found:
            candidate.forget()
        return None
    for candidate in best:
        candidate.stage = "score"
    search.reranked = best
    if "score" not in search.stages:
        search.stages += ("score", "boost")
    return best


def rescored(search: SearchContext, found: list[Candidate]) -> list[Candidate] | None:
    """Return the candidates with new scores, best first, or None when the time for scoring ended first.

    A query of several words, such as `rate limit`, is no name if a candidate holds these words as they are written.
    """
    names = query_names(search.query, search.expansion) if search.query.weights.scorer else []
    if not measure(search, found, names):
        return None
    if in_words(search.query, names) and any(candidate.whole for candidate in found):
        names = []
    if names and not kernel.compare(found, names, fold, search.deadline.score_by_ns):
        return None
    search.compared = names
    boost(search, found)
    return order(search, found)


def measure(search: SearchContext, candidates: list[Candidate], names: list[QueryName]) -> bool:
    """Read the passages of the candidates, set their features, and read the names there that hold words of `names`.

    Return False when the time for scoring ended first; the candidates of some segments may have features already.
    """
    query, weights = search.query, search.query.weights
    wanted = RerankQuery(
        search.expansion.matcher,
        whole_query(query),
        [encode(fold(phrase.strip())) for phrase in query.phrases],
        names,
        width=weights.window_words,
        least_phrase=LEAST_RUN,
    )
    return all(
        _texts(view).measure(_at(candidates, places), wanted, search.deadline.score_by_ns)
        for view, places in search.reader.split_by_segment([candidate.doc for candidate in candidates])
    )


def boost(search: SearchContext, candidates: list[Candidate]) -> None:
    """Set the boosts and the score of each candidate.

    A boost adds a share of the candidate's evidence, limited by a weight. A query that is one identifier earns none as
    a whole text, since the comparison of names tells better where it stands. The caller's own scores, in the option
    `extra_scores`, are added times a weight; with an embedder, so is the nearness in meaning.
    """
    query, weights = search.query, search.query.weights
    several = query.counting > 1
    answers = not speaks_of_asker([word.form for word in query.words])
    worth = BoostWorth(
        weights.window,
        weights.phrase if several else 0.0,
        weights.near if several else 0.0,
        weights.quoted,
        0.0 if is_identifier(query) else weights.whole_query,
        weights.cue,
        weights.scorer,
        weights.missing if answers else 0.0,
        weights.scattered if answers else 0.0,
        weights.repeated if answers else 0.0,
    )
    if signal := query.options.extra_scores:
        for candidate in candidates:
            candidate.extra = weights.extra * score_of(search.reader, signal, candidate.part)
    if search.nearest is not None:
        for candidate in candidates:
            candidate.meaning = weights.meaning * search.nearest.of_part(candidate.part)
    kernel.boost(candidates, worth, weights.long_part)


def order(search: SearchContext, candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates by descending score, then newer first.

    Candidates with equal score and time are ordered by source, session id, message id and part id, so that the order
    is total.
    """
    reader, messages = search.reader, search.reader.part_message

    def names(candidate: Candidate) -> tuple[str, str, str, str]:
        row, message = reader.session_of_part(candidate.part), messages[candidate.part]
        return row.source, row.id, reader.message_ids[message], reader.part_ids[candidate.part]

    return kernel.order(candidates, names)


def mark_holding(search: SearchContext, docs: list[int]) -> bytearray:
    """Return u8[len(docs)], 1 for each document whose passage contains the whole query.

    All marks are 0 for a query that whole_query() does not search as one text: a single word or very few bytes.
    """
    marks = bytearray(len(docs))
    whole = whole_query(search.query)
    for view, places in search.reader.split_by_segment(docs) if whole else ():
        held = _texts(view).mark_holding([docs[place] for place in places], whole)
        for place in compress(places, held):
            marks[place] = 1
    return marks


def whole_query(query: Query) -> bytes:
    """Return the folded query in UTF-8, to be searched as one text.

    Empty for a query of a single word and for one of fewer than SHORTEST_QUERY bytes, which is found by its terms only.
    """
    whole = encode(query.folded.strip())
    return whole if len(query.words) + len(query.compounds) > 1 and len(whole) >= SHORTEST_QUERY else b""


def is_identifier(query: Query) -> bool:
    """Return whether a query is one identifier, such as rateLimit or rate_limit."""
    return query.text.strip().isidentifier() and not any(word.cjk for word in query.words)


def in_words(query: Query, names: list[QueryName]) -> bool:
    """Return whether the only name is the whole query, which has blanks, such as `rate limit`."""
    return [name.last - name.first for name in names] == [len(query.words)] and len(query.text.split()) > 1


def _texts(view: SegmentView) -> SegmentTexts:
    segment = view.segment
    return SegmentTexts(
        segment.text_between,
        segment.doc_start,
        segment.part_start,
        segment.part_first_doc,
        segment.doc_columns,
        view.first_doc,
        view.first_part,
    )


def _at(candidates: list[Candidate], places: Sequence[int]) -> list[Candidate]:
    """Return the candidates at the indices `places`.

    `candidates` itself is returned when `places` has as many elements, that is when all are in one segment.
    """
    return candidates if len(places) == len(candidates) else [candidates[place] for place in places]
