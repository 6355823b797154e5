"""Build the requested page: rank the hits as far as the page needs, by relevance or by time, and choose its entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from recall_rank._core.search.column_filters import marked_indices
from recall_rank._core.search.session_hits import SessionHits
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import DegradeKind
from recall_rank.search.ranking.best_hits import best_parts, best_sessions, candidates
from recall_rank.search.ranking.fallback_hits import extend
from recall_rank.search.ranking.group import by_bucket, by_part, by_session
from recall_rank.search.ranking.rerank import rerank
from recall_rank.search.retrieval.caller_scores import mark_scored
from recall_rank.search.types import PageEntry

if TYPE_CHECKING:
    from recall_rank.index.shards.shard_evidence import FoundEvidence


def page(search: SearchContext, evidence: FoundEvidence) -> list[PageEntry]:
    """Return the entries of the requested page: at most options.results of them, from options.offset on.

    The hits are ranked here, as far as the page needs. Also sets `total` and `sessions` of the search.
    """
    options = search.query.options
    first, last = options.offset, options.offset + options.results
    buckets = search.eligible.buckets if search.query.nearest_first else None
    by_sessions, by_time = options.group == "session", options.order == "time"
    if options.extra_scores and not search.text_decides:
        search.scored_marks, reached, unknown = mark_scored(
            search.reader, options.extra_scores, search.eligible.part_marks, search.deadline
        )
        search.reached(reached)
        if unknown and reached == search.reader.parts:
            search.warnings.append(f"no part has {unknown:,} of the ids in extra_scores")
        evidence.extend_marked(search.scored_marks)
    if search.nearest is not None and not by_time:
        evidence.extend_marked(search.nearest_marks())
    sessions = SessionHits()
    needs_all = buckets is not None or by_time or search.text_decides
    if not needs_all:
        sessions = evidence.sessions() if by_sessions else sessions
        # also for a full page at the end: whether a hit follows decides whether the answer is truncated
        needs_all = last >= (len(sessions) if by_sessions else evidence.hit_count)
    if needs_all:
        extend(search, evidence)
        sessions = evidence.sessions() if by_sessions or by_time else sessions
    search.sessions = sessions
    if by_time:
        search.total = len(sessions) if by_sessions else evidence.hit_count
        if by_sessions:
            rows = sessions.by_number(first, last)
            chosen = by_session(search.reader, (), rows, search.expansion.ceiling or 1.0)
        else:
            chosen = list(_by_time(search, evidence))
        rerank(search, [entry.candidate for entry in chosen])  # for their scores; they keep the order of time
        return chosen
    entries = _ranked(search, evidence)
    if not needs_all and search.total <= last:  # so much was folded that fallback hits reach this page
        extend(search, evidence)
        search.sessions = evidence.sessions() if by_sessions else sessions
        entries = _ranked(search, evidence)
    if evidence.late:
        search.degraded.add(DegradeKind.TIME)
    if buckets is not None:
        entries = by_bucket(entries, buckets)
    return list(islice(entries, first, last))


def _ranked(search: SearchContext, evidence: FoundEvidence) -> Iterable[PageEntry]:
    """Return the entries of the best hits, of sessions or parts, and set `total` of the search."""
    options = search.query.options
    if options.group == "session":
        search.total = len(search.sessions)
        return best_sessions(search, evidence, search.sessions)
    search.total = evidence.hit_count
    weights = search.query.weights if search.total > options.results else None
    return by_part(search.reader, *best_parts(search, evidence), weights)


def _by_time(search: SearchContext, evidence: FoundEvidence) -> Iterator[PageEntry]:
    """Yield the entries of the page in order of time: newest session first, the hits of a session in the order of its
    messages.

    When not all hits fit on a page, the first `per_session` hits of every session come before any further one.
    """
    reader, options = search.reader, search.query.options
    hits, page = bytearray(reader.parts), bytearray(reader.parts)
    evidence.mark_hits(hits)
    order: list[tuple[int, int]] = []
    most = search.query.weights.per_session if search.total > options.results else search.total
    for session, low, high in search.sessions.hits_by_number(options.offset, options.offset + options.results, most):
        start, end = (reader.message_first_part[message] for message in reader.span_of(session))
        own = marked_indices(memoryview(hits)[start:end])
        for part in own[low:high]:
            page[start + part] = 1
            order.append((start + part, session))
    found = {candidate.part: candidate for candidate in candidates(search, evidence.among(page))}
    for part, session in order:
        if part in found:  # else its shard did not answer any more
            yield PageEntry(found[part], session)
