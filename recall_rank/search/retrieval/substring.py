"""Where a text stands whatever the case: in the parts of a segment, and in one string."""

from __future__ import annotations

from bisect import bisect_right
from time import monotonic_ns

from recall_rank._core.text.substring_scan import mark_parts, mark_ranges
from recall_rank.analysis.normalize import encode, fold
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.literal_candidates import places
from recall_rank.index.reader.segment_view import Marks, SegmentView
from recall_rank.index.segment.segment import Segment

STRIDE_BYTES = 1 << 20  # text searched between two looks at the clock


def mark_literal(segment: IndexReader, text: str, keep: bytearray | None, found: bytearray, deadline_ns: int) -> int:
    """Mark in `found` the parts that hold `text` in one field, whatever the case; the number of parts looked at.

    Parts whose lower case is more than that of ASCII letters are read in their folded copy.
    """
    needle = encode(fold(text))
    for piece in segment.views:
        looked = _mark_own(piece, needle, piece.parts_of(keep), piece.parts_in(found), deadline_ns)
        if looked < piece.segment.parts:
            return piece.first_part + looked
    return segment.parts


def _mark_own(piece: SegmentView, needle: bytes, keep: Marks | None, found: Marks, deadline_ns: int) -> int:
    segment = piece.segment
    looked = _mark_plain(segment, needle, keep, found, deadline_ns)
    if len(segment.folded_part):
        marks = bytearray(len(segment.folded_part))
        done = mark_parts(segment.folded_text, segment.folded_start, needle, marks, None, deadline_ns)
        if done < len(marks):
            looked = min(looked, segment.folded_part[done])
        for place, part in enumerate(segment.folded_part):
            if part < looked and (keep is None or keep[part]):
                found[part] = marks[place]
    return looked


def _mark_plain(segment: Segment, needle: bytes, keep: Marks | None, found: Marks, deadline_ns: int) -> int:
    """Mark the parts that hold the needle when ASCII letters alone are folded; the number of parts looked at.

    Where its words tell that it can stand in few places only, these are looked at and no others.
    """
    few = places(segment, needle, keep, deadline_ns)
    if few is None:
        return _mark_all(segment, needle, keep, found, deadline_ns)
    for starts, ends, parts in few:
        if deadline_ns and monotonic_ns() >= deadline_ns:
            return int(parts[0])
        marks = bytearray(len(parts))
        mark_ranges(segment.text_between(starts, ends), starts, ends, needle, marks)
        for part, holds in zip(parts, marks, strict=True):
            if holds:
                found[part] = 1
    return segment.parts


def _mark_all(segment: Segment, needle: bytes, keep: Marks | None, found: Marks, deadline_ns: int) -> int:
    """The same by a look at all text, some at a time: on disk it is verified as it is first read."""
    starts, found = segment.part_start, memoryview(found)
    kept = None if keep is None else memoryview(keep)
    part = 0
    while part < segment.parts:
        if deadline_ns and monotonic_ns() >= deadline_ns:
            return part
        behind = part_behind(segment, part, STRIDE_BYTES)
        text = segment.text_for(((starts[part], starts[behind]),))
        own = None if kept is None else kept[part:behind]
        part += mark_parts(text, starts[part : behind + 1], needle, found[part:behind], own, deadline_ns)
        if part < behind:
            return part
    return part


def part_behind(segment: Segment, part: int, size: int) -> int:
    """The first part behind a run of parts that is about `size` bytes long, or that is `part` alone."""
    wanted = segment.part_start[part] + size
    return max(part + 1, bisect_right(segment.part_start, wanted, part, segment.parts + 1) - 1)


def literal_places(text: str, wanted: str) -> list[tuple[int, int]]:
    """Where `wanted` stands in `text` whatever the case, as character ranges that do not overlap."""
    needle = fold(wanted)
    folded = fold(text)
    origin: list[int] = []
    if len(folded) != len(text):
        # one character became two (a dotted capital I): remember where each came from
        origin = [k for k, char in enumerate(text) for _ in fold(char)]
    found = []
    at = folded.find(needle)
    while at >= 0:
        last = at + len(needle) - 1
        found.append((origin[at], origin[last] + 1) if origin else (at, last + 1))
        at = folded.find(needle, at + len(needle))
    return found
