"""Which hits make the page asked for, in the order asked for."""

from __future__ import annotations

from itertools import compress

from recall_rank._core.eligible import count_marks
from recall_rank._core.evidence import Evidence
from recall_rank.candidate import Candidate
from recall_rank.group import Grouped, by_bucket, by_part, by_session, in_turns
from recall_rank.ranking import best_parts, best_sessions, rerank
from recall_rank.state import Search
from recall_rank.tail import by_longer_words, scan, tail_entries


def page(search: Search, evidence: Evidence) -> list[Grouped]:
    """The entries from `offset` on, as many as `results`."""
    options = search.query.options
    first, last = options.offset, options.offset + options.results
    in_buckets = bool(options.directory and options.fallback)
    if options.order == "time":
        entries = _by_time(search, evidence)
    else:
        if options.group == "session":
            entries = best_sessions(search, evidence)
        else:
            best, rest = best_parts(search, evidence)
            entries = by_part(search.segment, best, rest, search.total > options.results)
        # not only when the page is not full: what follows a full page decides whether the answer is truncated
        if last >= len(entries) or in_buckets or search.text_marks is not None:
            entries += tail_entries(search, evidence, {entry.session for entry in entries})
        if options.group == "session":
            search.total = len(entries)
    if in_buckets:
        entries = by_bucket(entries, search.allowed.buckets)
    chosen = entries[first:last]
    if options.order == "time":  # what is shown is scored all the same, and keeps its place
        rerank(search, [entry.candidate for entry in chosen])
    return chosen


def _by_time(search: Search, evidence: Evidence) -> list[Grouped]:
    """All hits, sessions newest first, messages oldest first: the order of the segment."""
    if search.text_marks is None:
        scan(search)
    segment, options, ceiling = search.segment, search.query.options, search.expansion.ceiling or 1.0
    marks = bytearray(search.text_marks or b"")
    evidence.mark_hits(marks)
    by_longer_words(search, marks)
    search.total = count_marks(marks)
    search.total_exact = True
    known = {part: (doc, value / ceiling) for part, doc, value, _ in evidence.top(evidence.hit_count)}
    first_doc = segment.part_first_doc
    found = [
        Candidate.of_evidence(part, *known.get(part, (first_doc[part], 0.0)))
        for part in compress(range(len(marks)), marks)
    ]
    if options.group == "part":
        return in_turns(segment, found, options.results)
    entries = by_session(segment, found, (), 1.0)
    for candidate in found:
        session = segment.message_session[segment.part_message[candidate.part]]
        search.hits_of_session[session] = search.hits_of_session.get(session, 0) + 1
    search.total = len(entries)
    return entries
