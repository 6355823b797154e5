"""Find the parts that contain a text in any case: by a scan of all text, or of the candidates of the postings only."""

from __future__ import annotations

from bisect import bisect_right
from time import monotonic_ns
from typing import TYPE_CHECKING

from recall_rank._core.text.substring_scan import mark_parts, mark_ranges
from recall_rank.analysis.normalize import encode, fold
from recall_rank.index.reader.literal_candidates import places

if TYPE_CHECKING:
    from recall_rank.index.reader.index_reader import IndexReader
    from recall_rank.index.reader.segment_view import Marks, SegmentView
    from recall_rank.index.segment.segment import Segment

STRIDE_BYTES = 1 << 20  # text searched between two checks of the deadline


def mark_literal(reader: IndexReader, text: str, keep: bytearray | None, found: bytearray, deadline_ns: int) -> int:
    """Mark in `found`, u8[parts], the parts that contain `text` in one field, compared by fold().

    Only the parts marked in `keep` are read, all when it is None. Returns the number of parts, from the first, that
    were read before `deadline_ns`, a monotonic time, 0 for none. A part that has characters beyond ASCII with a lower
    case is searched in its folded copy.
    """
    needle = encode(fold(text))
    for view in reader.views:
        read = _mark_segment(view, needle, view.parts_of(keep), view.parts_in(found), deadline_ns)
        if read < view.segment.parts:
            return view.first_part + read
    return reader.parts


def _mark_segment(view: SegmentView, needle: bytes, keep: Marks | None, found: Marks, deadline_ns: int) -> int:
    """Mark the parts of one segment that contain the needle; returns the number of parts read, as mark_literal()."""
    segment = view.segment
    read = _mark_ascii_folded(segment, needle, keep, found, deadline_ns)
    if len(segment.folded_part):
        marks = bytearray(len(segment.folded_part))
        done = mark_parts(segment.folded_text, segment.folded_start, needle, marks, None, deadline_ns)
        if done < len(marks):
            read = min(read, segment.folded_part[done])
        for place, part in enumerate(segment.folded_part):
            if part < read and (keep is None or keep[part]):
                found[part] = marks[place]
    return read


def _mark_ascii_folded(segment: Segment, needle: bytes, keep: Marks | None, found: Marks, deadline_ns: int) -> int:
    """Mark the parts that contain the needle when only ASCII letters are folded; returns the number of parts read.

    When the postings show that few passages can contain it, only these are read.
    """
    candidates = places(segment, needle, keep, deadline_ns)
    if candidates is None:
        return _mark_all(segment, needle, keep, found, deadline_ns)
    for starts, ends, parts in candidates:
        if deadline_ns and monotonic_ns() >= deadline_ns:
            return int(parts[0])
        marks = bytearray(len(parts))
        mark_ranges(segment.text_between(starts, ends), starts, ends, needle, marks)
        for part, contains in zip(parts, marks, strict=True):
            if contains:
                found[part] = 1
    return segment.parts


def _mark_all(segment: Segment, needle: bytes, keep: Marks | None, found: Marks, deadline_ns: int) -> int:
    """Mark the parts that contain the needle by a scan of all text; returns the number of parts read.

    The scan goes in strides of STRIDE_BYTES, because a mapped segment verifies the blocks of a stride when it is read.
    """
    starts, found = segment.part_start, memoryview(found)
    kept = None if keep is None else memoryview(keep)
    part = 0
    while part < segment.parts:
        if deadline_ns and monotonic_ns() >= deadline_ns:
            return part
        end = end_of_stride(segment, part, STRIDE_BYTES)
        text = segment.text_for(((starts[part], starts[end]),))
        own = None if kept is None else kept[part:end]
        part += mark_parts(text, starts[part : end + 1], needle, found[part:end], own, deadline_ns)
        if part < end:
            return part
    return part


def end_of_stride(segment: Segment, part: int, size: int) -> int:
    """The end of the longest run of parts, from `part` on, with at most `size` bytes of text; at least one part."""
    wanted = segment.part_start[part] + size
    return max(part + 1, bisect_right(segment.part_start, wanted, part, segment.parts + 1) - 1)
