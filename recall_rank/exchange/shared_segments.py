"""The segments of several machines in one index: copies of one session, and sessions that were forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank.histories.records.left_out import session_digest
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.manifest import ListedFile
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

    Copies have the same agent and id. Rows that are deleted count nowhere.
    """
    shared = [one for each in machines for one in each.segments]
    best: dict[tuple[str | None, str], tuple[tuple[int, int, int], int, int]] = {}
    hidden: list[set[int]] = [set() for _ in shared]
    for number, one in enumerate(shared):
        for at, row in enumerate(one.segment.sessions):
            if at in one.dead:
                continue
            rank = (row.updated, row.last_message - row.first_message, -number)
            now = best.get((row.agent, row.id))
            if now is None or rank > now[0]:
                if now is not None:
                    hidden[now[1]].add(now[2])
                best[row.agent, row.id] = rank, number, at
            else:
                hidden[number].add(at)
    return [frozenset(rows) for rows in hidden]


def without_forgotten(shared: SharedSegment, forgotten: frozenset[str]) -> SharedSegment:
    """Return a segment without the sessions whose ids have one of the digests: itself if it has none of them, else a
    new one, without deleted sessions.
    """
    if not forgotten:
        return shared
    rows = {at for at, row in enumerate(shared.segment.sessions) if session_digest(row.id) in forgotten}
    if not rows:
        return shared
    from recall_rank.index.merge.merge import merge  # imports numpy, which most pushes need not

    made = merge([shared.segment], [shared.dead | rows])
    return SharedSegment(None, made, frozenset(), "")
