"""The rows of the source segments that a merge copies, in the order of the merged segment."""

from __future__ import annotations

from bisect import bisect_left

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment
from recall_rank.model.record_classes import frozen

KINDS = ("session", "message", "part", "document", "field", "byte", "folded part", "folded byte")


@frozen
class SourceRows:
    """A run, that is consecutive sessions of one segment, with the ranges of their rows of every kind.

    For each kind, such as "message": the rows [first, last) of the segment, and the row `target` of the merged segment
    to which `first` is copied.
    """

    segment_number: int
    segment: Segment
    first: dict[str, int]
    last: dict[str, int]
    target: dict[str, int]


def source_rows(reader: IndexReader) -> list[SourceRows]:
    """Return the runs of consecutive sessions that a merge copies, that is, of all that are not deleted.

    They are in the order of the merged segment, each with the ranges of its rows.
    """
    found = []
    target = dict.fromkeys(KINDS, 0)
    for run in reader.order.runs:
        segment = reader.views[run.segment].segment
        first, last = _rows_before(segment, run.first), _rows_before(segment, run.last)
        found.append(SourceRows(run.segment, segment, first, last, target))
        target = {kind: target[kind] + last[kind] - first[kind] for kind in KINDS}
    return found


def _rows_before(segment: Segment, session: int) -> dict[str, int]:
    """Return a mapping from each of KINDS to the number of rows of that kind that precede a session in a segment.

    When `session` is the number of sessions, these are the numbers of all rows.
    """
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
