"""Which segments a refresh leaves alone, which it writes together, and where every session then lies.

What a store no longer says must not stay on the disk: a segment with such a session is written anew at once. One with
sessions that were merely indexed again, because they grew, waits until that is worth its while.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from recall_rank.histories.cache.table import SessionEntry, SessionKey
from recall_rank.index.segment.segment import Segment, SessionRow

MOST: Final = 8  # segments a search looks into
LARGEST_DEAD: Final = 3  # a segment is written anew when one message of so many is dead


@dataclass(slots=True)
class PlannedSegment:
    """A segment, and which of its sessions live."""

    segment: Segment
    live: set[int] = field(default_factory=set)
    size: int = 0  # messages of the sessions that live
    urgent: bool = False  # holds what is said nowhere any more

    @property
    def dead(self) -> frozenset[int]:
        return frozenset(range(len(self.segment.sessions))) - self.live

    def is_worn(self) -> bool:
        """Whether so much is dead that it is worth writing what lives once more."""
        said = self.segment.said_messages
        return (said - self.size) * LARGEST_DEAD > said


def planned_segments(segments: Sequence[Segment], live: Iterable[SessionEntry]) -> list[PlannedSegment]:
    """The segments with the sessions that live in each."""
    planned = [PlannedSegment(segment) for segment in segments]
    for held in live:
        if held.place is not None:
            one = planned[held.place.segment]
            one.live.add(held.place.row)
            one.size += held.messages
    return planned


def to_merge(planned: Sequence[PlannedSegment], added: int) -> list[int]:
    """Which of the pieces are written anew as one, with what was added (0 for nothing); those left are at most MOST."""
    there = [at for at, segment_plan in enumerate(planned) if segment_plan.live]
    chosen = {at for at in there if planned[at].urgent or (planned[at].dead and planned[at].is_worn())}
    rest = sorted((at for at in there if at not in chosen), key=lambda at: planned[at].size)
    left = len(rest) + bool(chosen or added)
    total = added
    while rest and (left > MOST or (len(chosen) > 1 and planned[rest[0]].size <= total)):
        total += planned[rest[0]].size
        chosen.add(rest.pop(0))
        left = len(rest) + 1
    return sorted(chosen)


def merged(planned: Sequence[PlannedSegment]) -> Segment:
    """The sessions of several pieces that live, as one segment."""
    from recall_rank.index.merge.merge import merge  # which loads numpy

    return merge([segment_plan.segment for segment_plan in planned], [segment_plan.dead for segment_plan in planned])


def rows(segment: Segment) -> dict[SessionKey, int]:
    """Where each session stands: no two of an index have the same agent and id."""
    return {(row.agent, row.id): at for at, row in enumerate(segment.sessions)}


def still_says(before: Segment, old: int, now: Segment, new: int) -> bool:
    """Whether all that session `old` said is the beginning of what session `new` says."""
    first, then = before.sessions[old], now.sessions[new]
    if (first.title, first.directory) not in ((then.title, then.directory), ("", ""), (then.title, "")):
        return False
    (start, end), (begin, stop) = _said(before, first), _said(now, then)
    length = end - start
    if length > stop - begin:
        return False
    said, says = before.text_for(((start, end),)), now.text_for(((begin, begin + length),))
    return memoryview(said)[start:end] == memoryview(says)[begin : begin + length]


def _said(segment: Segment, row: SessionRow) -> tuple[int, int]:
    """The bytes of the text of a session without its title."""
    first, end = (segment.message_first_part[number] for number in (row.first_message, row.last_message))
    return segment.part_start[first + 1], segment.part_start[end]
