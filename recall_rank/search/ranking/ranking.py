"""The survivors of a search in their final order, and what is left when there is no time to rank them."""

from __future__ import annotations

from itertools import compress

from recall_rank._core.rank.candidate import best_first, of_hits
from recall_rank._core.search.hits import Hits
from recall_rank.index.reader.index_reader import Evidences
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import DegradeKind
from recall_rank.search.query import Query
from recall_rank.search.ranking.boost import boost
from recall_rank.search.ranking.candidate import Candidate
from recall_rank.search.ranking.group import BUCKETS, SessionHits, add_others, by_session
from recall_rank.search.ranking.group import Grouped as Entry
from recall_rank.search.ranking.score import holding, read, score


def best_parts(search: SearchContext, evidence: Evidences) -> tuple[list[Candidate], list[Candidate]]:
    """The survivors in their final order, and behind them, as far as the page needs them, all other hits.

    There are as many survivors as fill whole pages: no page mixes them with hits by evidence alone. Out of time, there
    are none.
    """
    options, weights = search.query.options, search.query.weights
    count, needed = _whole_pages(search.query), options.offset + options.results
    nearest_first = bool(options.directory and options.fallback)
    found = evidence.top(evidence.hit_count if nearest_first else max(count + weights.looked_at, needed))
    if nearest_first:
        nearer = [(tier, _bucket(search, _session(search, part))) for part, _, _, _, tier in found]
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


def best_sessions(search: SearchContext, evidence: Evidences, rows: list[SessionHits]) -> list[Entry]:
    """All sessions with hits: as many as fill whole pages in their final order, the others by evidence alone."""
    segment, ceiling, weights = search.segment, search.expansion.ceiling or 1.0, search.query.weights
    if search.eligible.buckets:
        rows = sorted(rows, key=lambda row: (row[6], _bucket(search, row[0])))
    count = _whole_pages(search.query)
    found = _likely(search, evidence.top(weights.survivors + weights.looked_at), weights.survivors)
    chosen = set(found.parts())
    firsts = [(row[1], row[2], row[3], row[3], 0) for row in rows[:count] if row[1] not in chosen and not row[6]]
    best = rerank(search, candidates(search, found) + candidates(search, Hits(firsts)))
    if best is None:
        return by_session(segment, (), rows, ceiling)
    add_others(segment, best, weights.again)
    ranked = by_session(segment, ordered(search, best), (), ceiling)[:count]
    titled = {row[0] for row in rows if row[5]}
    for entry in ranked:
        entry.title_match = entry.title_match or entry.session in titled
    known = {entry.session for entry in ranked}
    return ranked + by_session(segment, (), [row for row in rows if row[0] not in known], ceiling)


def rerank(search: SearchContext, found: list[Candidate]) -> list[Candidate] | None:
    """`found` in their final order; None when the time to score was over before all of them were read and scored."""
    segment, query, deadline = search.segment, search.query, search.deadline
    if not found:
        return []
    if not deadline.too_late_to_score() and read(segment, query, search.expansion, found, deadline):
        boost(segment, query, found)
        best = ordered(search, found)
        if score(segment, query, best, deadline):
            boost(segment, query, best[: query.weights.scored])
            for candidate in best:
                candidate.stage = "score"
            search.stages += ("score", "boost")
            return ordered(search, best)
    search.degraded.add(DegradeKind.TIME)
    for candidate in found:
        candidate.forget()
    return None


def candidates(search: SearchContext, found: Hits) -> list[Candidate]:
    """Parts as they were found: by the prefilter, or behind its hits by longer words and the text scan."""
    return of_hits(found, search.segment.times_of(found.parts()), search.expansion.ceiling or 1.0)


def ordered(search: SearchContext, found: list[Candidate]) -> list[Candidate]:
    """By score, then newer, then source, session, message and part: a total order, whatever order things came in."""
    segment, messages = search.segment, search.segment.part_message

    def names(candidate: Candidate) -> tuple[str, str, str, str]:
        row, message = segment.session_of_part(candidate.part), messages[candidate.part]
        return row.source, row.id, segment.message_ids[message], segment.part_ids[candidate.part]

    return best_first(found, names)


def _whole_pages(query: Query) -> int:
    """The weight `survivors`, rounded up to a multiple of the results of a page."""
    results = query.options.results
    return -(-query.weights.survivors // results) * results


def _likely(search: SearchContext, found: Hits, count: int) -> Hits:
    """Of the prefilter's hits the first `count`, and of the next LOOKED_AT those that hold the query as it was written:
    its words may all be common ones."""
    sure = min(count, found.first_tier)
    others = range(sure, min(count + search.query.weights.looked_at, found.first_tier))
    if not others or search.deadline.too_late_to_score():
        return found.taken(range(sure))
    marks = holding(search.segment, search.query, found.taken(others).docs())
    return found.taken([*range(sure), *compress(others, marks)])


def _session(search: SearchContext, part: int) -> int:
    return search.segment.message_session[search.segment.part_message[part]]


def _bucket(search: SearchContext, session: int) -> int:
    return BUCKETS[search.eligible.buckets.get(session, "exact")]
