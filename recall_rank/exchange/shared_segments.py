"""The segments of several machines in one index: copies of one session, and sessions that were forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recall_rank.exchange.outgoing import MachineName
from recall_rank.histories.records.left_out import (
    has_link,
    is_listed,
    listing_digests,
    named_digest,
    own_links,
    unlinked_row,
)
from recall_rank.index.segment.segment import Segment, SessionRow
from recall_rank.index.segment.stored_sessions import stored_session
from recall_rank.index.storage.manifest import ListedFile
from recall_rank.loaders.copies import beginning, copies_of_one
from recall_rank.model.record_classes import frozen, mutable


@frozen
class SharedSegment:
    """A segment of an index to which several machines push. `dead` and `content` are those of a SegmentNote."""

    listed: ListedFile | None  # None for a segment that is not in the store yet
    segment: Segment
    dead: frozenset[int]
    content: str


@mutable
class MachineSegments:
    """A machine that pushes, as a MachineEntry, with its segments opened."""

    host: str
    user: str
    pushed: int
    forgotten: frozenset[str]
    segments: list[SharedSegment]
    copies: frozenset[tuple[str, str]] = frozenset()

    @property
    def name(self) -> MachineName:
        return MachineName(self.host, self.user)

    @property
    def left_out(self) -> frozenset[str]:
        """The digests of what was forgotten there, and of its copies."""
        return self.forgotten.union(copy for _, copy in self.copies)


def left_out(machines: Sequence[MachineSegments]) -> frozenset[str]:
    """Return the digests of what was forgotten on any of the machines, and of its copies."""
    return frozenset[str]().union(*(each.left_out for each in machines))


def hidden_copies(machines: Sequence[MachineSegments]) -> list[frozenset[int]]:
    """Return, for each segment of all machines in their order, the rows of the sessions of which another segment has a
    copy that counts: the one that changed last, then the longer one, then that of the first machine.

    Copies are those of copies_of_one(). Rows that are deleted count nowhere.
    """
    shared = [one for each in machines for one in each.segments]
    hidden: list[set[int]] = [set() for _ in shared]
    for group in _copies(shared):
        best = max(group, key=lambda place: _rank(shared[place[0]].segment.sessions[place[1]]))
        for number, at in group:
            if (number, at) != best:
                hidden[number].add(at)
    return [frozenset(found) for found in hidden]


def _copies(shared: Sequence[SharedSegment]) -> Iterator[list[tuple[int, int]]]:
    """Yield the places, segment and row, of the copies of each session that has several, in the order of segments."""
    equal: dict[tuple[str | None, str], list[tuple[int, int]]] = {}
    for number, one in enumerate(shared):
        for at, row in enumerate(one.segment.sessions):
            if at not in one.dead:
                equal.setdefault((row.agent, row.id), []).append((number, at))
    for places in (each for each in equal.values() if len(each) > 1):
        rows = [shared[number].segment.sessions[at] for number, at in places]

        def begins(copy: int, places: Sequence[tuple[int, int]] = places) -> str:
            number, at = places[copy]
            return beginning(stored_session(shared[number].segment, at))

        yield from ([places[copy] for copy in group] for group in copies_of_one(rows, begins) if len(group) > 1)


def _rank(row: SessionRow) -> tuple[int, int]:
    return row.updated, row.last_message - row.first_message


def add_forgotten_copies(machines: Sequence[MachineSegments], shared: Sequence[SharedSegment]) -> None:
    """Add to the copies of each machine those that segments have of what was forgotten there: they may have been
    created at another time, so that their own digests tell other machines what not to push again. What is no longer
    forgotten loses its copies.
    """
    for each in machines:
        each.copies = frozenset(pair for pair in each.copies if pair[0] in each.forgotten)
    gone = left_out(machines)
    if not any(is_listed(row, gone) for one in shared for row in one.segment.sessions):
        return
    for group in _copies(shared):
        rows = [shared[number].segment.sessions[at] for number, at in group]
        known = frozenset[str]().union(*map(listing_digests, rows))
        found = {named_digest(row) for row in rows if row.created}
        for each in machines:
            listed = known & each.forgotten | {one for one, copy in each.copies if copy in known}
            each.copies |= {(one, copy) for one in listed for copy in found - each.forgotten}


def live_rows(segments: Sequence[SharedSegment]) -> list[SessionRow]:
    """Return the sessions of segments that are not deleted."""
    return [row for one in segments for at, row in enumerate(one.segment.sessions) if at not in one.dead]


def without_forgotten(segments: Sequence[SharedSegment], forgotten: frozenset[str]) -> list[SharedSegment]:
    """Return the segments of a machine without the sessions that have one of the digests, and without links to them: a
    segment that has either is replaced by a new one, without deleted sessions.
    """
    links = forgotten - own_links(live_rows(segments), forgotten)
    return [_without(one, forgotten, links) for one in segments]


def _without(shared: SharedSegment, forgotten: frozenset[str], links: frozenset[str]) -> SharedSegment:
    if not forgotten:
        return shared
    rows = {at for at, row in enumerate(shared.segment.sessions) if is_listed(row, forgotten)}
    if not rows and not has_link(shared.segment, links):
        return shared
    from recall_rank.index.merge.merge import merge  # imports numpy, which most pushes need not

    made = merge([shared.segment], [shared.dead | rows], lambda row: unlinked_row(row, links))
    return SharedSegment(None, made, frozenset(), "")
