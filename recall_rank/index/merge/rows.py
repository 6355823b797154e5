"""Which rows of which segment a merge takes, in which order, and where they go."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment

KINDS = ("session", "message", "part", "document", "field", "byte", "folded part", "folded byte")


@dataclass(frozen=True, slots=True)
class Taken:
    """Rows [first, last) of each kind of a segment, which go to the rows from `place` on."""

    piece: int
    segment: Segment
    first: dict[str, int]
    last: dict[str, int]
    place: dict[str, int]


def taken(reader: IndexReader) -> list[Taken]:
    """The rows that are left, in the order of one segment."""
    found = []
    place = dict.fromkeys(KINDS, 0)
    for run in reader.order.runs:
        segment = reader.views[run.segment].segment
        first, last = _rows_before(segment, run.first), _rows_before(segment, run.last)
        found.append(Taken(run.segment, segment, first, last, place))
        place = {kind: place[kind] + last[kind] - first[kind] for kind in KINDS}
    return found


def _rows_before(segment: Segment, session: int) -> dict[str, int]:
    """Of each kind, how many rows stand before those of a session, or all when there is no such session."""
    message = segment.span_of(session)[0] if session < len(segment.sessions) else segment.messages
    part = segment.message_first_part[message]
    folded = bisect_left(segment.folded_part, part)
    return {
        "session": session,
        "message": message,
        "part": part,
        "document": segment.part_first_doc[part],
        "field": segment.part_first_field[part],
        "byte": segment.part_start[part],
        "folded part": folded,
        "folded byte": segment.folded_start[folded],
    }
