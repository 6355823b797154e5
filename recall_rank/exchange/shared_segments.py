"""The segments of several machines in one index: copies of one session, and sessions that were forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank.histories.records.left_out import has_link, is_listed, unlinked_row
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


def hidden_copies(machines: Sequence[MachineSegments]) -> list[frozenset[int]]:
    """Return, for each segment of all machines in their order, the rows of the sessions of which another segment has a
    copy that counts: the one that changed last, then the longer one, then that of the first machine.

    Copies are those of copies_of_one(). Rows that are deleted count nowhere.
    """
    shared = [one for each in machines for one in each.segments]
    equal: dict[tuple[str | None, str], list[tuple[int, int]]] = {}
    for number, one in enumerate(shared):
        for at, row in enumerate(one.segment.sessions):
            if at not in one.dead:
                equal.setdefault((row.agent, row.id), []).append((number, at))
    hidden: list[set[int]] = [set() for _ in shared]
    for places in (each for each in equal.values() if len(each) > 1):
        rows = [shared[number].segment.sessions[at] for number, at in places]

        def begins(copy: int, places: Sequence[tuple[int, int]] = places) -> str:
            number, at = places[copy]
            return beginning(stored_session(shared[number].segment, at))

        for group in copies_of_one(rows, begins):
            best = max(group, key=lambda copy: (*_rank(rows[copy]), -copy))
            for number, at in (places[copy] for copy in group if copy != best):
                hidden[number].add(at)
    return [frozenset(found) for found in hidden]


def _rank(row: SessionRow) -> tuple[int, int]:
    return row.updated, row.last_message - row.first_message


def without_forgotten(shared: SharedSegment, forgotten: frozenset[str]) -> SharedSegment:
    """Return a segment without the sessions whose ids have one of the digests, and without links to them: itself if it
    has neither, else a new one, without deleted sessions.
    """
    if not forgotten:
        return shared
    rows = {at for at, row in enumerate(shared.segment.sessions) if is_listed(row, forgotten)}
    if not rows and not has_link(shared.segment, forgotten):
        return shared
    from recall_rank.index.merge.merge import merge  # imports numpy, which most pushes need not

    made = merge([shared.segment], [shared.dead | rows], lambda row: unlinked_row(row, forgotten))
    return SharedSegment(None, made, frozenset(), "")
