"""The rows of each segment that a merge keeps, in the order of the merged segment."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment

KINDS = ("session", "message", "part", "document", "field", "byte", "folded part", "folded byte")


@dataclass(frozen=True, slots=True)
class Taken:
    """Kept rows [first, last) of a segment, by kind of row; in the merged segment they begin at `place`."""

    piece: int
    segment: Segment
    first: dict[str, int]
    last: dict[str, int]
    place: dict[str, int]


def taken(reader: IndexReader) -> list[Taken]:
    """The kept rows as runs of live sessions, in the order of the merged segment."""
    found = []
    place = dict.fromkeys(KINDS, 0)
    for run in reader.order.runs:
        segment = reader.views[run.segment].segment
        first, last = _rows_before(segment, run.first), _rows_before(segment, run.last)
        found.append(Taken(run.segment, segment, first, last, place))
        place = {kind: place[kind] + last[kind] - first[kind] for kind in KINDS}
    return found


def _rows_before(segment: Segment, session: int) -> dict[str, int]:
    """For each kind, the number of rows before those of a session; all rows when the session does not exist."""
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
