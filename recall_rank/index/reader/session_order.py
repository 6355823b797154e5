"""The sessions of several segments in one order: the order in which they would stand in one segment."""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recall_rank.index.reader.segment_view import SegmentView
from recall_rank.index.segment.segment import Segment, SessionRow

Key = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """Sessions [first, last) of a segment, which follow each other; the first of them is number `place` of all."""

    piece: int
    first: int
    last: int
    place: int


class SessionOrder:
    """Numbers the sessions that are left, newest first as index.build orders them.

    Each segment is in that order already. So the numbers are made of runs, and where a small segment meets a large
    one, only a few rows of the large one are read.
    """

    def __init__(self, pieces: Sequence[SegmentView]) -> None:
        self.runs = list(_runs(pieces))
        self._places = [run.place for run in self.runs]
        self._of_piece = [[run for run in self.runs if run.piece == number] for number in range(len(pieces))]
        self._firsts = [[run.first for run in runs] for runs in self._of_piece]

    def find(self, place: int) -> tuple[int, int]:
        """(segment, its own number) of session number `place`."""
        run = self.runs[bisect_right(self._places, place) - 1]
        return run.piece, run.first + place - run.place

    def place(self, piece: int, session: int) -> int:
        """The number of a segment's session that is left."""
        run = self._of_piece[piece][bisect_right(self._firsts[piece], session) - 1]
        return run.place + session - run.first


def sort_key(row: SessionRow) -> Key:
    """What index.build sorts sessions by."""
    return -row.updated, row.source, row.id


def _runs(pieces: Sequence[SegmentView]) -> Iterator[Run]:
    """Merge the segments; equal sessions stand in the order of their segments."""
    left = [iter(piece.sessions if piece.sessions is not None else _all(piece)) for piece in pieces]
    heap: list[tuple[Key, int, int, int]] = []  # of each segment the next session, and where its stretch ends

    def next_stretch(number: int) -> None:
        for first, last in left[number]:
            if first < last:
                heapq.heappush(heap, (sort_key(pieces[number].segment.sessions[first]), number, first, last))
                return

    for number in range(len(pieces)):
        next_stretch(number)
    place = 0
    while heap:
        _, number, first, last = heapq.heappop(heap)
        end = _before(pieces[number].segment, first, last, (heap[0][0], heap[0][1]), number) if heap else last
        yield Run(number, first, end, place)
        place += end - first
        if end < last:
            heapq.heappush(heap, (sort_key(pieces[number].segment.sessions[end]), number, end, last))
        else:
            next_stretch(number)


def _all(piece: SegmentView) -> list[tuple[int, int]]:
    return [(0, len(piece.segment.sessions))]


def _before(segment: Segment, first: int, last: int, other: tuple[Key, int], number: int) -> int:
    """The end of the sessions from `first` on that stand before `other`; `first` does. Few rows are read."""
    rows = segment.sessions

    def key(at: int) -> tuple[Key, int]:
        return sort_key(rows[at]), number

    step = 1
    while first + step < last and key(first + step) < other:
        step *= 2
    low, high = first + step // 2 + 1, min(first + step, last)
    return low + bisect_left(range(low, high), True, key=lambda at: key(at) >= other)
