"""Find the parts that contain a string in any case, by scanning all text or only candidates from the postings."""

from __future__ import annotations

from bisect import bisect_right
from time import monotonic_ns
from typing import TYPE_CHECKING, Final

from recall_rank._core.search.column_filters import count_marks
from recall_rank._core.text.substring_scan import mark_parts, mark_ranges
from recall_rank.analysis.normalize import encode, fold
from recall_rank.index.reader.literal_candidates import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_rank.index.reader.segment_view import Marks, SegmentView
    from recall_rank.index.segment.segment import Segment

STRIDE_BYTES = 1 << 20  # text searched between two checks of the deadline
HIT_NS: Final = 50  # that the later stages of a search take for each part found: to score, group and order it


def mark_literal(
    views: Sequence[SegmentView], text: str, keep: bytearray | None, found: bytearray, deadline_ns: int
) -> int:
    """Mark in `found`, u8[parts], the parts of which a field contains `text`; return the first part not reached.

    `views` are all segments of an index. Parts are scanned in order until `deadline_ns`, a time.monotonic_ns(), 0 for
    none, less HIT_NS for each part found; when all were reached, their number is returned. Parts that `keep`,
    u8[parts], does not mark are passed over; None keeps all of live sessions. fold() lowers the case of both texts.
    """
    needle = encode(fold(text))
    for view in views:
        left_ns = time_left(deadline_ns, found)
        read = _mark_segment(view, needle, view.parts_of(keep), view.parts_in(found), left_ns)
        if read < view.segment.parts:
            return view.first_part + read
    return len(found)


def time_left(deadline_ns: int, marks: Marks) -> int:
    """Return the deadline of a scan, so that time is left for the parts that `marks`, u8[parts], has; 0 for none."""
    return deadline_ns and deadline_ns - HIT_NS * count_marks(marks)


def _mark_segment(view: SegmentView, needle: bytes, keep: Marks | None, found: Marks, deadline_ns: int) -> int:
    """Mark in `found` the parts of one segment that contain the needle, and return the number of parts read.

    The number is lower than that of all parts only when the deadline passed first.
    """
    segment = view.segment
    read = _mark_ascii_folded(segment, needle, keep, found, deadline_ns)
    if len(segment.folded_part):
        marks = bytearray(len(segment.folded_part))
        left_ns = time_left(deadline_ns, found)
        done = mark_parts(segment.folded_text, segment.folded_start, needle, marks, None, left_ns)
        if done < len(marks):
            read = min(read, segment.folded_part[done])
        for place, part in enumerate(segment.folded_part):
            if part < read and (keep is None or keep[part]):
                found[part] = marks[place]
    return read


def _mark_ascii_folded(segment: Segment, needle: bytes, keep: Marks | None, found: Marks, deadline_ns: int) -> int:
    """Mark in `found` the parts that contain the needle when only ASCII letters are lowered; return the number of parts
    read.

    Only passages that can contain the needle are read, if the postings show that these are few; otherwise all text is.
    """
    candidates = places(segment, needle, keep, deadline_ns)
    if candidates is None:
        return _mark_all(segment, needle, keep, found, deadline_ns)
    for starts, ends, parts in candidates:
        if deadline_ns and monotonic_ns() >= deadline_ns:
            return int(parts[0])
        marks = bytearray(len(parts))
        mark_ranges(segment.text_between(starts, ends), starts, ends, needle, marks)
        deadline_ns = time_left(deadline_ns, marks)
        for part, contains in zip(parts, marks, strict=True):
            if contains:
                found[part] = 1
    return segment.parts


def _mark_all(segment: Segment, needle: bytes, keep: Marks | None, found: Marks, deadline_ns: int) -> int:
    """Mark in `found` the parts that contain the needle by scanning the whole text; return the number of parts read.

    STRIDE_BYTES of text are read at a time, because a mapped segment verifies the blocks that are read.
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
        marks = found[part:end]
        part += mark_parts(text, starts[part : end + 1], needle, marks, own, deadline_ns)
        if part < end:
            return part
        deadline_ns = time_left(deadline_ns, marks)
    return part


def end_of_stride(segment: Segment, part: int, size: int) -> int:
    """Return the end of the longest range of parts that begins at `part` and has at most `size` bytes of text.

    The range has at least one part, even if that part alone is longer.
    """
    wanted = segment.part_start[part] + size
    return max(part + 1, bisect_right(segment.part_start, wanted, part, segment.parts + 1) - 1)
