"""Stage: what is close to a query that has no hits at all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from recall_rank.model import NearMiss
from recall_rank.prefilter import prefilter
from recall_rank.state import Search
from recall_rank.text import encode, fold

MOST = 3
EDITS = 3  # as far as the vocabulary can be asked
PER_WORD = 2
PER_QUERY_SESSIONS = 2


def near_misses(search: Search) -> tuple[NearMiss, ...]:
    """At most three: words that almost stand in the eligible vocabulary, and sessions that hold the query's words.

    Nothing while there are hits, or when the time is up.
    """
    if search.page or search.deadline.passed():
        return ()
    return tuple(islice((*_words(search), *_sessions(search)), MOST))


def _words(search: Search) -> Iterator[NearMiss]:
    segment, eligible = search.segment, search.allowed.docs
    for word in dict.fromkeys(search.expansion.unknown):
        form = encode(fold(word))
        near = (
            (number, edits)
            for number, edits in segment.vocabulary.within(form, EDITS)
            if edits < len(word) / 2 and segment.postings.frequency(number, number + 1, eligible)
        )
        for number, edits in islice(near, PER_WORD):
            text = segment.vocabulary.form(number).decode("utf-8", "replace")
            yield NearMiss(
                "term", text, None, f"{edits} edit{'s' if edits > 1 else ''} from {word!r}, which nobody wrote"
            )


def _sessions(search: Search) -> Iterator[NearMiss]:
    """For a literal or a pattern that stands nowhere: the sessions that hold its words all the same."""
    if search.query.options.match not in ("literal", "regex"):
        return
    allowed = search.allowed
    evidence = prefilter(
        search.segment,
        search.query,
        search.expansion,
        allowed.documents,
        allowed.words,
        allowed.docs,
        None,
        search.deadline.at_ns,
    )
    for session, *_ in evidence.sessions()[:PER_QUERY_SESSIONS]:
        row = search.segment.sessions[session]
        yield NearMiss("session", row.title or row.id, row.id, "holds words of the query, but not in this form")
