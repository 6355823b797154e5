"""Chooses the hits that are reranked, and puts all hits of a search in their final order."""

from __future__ import annotations

from itertools import compress

from recall_rank._core.rank.candidate import Candidate, candidates_of
from recall_rank._core.search.evidence import Evidence
from recall_rank._core.search.hits import Hit, Hits, SessionHit
from recall_rank.search.context import SearchContext
from recall_rank.search.query import Query
from recall_rank.search.ranking.group import BUCKETS, add_others, by_session
from recall_rank.search.ranking.rerank import mark_holding, order, rerank
from recall_rank.search.types import PageEntry


def best_parts(search: SearchContext, evidence: Evidence) -> tuple[list[Candidate], list[Candidate]]:
    """Return (reranked, remaining): the reranked candidates, best first, and the other hits by their evidence.

    The number of reranked hits fills whole pages, so that no page mixes reranked hits with others. `reranked` is empty
    when the time for scoring is over. `remaining` ends with the requested page.
    """
    options, weights = search.query.options, search.query.weights
    count, needed = _whole_pages(search.query), options.offset + options.results
    nearest_first = bool(options.directory and options.fallback)
    found = evidence.top(evidence.hit_count if nearest_first else max(count + weights.looked_at, needed))
    if nearest_first:
        nearer = [(hit.tier, _bucket(search, _session(search, hit.part))) for hit in found]
        found = found.taken(sorted(range(len(found)), key=nearer.__getitem__))
    best = rerank(search, candidates(search, _likely(search, found, count)))
    if best is None:
        return [], candidates(search, found if nearest_first else found.taken(range(min(needed, len(found)))))
    del best[count:]
    if needed <= len(best) and not nearest_first:
        return best, []
    ranked = {candidate.part for candidate in best}
    rest = [at for at, part in enumerate(found.parts()) if part not in ranked]
    return best, candidates(search, found.taken(rest))


def best_sessions(search: SearchContext, evidence: Evidence, rows: list[SessionHit]) -> list[PageEntry]:
    """Return a page entry for each session with hits: the reranked ones first, the others by their evidence.

    The number of reranked sessions fills whole pages. `rows` has one best hit for each session.
    """
    reader, ceiling, weights = search.reader, search.expansion.ceiling or 1.0, search.query.weights
    if search.eligible.buckets:
        rows = sorted(rows, key=lambda row: (row.tier, _bucket(search, row.session)))
    count = _whole_pages(search.query)
    found = _likely(search, evidence.top(weights.survivors + weights.looked_at), weights.survivors)
    chosen = set(found.parts())
    firsts = [
        Hit(row.part, row.doc, row.score, row.score, 0)
        for row in rows[:count]
        if row.part not in chosen and not row.tier
    ]
    best = rerank(search, candidates(search, found) + candidates(search, Hits(firsts)))
    if best is None:
        return by_session(reader, (), rows, ceiling)
    add_others(reader, best, weights.again)
    ranked = by_session(reader, order(search, best), (), ceiling)[:count]
    titled = {row.session for row in rows if row.title}
    for entry in ranked:
        entry.title_match = entry.title_match or entry.session in titled
    known = {entry.session for entry in ranked}
    return ranked + by_session(reader, (), [row for row in rows if row.session not in known], ceiling)


def candidates(search: SearchContext, found: Hits) -> list[Candidate]:
    """Return a Candidate, that is a hit to be ranked, for each of `found`, in their order."""
    return candidates_of(found, search.reader.times_of(found.parts()), search.expansion.ceiling or 1.0)


def _whole_pages(query: Query) -> int:
    """The number of hits to rerank: the weight `survivors`, rounded up to whole pages."""
    results = query.options.results
    return -(-query.weights.survivors // results) * results


def _likely(search: SearchContext, found: Hits, count: int) -> Hits:
    """Return the hits to rerank: the best `count`, and those of the next hits whose passages contain the whole query.

    For a query of common words, evidence separates passages badly, and an exact occurrence is the better sign.
    """
    sure = min(count, found.first_tier)
    others = range(sure, min(count + search.query.weights.looked_at, found.first_tier))
    if not others or search.deadline.too_late_to_score():
        return found.taken(range(sure))
    marks = mark_holding(search, found.taken(others).docs())
    return found.taken([*range(sure), *compress(others, marks)])


def _session(search: SearchContext, part: int) -> int:
    return search.reader.message_session[search.reader.part_message[part]]


def _bucket(search: SearchContext, session: int) -> int:
    return BUCKETS[search.eligible.buckets.get(session, "exact")]
