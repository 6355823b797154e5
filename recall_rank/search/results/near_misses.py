"""Find near misses of a query without hits: similar words of the corpus, and sessions that contain its words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from recall_rank.analysis.normalize import encode, fold
from recall_rank.index.reader.literal_scan import HIT_NS
from recall_rank.model import NearMiss
from recall_rank.search.context import SearchContext
from recall_rank.search.expansion.lexicon import Lexicon
from recall_rank.search.retrieval.prefilter import prefilter

MOST = 3
EDITS = 3  # the greatest distance that a look-up in the vocabulary supports
PER_WORD = 2
LOOKED_AT = 20  # sessions, those with the most evidence first


def near_misses(search: SearchContext) -> tuple[NearMiss, ...]:
    """Return at most three near misses of a query without hits: similar words that eligible documents contain, then
    sessions.

    Empty for a search with hits, and when the deadline has passed.
    """
    if search.total or search.deadline.passed():
        return ()
    return tuple(islice((*_words(search), *_sessions(search)), MOST))


def _words(search: SearchContext) -> Iterator[NearMiss]:
    """Yield near misses of kind "term": for each query word that no document contains, the nearest words that occur."""
    lexicon = Lexicon(search.reader, search.eligible.doc_marks)
    for word in dict.fromkeys(search.expansion.unknown):
        form = encode(fold(word))
        found = lexicon.within(form, EDITS, search.deadline.at_ns)
        near = ((terms, edits) for terms, edits in found if edits < len(word) / 2)
        for terms, edits in islice(near, PER_WORD):
            text = lexicon.form(terms).decode("utf-8", "replace")
            reason = f"{edits} edit{'s' if edits > 1 else ''} from {word!r}, which {search.eligible.nobody_has}"
            yield NearMiss("term", text, None, reason)


def _sessions(search: SearchContext) -> Iterator[NearMiss]:
    """Yield near misses of kind "session", when the query is a literal or a pattern that no text matches.

    Such a session contains all words of the query, or, of several words, all but one.
    """
    if not search.text_decides:
        return
    deadline_ns = search.deadline.at_ns
    evidence = prefilter(search.reader, search.query, search.expansion, search.eligible, None, deadline_ns)
    if search.deadline.passed(evidence.hit_count * HIT_NS):
        return
    for session in [hit.session for hit in evidence.sessions()[:LOOKED_AT]]:
        if search.deadline.passed():
            return
        missing = _missing(search, session)
        if len(missing) < min(2, search.query.counting):
            row = search.reader.sessions[session]
            yield NearMiss("session", row.title or row.id, row.id, _reason(search, missing))


def _reason(search: SearchContext, missing: list[str]) -> str:
    """Return the reason shown for a session near miss; `missing` has at most one query word, which the session lacks.

    The reason also names the query words that were repaired, that is found only in another spelling.
    """
    but = f" but {missing[0]!r}" if missing else ""
    nearly = " and ".join(repr(word) for word in search.expansion.repaired if word not in missing)
    return f"holds all words of the query{but}{f', {nearly} only nearly' if nearly else ''}, not in this form"


def _missing(search: SearchContext, session: int) -> list[str]:
    """Return the query words, as written, that no eligible document of a session contains."""
    reader, eligible = search.reader, search.eligible.doc_marks
    first, last = (reader.part_first_doc[reader.message_first_part[m]] for m in reader.span_of(session))
    view = next(view for view in reversed(reader.views) if view.first_doc <= first)
    if eligible is None:
        frequency = view.frequency_between(first - view.first_doc, last - view.first_doc)
    else:
        docs = bytearray(reader.docs)
        docs[first:last] = eligible[first:last]
        frequency = view.frequency(docs)
    terms = range(view.first_term, view.first_term + view.segment.terms)
    held = {
        group.at + k
        for group in search.expansion.groups
        if any(low in terms and frequency(low - terms.start, high - terms.start) for low, high, _ in group.members)
        for k in range(group.span)
    }
    return [word.written for at, word in enumerate(search.query.words) if word.counts and at not in held]
