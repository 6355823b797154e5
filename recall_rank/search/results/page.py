"""Build the requested page: rank the hits as far as the page needs, by relevance or by time, and choose its entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from recall_rank._core.search.column_filters import marked_indices
from recall_rank._core.search.hits import SessionHit
from recall_rank.search.context import SearchContext
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

    The hits are ranked here, as far as the page needs. Also sets `total` and `hits_of_session` of the search.
    """
    options = search.query.options
    first, last = options.offset, options.offset + options.results
    in_buckets = bool(options.directory and options.fallback)
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
    sessions: list[SessionHit] = []
    needs_all = in_buckets or by_time or search.text_decides
    if not needs_all:
        sessions = evidence.sessions() if by_sessions else []
        # also for a full page at the end: whether a hit follows decides whether the answer is truncated
        needs_all = last >= (len(sessions) if by_sessions else evidence.hit_count)
    if needs_all:
        extend(search, evidence)
        sessions = evidence.sessions() if by_sessions or by_time else []
    search.hits_of_session = {row.session: row.hits for row in sessions}
    search.total = len(sessions) if by_sessions else evidence.hit_count
    if by_time:
        sessions.sort()
        if by_sessions:
            chosen = by_session(search.reader, (), sessions[first:last], search.expansion.ceiling or 1.0)
        else:
            chosen = list(_by_time(search, evidence, [(row.session, row.hits) for row in sessions]))
        rerank(search, [entry.candidate for entry in chosen])  # for their scores; they keep the order of time
        return chosen
    entries: Iterable[PageEntry]
    if by_sessions:
        entries = best_sessions(search, evidence, sessions)
    else:
        weights = search.query.weights if search.total > options.results else None
        entries = by_part(search.reader, *best_parts(search, evidence), weights)
    if in_buckets:
        entries = by_bucket(entries, search.eligible.buckets)
    return list(islice(entries, first, last))


def _by_time(search: SearchContext, evidence: FoundEvidence, counts: Sequence[tuple[int, int]]) -> Iterator[PageEntry]:
    """Yield the entries of the page in order of time: newest session first, the hits of a session in the order of its
    messages.

    `counts` are (session, number of hits) in the order of sessions. When not all hits fit on a page, the first two hits
    of every session come before any third hit.
    """
    reader = search.reader
    hits, page = bytearray(reader.parts), bytearray(reader.parts)
    evidence.mark_hits(hits)
    order: list[tuple[int, int]] = []
    for session, low, high in _ranges(search, counts):
        start, end = (reader.message_first_part[message] for message in reader.span_of(session))
        own = marked_indices(memoryview(hits)[start:end])
        for part in own[low:high]:
            page[start + part] = 1
            order.append((start + part, session))
    found = {candidate.part: candidate for candidate in candidates(search, evidence.among(page))}
    for part, session in order:
        yield PageEntry(found[part], session)


def _ranges(search: SearchContext, counts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Yield (session, first, last) for each session on the page: its hits [first, last), in its order, are on the page.

    `counts` are (session, number of hits) for every session with hits, newest first. A session may come twice.
    """
    options = search.query.options
    first, last = options.offset, options.offset + options.results
    crowded, most = search.total > options.results, search.query.weights.per_session
    at = 0
    for low, high in ((0, most), (most, search.total)) if crowded else ((0, search.total),):
        for session, count in counts:
            size = max(0, min(count, high) - low)
            begin, end = max(first, at), min(last, at + size)
            if begin < end:
                yield session, low + begin - at, low + end - at
            at += size
