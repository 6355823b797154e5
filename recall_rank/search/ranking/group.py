"""Groups ranked candidates into page entries, by part or by session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from recall_rank._core.rank.candidate import Candidate
from recall_rank._core.rank.rerank import diversify
from recall_rank._core.search.session_hits import SessionHit
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import TITLE_ROLE
from recall_rank.model import Talk
from recall_rank.search.types import PageEntry
from recall_rank.weights import Weights


def by_part(
    reader: IndexReader, ranked: list[Candidate], rest: list[Candidate], weights: Weights | None
) -> Iterator[PageEntry]:
    """Yield a page entry for each part: first `ranked`, then `rest`, both in their order.

    With `weights`, close hits of other sessions come before many of one: the first `per_session` ranked parts of a
    session keep their places, the next is placed as if its score were multiplied by `diversity`, the one after it as if
    by the square of `diversity`, and so on. No part is dropped, and no score changes.
    `rest` keeps its order, so that the place of an entry does not depend on the length of `rest`.
    """
    found = ranked + rest
    sessions = reader.sessions_of([candidate.part for candidate in found])
    order: Iterable[int] = range(len(found))
    if weights is not None:
        first = diversify(ranked, sessions[: len(ranked)], weights.per_session, weights.diversity)
        order = chain(first, range(len(ranked), len(found)))
    return (PageEntry(found[at], sessions[at]) for at in order)


def by_session(
    reader: IndexReader, ranked: Iterable[Candidate], others: Iterable[SessionHit], ceiling: float
) -> list[PageEntry]:
    """Return a page entry for each session, in the order of their best hits.

    A session is shown by its best part that is not the title, if it has one. `ranked` are candidates, best first.
    `others` are one best hit for each session, best first. Sessions without a ranked candidate follow those with one;
    their score is that of their hit, divided by `ceiling`.
    """
    found: dict[int, PageEntry] = {}
    for candidate in ranked:
        session = _session(reader, candidate)
        title = is_title(reader, candidate)
        entry = found.get(session)
        if entry is None:
            found[session] = PageEntry(candidate, session, title)
            continue
        entry.title_match = entry.title_match or title
        if is_title(reader, entry.candidate) and not title:
            _represent(entry, candidate)
    for hit in others:
        entry = found.get(hit.session)
        time = reader.message_time[reader.part_message[hit.part]]
        content = Candidate(hit.part, hit.doc, hit.score / ceiling, time, "scan" if hit.tier else "prefilter")
        if entry is None:
            found[hit.session] = PageEntry(content, hit.session, hit.title)
            continue
        entry.title_match = entry.title_match or hit.title
        if is_title(reader, entry.candidate) and not is_title(reader, content):
            _represent(entry, content)
    return list(found.values())


def add_others(reader: IndexReader, ranked: Iterable[Candidate], again: float) -> None:
    """Add the scores of further messages to the best candidate of each session that is a talk between people.

    `ranked` are candidates, best first. The second message of a session adds the share `again` of its score, the third
    the square of that share, and so on.
    """
    bests: dict[int, Candidate] = {}
    counted: dict[int, list[int]] = {}  # messages of each session
    for candidate in ranked:
        view, part, _ = reader.local(candidate.part, candidate.doc)
        home = view.segment
        if home.session_talk[home.message_session[home.part_message[part]]] != Talk.PEOPLE:
            continue
        session, message = _session(reader, candidate), reader.part_message[candidate.part]
        best, messages = bests.setdefault(session, candidate), counted.setdefault(session, [])
        if message not in messages:
            best.others += candidate.score * again ** len(messages) if messages else 0.0
            messages.append(message)
    for best in bests.values():
        best.raw = best.score = best.score + best.others


def _represent(entry: PageEntry, content: Candidate) -> None:
    """Show the session of `entry` by the candidate `content` instead of its title; `content` takes the title's rank."""
    content.take_rank_of(entry.candidate)
    entry.candidate = content


def by_bucket(entries: Iterable[PageEntry], buckets: bytearray) -> list[PageEntry]:
    """Return the entries sorted by how near the directory of their session is, nearest first; equals keep their order.

    buckets, u8[sessions], has an index into DIRECTORY_BUCKETS for each session.
    """
    return sorted(entries, key=lambda entry: buckets[entry.session])


def is_title(reader: IndexReader, candidate: Candidate) -> bool:
    """Return whether the candidate is the title of its session."""
    return reader.message_role[reader.part_message[candidate.part]] == TITLE_ROLE


def _session(reader: IndexReader, candidate: Candidate) -> int:
    return reader.message_session[reader.part_message[candidate.part]]
