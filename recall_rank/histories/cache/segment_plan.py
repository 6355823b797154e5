"""Decide which segments of an index a refresh keeps and which it merges.

Text that no store contains any more must not stay on the disk: a segment with such a text is rewritten at once. A
segment whose sessions were indexed again because they grew is rewritten when enough of its messages are deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

from recall_rank.histories.records.table import SessionEntry, SessionKey, session_key
from recall_rank.index.merge import choose
from recall_rank.index.segment.segment import Segment, SessionRow

MOST: Final = 8  # segments of a generation, at most
_FIELDS: Final = (
    *("title", "directory", "project", "worktree", "parent", "source", "agent", "repository", "host", "user"),
)
_VALUES: Final = attrgetter(*_FIELDS)
LARGEST_DEAD: Final = 3  # a segment is rewritten when more than one message in this many is deleted


@dataclass(slots=True)
class PlannedSegment:
    """A segment, and the row numbers of the sessions in it that are not deleted."""

    segment: Segment
    live: set[int] = field(default_factory=set)
    size: int = 0  # messages of the sessions in `live`
    urgent: bool = False  # contains text that no source has any more, or ids of forgotten sessions

    @property
    def dead(self) -> frozenset[int]:
        return frozenset(range(len(self.segment.sessions))) - self.live

    def is_worn(self) -> bool:
        """Return whether more than a third of the segment's messages are deleted, so that it is worth rewriting."""
        said = self.segment.messages_without_titles
        return (said - self.size) * LARGEST_DEAD > said


def planned_segments(segments: Sequence[Segment], live: Iterable[SessionEntry]) -> list[PlannedSegment]:
    """Return the segments of a generation, each with the row numbers of its live (not deleted) sessions."""
    planned = [PlannedSegment(segment) for segment in segments]
    for held in live:
        if held.place is not None:
            one = planned[held.place.segment]
            one.live.add(held.place.row)
            one.size += held.messages
    return planned


def to_merge(planned: Sequence[PlannedSegment], added: int) -> list[int]:
    """Return the indices in `planned` of the segments to merge into a new one, which also takes `added` new messages.
    They are those that must be rewritten, because of deleted text or many deleted messages, and the smallest others
    until at most 8 segments remain.
    """
    there = [at for at, segment_plan in enumerate(planned) if segment_plan.live]
    plans = [planned[at] for at in there]
    worn = [at for at, plan in enumerate(plans) if plan.urgent or (plan.dead and plan.is_worn())]
    return [there[at] for at in choose.to_merge([plan.size for plan in plans], worn, MOST, added)]


def merged(planned: Sequence[PlannedSegment], changed: Callable[[SessionRow], SessionRow]) -> Segment:
    """Return one segment with the live (not deleted) sessions of the segments `planned`, with their rows as `changed`
    returns them.
    """
    from recall_rank.index.merge.numpy_room import require_numpy_room

    require_numpy_room()
    from recall_rank.index.merge.merge import merge

    return merge([each.segment for each in planned], [each.dead for each in planned], changed)


def rows(segment: Segment) -> dict[SessionKey, int]:
    """Return a mapping from the key of each session of a segment, which is unique in an index, to the session's row
    number.
    """
    return {session_key(row): at for at, row in enumerate(segment.sessions)}


def still_says(before: Segment, old: int, now: Segment, new: int) -> bool:
    """Return whether all words of the session in row `old` of `before` are in row `new` of `now` as well. That is so
    when the later session begins with the earlier one's text and with the ids and types of its messages and parts, and
    has equal values in all fields that the earlier one has.
    """
    first, then = before.sessions[old], now.sessions[new]
    if any(value and value != getattr(then, name) for name, value in zip(_FIELDS, _VALUES(first), strict=True)):
        return False
    if any(here != there[: len(here)] for here, there in zip(_names(before, first), _names(now, then), strict=True)):
        return False
    (start, end), (begin, stop) = _said(before, first), _said(now, then)
    length = end - start
    if length > stop - begin:
        return False
    said, says = before.text_for(((start, end),)), now.text_for(((begin, begin + length),))
    return memoryview(said)[start:end] == memoryview(says)[begin : begin + length]


def _names(segment: Segment, row: SessionRow) -> tuple[list[str | None], ...]:
    """Return the ids and authors of the messages of a session, and the ids, types and tools of its parts, each in
    order.
    """
    first, last = row.first_message + 1, row.last_message
    start, end = segment.message_first_part[first], segment.message_first_part[last]
    values = segment.names.values
    return (
        [*segment.message_ids.decode_range(first, last)],
        [values[number] for number in segment.message_author[first:last]],
        [*segment.part_ids.decode_range(start, end)],
        [values[number] for number in segment.part_type[start:end]],
        [values[number] for number in segment.part_tool[start:end]],
    )


def _said(segment: Segment, row: SessionRow) -> tuple[int, int]:
    """Return the byte offsets (start, end) of the text of a session in its segment, without the title."""
    first, end = (segment.message_first_part[number] for number in (row.first_message, row.last_message))
    return segment.part_start[first + 1], segment.part_start[end]
