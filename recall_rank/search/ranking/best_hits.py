"""Chooses the hits that are reranked, and puts all hits of a search in their final order."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress, islice
from operator import attrgetter
from typing import TYPE_CHECKING

from recall_rank._core.rank.candidate import Candidate, candidates_of
from recall_rank._core.search.hits import Hit, Hits
from recall_rank._core.search.session_hits import SessionHit, SessionHits
from recall_rank.model.project_scope import DIRECTORY_BUCKETS
from recall_rank.search.context import SearchContext
from recall_rank.search.filters.eligible import parts_of_sessions
from recall_rank.search.query import Query
from recall_rank.search.ranking.copies import fold_copies, fold_near_duplicates
from recall_rank.search.ranking.group import add_others, by_session
from recall_rank.search.ranking.rerank import mark_holding, order, rerank, rescored
from recall_rank.search.ranking.titles import fold_titles
from recall_rank.search.retrieval.caller_scores import score_of
from recall_rank.search.types import PageEntry

if TYPE_CHECKING:
    from recall_rank.index.shards.shard_evidence import FoundEvidence


def best_parts(search: SearchContext, evidence: FoundEvidence) -> tuple[list[Candidate], list[Candidate]]:
    """Return (reranked, remaining): the reranked candidates, best first, and the other hits by their evidence.

    The number of reranked hits fills whole pages. So other hits follow them on one page only where none is left to
    rerank (fallback hits) and where hits among them were folded. `reranked` is empty when the time for scoring is over.
    `remaining` reaches at least to the end of the requested page.
    """
    options, weights = search.query.options, search.query.weights
    count, needed = _whole_pages(search.query), options.offset + options.results
    most = count + weights.looked_at + needed  # all reranked hits may be folded
    nearest_first = search.query.nearest_first
    found = _nearest_hits(search, evidence, most) if nearest_first else evidence.top(most, search.deadline.at_ns)
    likely = _likely(search, found, count)
    added = _scored_by_caller(search, evidence) + _near_in_meaning(search, evidence, likely.parts())
    best = rerank(search, candidates(search, likely) + added)
    if best is None:
        return [], candidates(search, found if nearest_first else found.taken(range(min(needed, len(found)))))
    kept = _folded(search, best, weights.survivors)
    wide = found.taken(range(min(count + weights.looked_at, found.first_tier)))
    if len(kept) < min(options.results, count // 3) and len(best) < len(wide) and not nearest_first:
        # a text that was said many times fills the place of all others: the next hits are reranked, too
        again = rescored(search, candidates(search, wide) + added)
        if again is not None:
            for candidate in again:
                candidate.stage = "score"
            search.total += len(best) - len(kept)
            search.reranked = best = again
            kept = _folded(search, best, len(best))
    over = {candidate.part for candidate in kept[count:]}  # hits like any other, which follow by their evidence
    del kept[count:]
    if needed <= len(kept) and not nearest_first:
        return kept, []
    ranked = {candidate.part for candidate in best} - over
    rest = [at for at, part in enumerate(found.parts()) if part not in ranked]
    return kept, candidates(search, found.taken(rest))


def _nearest_hits(search: SearchContext, evidence: FoundEvidence, count: int) -> Hits:
    """Return the `count` best hits of each directory bucket: lower tiers first, in a tier the nearest bucket first.

    by_bucket() finds the entries of the page among them, and no list of all hits is made.
    """
    buckets = search.eligible.buckets or bytearray()
    if len(set(buckets)) < 2:  # all sessions are in one bucket
        return evidence.top(count, search.deadline.at_ns)
    found: list[Hit] = []
    for rank in range(len(DIRECTORY_BUCKETS)):
        if rank in buckets:
            own = buckets.translate(bytes([number == rank for number in range(256)]))
            found += evidence.top_among(count, parts_of_sessions(search.reader, own))
    return Hits(sorted(found, key=attrgetter("tier")))


def best_sessions(search: SearchContext, evidence: FoundEvidence, sessions: SessionHits) -> list[PageEntry]:
    """Return a page entry for each session with hits: the reranked ones first, the others by their evidence.

    The number of reranked sessions fills whole pages. `sessions` are all that have hits. Entries that follow the
    requested page are left out; with the options `directory` and `fallback`, those that follow it in each bucket.
    """
    options = search.query.options
    count, last = _whole_pages(search.query), options.offset + options.results
    reader, ceiling, weights = search.reader, search.expansion.ceiling or 1.0, search.query.weights
    rows: SessionHits | list[SessionHit] = sessions
    if search.query.nearest_first:
        rows = _nearest_rows(search, sessions, count + last)
        last = len(rows)
    found = best_hits(search, evidence)
    chosen = set(found.parts())
    firsts = [
        Hit(row.part, row.doc, row.score, row.score, 0)
        for row in rows[:count]
        if row.part not in chosen and not row.tier
    ]
    shown = [*found.parts(), *(hit.part for hit in firsts)]
    added = _scored_by_caller(search, evidence) + _near_in_meaning(search, evidence, shown)
    best = rerank(search, candidates(search, found) + candidates(search, Hits(firsts)) + added)
    if best is None:
        return by_session(reader, (), rows[:last], ceiling)
    add_others(reader, best, weights.again)
    ranked = by_session(reader, order(search, best), (), ceiling)[:count]
    for entry in ranked:
        entry.title_match = entry.title_match or sessions.has_title(entry.session)
    known = {entry.session for entry in ranked}
    kept = set(map(id, _folded(search, [entry.candidate for entry in ranked], weights.survivors)))
    ranked = [entry for entry in ranked if id(entry.candidate) in kept]
    others = islice((row for row in rows if row.session not in known), max(0, last - len(ranked)))
    return ranked + by_session(reader, (), others, ceiling)


def _nearest_rows(search: SearchContext, sessions: SessionHits, count: int) -> list[SessionHit]:
    """Return the first `count` of `sessions` in each directory bucket: lower tiers first, in a tier the nearest bucket
    first.
    """
    buckets = search.eligible.buckets or bytearray()
    found = sessions.best_of_each(count, buckets)
    return sorted(found, key=lambda row: (row.tier, buckets[row.session]))


def best_hits(search: SearchContext, evidence: FoundEvidence) -> Hits:
    """Return the hits to rerank where no page asks for more: `survivors` of them, and those that hold the query."""
    weights = search.query.weights
    found = evidence.top(weights.survivors + weights.looked_at, search.deadline.at_ns)
    return _likely(search, found, weights.survivors)


def candidates(search: SearchContext, found: Hits) -> list[Candidate]:
    """Return a Candidate, that is a hit to be ranked, for each of `found`, in their order."""
    return candidates_of(found, search.reader.times_of(found.parts()), search.expansion.ceiling or 1.0)


def _folded(search: SearchContext, ranked: list[Candidate], among: int) -> list[Candidate]:
    """Return `ranked` without copies, that is, parts which are shown together with another part that they equal,
    without near duplicates of better parts, and without titles that are shown together with the message that they were
    made from. Without the option `fold`, return all.

    They are stored as `search.copies`, `search.near_duplicates` and `search.titled`, and `search.total` is reduced by
    their number. Every page of a query folds the same candidates. Near duplicates are looked for `among` so many of
    the best: with a fixed number, a total hardly depends on the size of a page. They remain results where these are
    sessions, since two that read one file are not one, and in regex mode, since what a pattern matches may differ.
    """
    options = search.query.options
    if not options.fold:
        return ranked
    kept, search.copies = fold_copies(search.reader, ranked)
    if options.group == "part" and options.match != "regex":
        best, search.near_duplicates = fold_near_duplicates(search.reader, search.expansion.matcher, kept[:among])
        kept = best + kept[among:]
    kept, search.titled = fold_titles(search.reader, kept)
    search.total -= len(ranked) - len(kept)
    return kept


def _scored_by_caller(search: SearchContext, evidence: FoundEvidence) -> list[Candidate]:
    """Return the candidates that only the option `extra_scores` makes hits, those with the highest scores.

    Their number is at most the weight `survivors`.
    """
    scores = search.query.options.extra_scores
    if not scores or search.scored_marks is None:
        return []
    found = candidates(search, evidence.among(search.scored_marks))
    added = [candidate for candidate in found if candidate.stage == "scan"]
    added.sort(key=lambda candidate: -score_of(search.reader, scores, candidate.part))
    return added[: search.query.weights.survivors]


def _near_in_meaning(search: SearchContext, evidence: FoundEvidence, known: Iterable[int]) -> list[Candidate]:
    """Return the candidates whose meaning is near to that of the query, except the parts `known`.

    One that no word finds is represented by its nearest passage.
    """
    if search.nearest is None:
        return []
    marks, docs = search.nearest_marks(), dict(search.nearest.best)
    for part in known:
        marks[part] = 0
    hits = evidence.among(marks)
    return candidates(search, Hits([hit._replace(doc=docs[hit.part]) if hit.tier else hit for hit in hits]))


def _whole_pages(query: Query) -> int:
    """Return the number of hits to rerank: the weight `survivors`, rounded up to whole pages."""
    results = query.options.results
    return -(-query.weights.survivors // results) * results


def _likely(search: SearchContext, found: Hits, count: int) -> Hits:
    """Return the hits to rerank: the best `count`, and those of the next hits whose passages contain the whole query.

    For a query of common words, evidence separates passages badly, and an exact occurrence is the better sign.
    """
    best = min(count, found.first_tier)
    others = range(best, min(count + search.query.weights.looked_at, found.first_tier))
    if not others or search.deadline.too_late_to_score():
        return found.taken(range(best))
    marks = mark_holding(search, found.taken(others).docs())
    return found.taken([*range(best), *compress(others, marks)])
