"""Stage: ranked parts become a page of results, by part or by session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from recall_rank._core.rank.candidate import in_turns
from recall_rank._core.runtime.record_factory import Maker
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import TITLE_ROLE
from recall_rank.model import Talk
from recall_rank.search.ranking.candidate import Candidate

# as Evidence.sessions() tells it: session, part, document, score, hits, title, tier
SessionHits = tuple[int, int, int, float, int, bool, int]
BUCKETS = {"exact": 0, "project": 1, "global": 2}
PER_SESSION = 2  # parts of one session on a page before other sessions have had their turn


@dataclass(slots=True)
class Grouped:
    """One place on the page."""

    candidate: Candidate
    session: int
    title_match: bool = False  # the session's title is a hit too


_grouped = Maker(Grouped).make


def by_part(
    segment: IndexReader, ranked: list[Candidate], rest: list[Candidate], diversity: float | None
) -> Iterator[Grouped]:
    """One entry a part, the ranked ones before the rest; with `diversity`, no session fills the page.

    From its third part on, a session waits for other sessions' parts that are nearly as good: the third stands where a
    part with `diversity` of its score would, the fourth with its square, and so on. Nothing is dropped, and no
    score changes. `rest` keeps its order, so that the place of an entry does not depend on how much of it is given.
    """
    found = ranked + rest
    sessions = segment.sessions_of([candidate.part for candidate in found])
    order: Iterable[int] = range(len(found))
    if diversity is not None:
        first = in_turns(ranked, sessions[: len(ranked)], PER_SESSION, diversity)
        order = chain(first, range(len(ranked), len(found)))
    return (_grouped(found[at], sessions[at], False) for at in order)


def by_session(
    segment: IndexReader, ranked: Iterable[Candidate], others: Iterable[SessionHits], ceiling: float
) -> list[Grouped]:
    """One entry a session, in the order of its best hit; content represents it before its title does.

    `ranked` are candidates, best first. `others` tells all sessions with hits, best first, as Evidence.sessions()
    does; those without a ranked candidate follow, scored by evidence / `ceiling`.
    """
    found: dict[int, Grouped] = {}
    for candidate in ranked:
        session = _session(segment, candidate)
        title = is_title(segment, candidate)
        entry = found.get(session)
        if entry is None:
            found[session] = Grouped(candidate, session, title)
            continue
        entry.title_match = entry.title_match or title
        if is_title(segment, entry.candidate) and not title:
            _represent(entry, candidate)
    for session, part, doc, evidence, _, title, tier in others:
        entry = found.get(session)
        time = segment.message_time[segment.part_message[part]]
        content = Candidate(part, doc, evidence / ceiling, time, "scan" if tier else "prefilter")
        if entry is None:
            found[session] = Grouped(content, session, title)
            continue
        entry.title_match = entry.title_match or title
        if is_title(segment, entry.candidate) and not is_title(segment, content):
            _represent(entry, content)
    return list(found.values())


def add_others(segment: IndexReader, ranked: Iterable[Candidate], again: float) -> None:
    """Let the best candidate of a talk between people stand for its further messages too; `ranked` are best first.

    The second message adds `again` of its score, the third its square, and so on.
    """
    bests: dict[int, Candidate] = {}
    told: dict[int, list[int]] = {}  # of each session, the messages that were counted
    for candidate in ranked:
        home, part, _ = segment.local(candidate.part, candidate.doc)
        if home.session_talk[home.message_session[home.part_message[part]]] != Talk.PEOPLE:
            continue
        session, message = _session(segment, candidate), segment.part_message[candidate.part]
        best, messages = bests.setdefault(session, candidate), told.setdefault(session, [])
        if message not in messages:
            best.others += candidate.score * again ** len(messages) if messages else 0.0
            messages.append(message)
    for best in bests.values():
        best.raw = best.score = best.score + best.others


def _represent(entry: Grouped, content: Candidate) -> None:
    """Show content instead of the title, in the place the title has earned."""
    content.stand_for(entry.candidate)
    entry.candidate = content


def by_bucket(entries: Iterable[Grouped], buckets: Mapping[int, str]) -> list[Grouped]:
    """The same entries, those of the nearer directory first."""
    return sorted(entries, key=lambda entry: BUCKETS[buckets.get(entry.session, "exact")])


def is_title(segment: IndexReader, candidate: Candidate) -> bool:
    return segment.message_role[segment.part_message[candidate.part]] == TITLE_ROLE


def _session(segment: IndexReader, candidate: Candidate) -> int:
    return segment.message_session[segment.part_message[candidate.part]]
