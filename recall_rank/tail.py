"""The hits behind the ranked ones: what only longer words give away, then what only the text does."""

from __future__ import annotations

from itertools import compress

from recall_rank import weights
from recall_rank._core.eligible import keep_marks
from recall_rank._core.evidence import Evidence
from recall_rank.budget import DegradeKind
from recall_rank.candidate import Candidate
from recall_rank.expand import longer_words
from recall_rank.group import Grouped, by_part, by_session
from recall_rank.literal import text_hits
from recall_rank.prefilter import prefilter
from recall_rank.ranking import ordered
from recall_rank.state import Search


def scan(search: Search) -> None:
    """Mark the parts whose text holds the query."""
    search.text_marks, looked = text_hits(search.segment, search.query, search.allowed.parts, search.deadline)
    search.stages.append("scan")
    search.reached(looked)


def tail_entries(search: Search, evidence: Evidence, sessions: set[int]) -> list[Grouped]:
    """The tail as entries; by session, those of sessions that are not among `sessions`."""
    found = _tail(search, evidence)
    if search.query.options.group == "part":
        return by_part(search.segment, (), found, False)
    return [entry for entry in by_session(search.segment, found, (), 1.0) if entry.session not in sessions]


def _tail(search: Search, evidence: Evidence) -> list[Candidate]:
    segment = search.segment
    known = bytearray(segment.parts)
    evidence.mark_hits(known)
    longer = by_longer_words(search, known)
    if search.text_marks is None:
        scan(search)
    left = bytearray(search.text_marks or bytes(segment.parts))
    keep_marks(left, known, False)
    first_doc = segment.part_first_doc
    by_text = [Candidate.of_evidence(part, first_doc[part], 0.0, "scan") for part in compress(range(len(left)), left)]
    if by_text and not evidence.hit_count and not longer and not search.text_decides:
        search.degraded.add(DegradeKind.FALLBACK)
    found = longer + ordered(search, by_text)
    for candidate in found:
        session = segment.message_session[segment.part_message[candidate.part]]
        search.hits_of_session[session] = search.hits_of_session.get(session, 0) + 1
    search.total += len(found)
    search.total_exact = True
    return found


def by_longer_words(search: Search, known: bytearray) -> list[Candidate]:
    """The parts that hold a word which a word of the query begins, and are not in `known`, which they join."""
    if search.text_decides:
        return []
    segment, allowed, ceiling = search.segment, search.allowed, search.expansion.ceiling or 1.0
    longer = longer_words(search.expansion, segment.vocabulary, segment.postings, allowed.documents, allowed.docs)
    if not longer:
        return []
    evidence = prefilter(
        segment,
        search.query,
        search.expansion,
        allowed.documents,
        allowed.words,
        allowed.docs,
        None,
        search.deadline.at_ns,
        longer,
    )
    search.read_documents(evidence.docs_done)
    found = []
    for part, doc, value, _ in evidence.top(evidence.hit_count):
        if not known[part]:
            known[part] = 1
            found.append(Candidate.of_evidence(part, doc, weights.LONGER * value / ceiling, "scan"))
    return found
