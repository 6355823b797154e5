"""SessionOrder: numbers the live sessions of several segments in one sequence."""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from recall_rank.index.reader.segment_view import SegmentView
from recall_rank.index.segment.segment import Segment, SessionRow
from recall_rank.model.record_classes import frozen

Key = tuple[int, str, str]


@frozen
class Run:
    """A run, that is consecutive live sessions of one segment that stay consecutive in the reader's numbering.

    It holds the sessions [first, last) of segment number `segment`; in the reader, the first of them has number
    `number`.
    """

    segment: int
    first: int
    last: int
    number: int


class SessionOrder:
    """Numbers the live sessions of several segments newest first, as build() would in a single segment.

    Each segment is sorted in this way, so the numbering is a list of runs: consecutive sessions of one segment. To
    find them, O(runs * log(sessions)) session rows are read.
    """

    def __init__(self, views: Sequence[SegmentView]) -> None:
        self.runs = list(_runs(views))
        self._numbers = [run.number for run in self.runs]
        self._of_segment = [[run for run in self.runs if run.segment == number] for number in range(len(views))]
        self._firsts = [[run.first for run in runs] for runs in self._of_segment]

    def find(self, number: int) -> tuple[int, int]:
        """Return (segment number, session number in it) for session `number` of the reader."""
        run = self.runs[bisect_right(self._numbers, number) - 1]
        return run.segment, run.first + number - run.number

    def number(self, segment: int, session: int) -> int:
        """Return the reader's number of a live session, given by the number of its segment and its number in that
        segment.
        """
        run = self._of_segment[segment][bisect_right(self._firsts[segment], session) - 1]
        return run.number + session - run.first

    def runs_of(self, segment: int) -> tuple[array[int], array[int]]:
        """Return the runs of a segment as two arrays u32: their first sessions in the segment, and the numbers of these
        in the reader.
        """
        runs = self._of_segment[segment]
        return array("I", [run.first for run in runs]), array("I", [run.number for run in runs])


def sort_key(row: SessionRow) -> Key:
    """Return the key by which sessions are sorted in a segment: newest first, then source, then id."""
    return -row.updated, row.source, row.id


def _runs(views: Sequence[SegmentView]) -> Iterator[Run]:
    """Yield the runs of the merged order; a run is a range of consecutive live sessions of one segment.

    Of sessions with equal keys, that of the earlier segment comes first.
    """
    left = [iter(view.sessions if view.sessions is not None else _all(view)) for view in views]
    heap: list[tuple[Key, int, int, int]] = []  # of each segment its next session, and where that one's stretch ends

    def next_stretch(number: int) -> None:
        for first, last in left[number]:
            if first < last:
                heapq.heappush(heap, (sort_key(views[number].segment.sessions[first]), number, first, last))
                return

    for number in range(len(views)):
        next_stretch(number)
    place = 0
    while heap:
        _, number, first, last = heapq.heappop(heap)
        end = _before(views[number].segment, first, last, (heap[0][0], heap[0][1]), number) if heap else last
        yield Run(number, first, end, place)
        place += end - first
        if end < last:
            heapq.heappush(heap, (sort_key(views[number].segment.sessions[end]), number, end, last))
        else:
            next_stretch(number)


def _all(view: SegmentView) -> list[tuple[int, int]]:
    return [(0, len(view.segment.sessions))]


def _before(segment: Segment, first: int, last: int, other: tuple[Key, int], number: int) -> int:
    """Return the end of the longest range of sessions from `first` on that all sort before the key `other`.

    The range ends at `last` at most. `number` is that of the segment and breaks ties. O(log(length of the range))
    reads: exponential search, then binary search.
    """
    rows = segment.sessions

    def key(at: int) -> tuple[Key, int]:
        return sort_key(rows[at]), number

    step = 1
    while first + step < last and key(first + step) < other:
        step *= 2
    low, high = first + step // 2 + 1, min(first + step, last)
    return low + bisect_left(range(low, high), True, key=lambda at: key(at) >= other)
