"""Stage: the hits that the text itself decides, substring and regular expression."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from recall_rank._core.text.substring_scan import find
from recall_rank.analysis.normalize import encode, fold, folded_spans
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.literal_scan import STRIDE_BYTES, end_of_stride, mark_literal
from recall_rank.index.reader.segment_view import Marks, SegmentView
from recall_rank.index.segment.segment import Segment
from recall_rank.search.deadline import Deadline
from recall_rank.search.query import Query

WINDOW_BYTES = 8192  # text a pattern sees at once: RE2 is linear in one search, not over all matches of a long text
OVERLAP_BYTES = 1024  # a match up to this long is found wherever it stands
MAX_PROGRAM_BYTES = 1 << 20
CHUNK_BYTES = 65_536  # text in which a pattern is tried at once before its parts are
ANCHORS = ("^", "$", "\\b", "\\B", "\\A", "\\z", "\\C")  # what sees more of a text than its own match


def text_hits(segment: IndexReader, query: Query, keep: bytearray | None, deadline: Deadline) -> tuple[bytearray, int]:
    """Marks of the parts that hold the query, u8[parts], and how many parts were looked at before the deadline.

    Raises ValueError for a pattern RE2 refuses, RuntimeError when the regex extra is not installed.
    """
    found = bytearray(segment.parts)
    if query.options.match != "regex":
        return found, mark_literal(segment, query.text, keep, found, deadline.at_ns)
    pattern = compile_pattern(query.text)
    free = not any(mark in query.text for mark in ANCHORS)
    for piece in segment.views:
        looked = _try_each(piece, pattern, piece.parts_of(keep), piece.parts_in(found), deadline, free=free)
        if looked < piece.segment.parts:
            return found, piece.first_part + looked
    return found, segment.parts


def _try_each(
    piece: SegmentView, pattern: Any, keep: Marks | None, found: Marks, deadline: Deadline, *, free: bool
) -> int:
    """Mark the parts of a segment in which the pattern is found; how many were looked at before the deadline."""
    segment = piece.segment
    part = 0
    while part < segment.parts:
        behind = end_of_stride(segment, part, CHUNK_BYTES)
        if deadline.passed():
            return part
        # without anchors a match in a part is a match in a chunk: most chunks have none
        start, end = segment.part_start[part], segment.part_start[behind]
        chunk = memoryview(segment.text_for(((start, end),)))[start:end]
        if free and len(chunk) <= 2 * CHUNK_BYTES and pattern.search(chunk) is None:
            part = behind
            continue
        for number in range(part, behind):
            if keep is not None and not keep[number]:
                continue
            for field, start, stop in _windows_of(segment, number):
                if deadline.passed():
                    return number
                if pattern.search(field, start, stop) is not None:
                    found[number] = 1
                    break
        part = behind
    return part


def compile_pattern(pattern: str) -> Any:
    """A case-insensitive RE2 program for UTF-8 bytes."""
    try:
        import re2
    except ImportError as error:
        raise RuntimeError("match 'regex' needs google-re2: pip install 'recall-rank[regex]'") from error
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = MAX_PROGRAM_BYTES
    options.log_errors = False
    try:
        return re2.compile(encode(pattern), options)
    except re2.error as error:
        reason = error.args[0] if error.args else "not understood"
        if isinstance(reason, bytes):
            reason = reason.decode("utf-8", "replace")
        raise ValueError(f"invalid regular expression {pattern!r}: {reason}") from None


def windows(field: bytes | memoryview) -> Iterator[tuple[int, int]]:
    """The stretches of a field that a pattern is tried on: whole characters, each overlapping the one before."""
    at = 0
    while True:
        stop = min(len(field), at + WINDOW_BYTES)
        while stop < len(field) and field[stop] & 0xC0 == 0x80:
            stop -= 1
        yield at, stop
        if stop == len(field):
            break
        at = stop - OVERLAP_BYTES
        while field[at] & 0xC0 == 0x80:
            at -= 1


def _windows_of(segment: Segment, part: int) -> Iterator[tuple[memoryview, int, int]]:
    """Every window with its whole field: ^, $ and \\b see where the field ends, not where the window does."""
    for begin, end, _ in segment.fields_of(part):
        field = memoryview(segment.text_for(((begin, end),)))[begin:end]
        for start, stop in windows(field):
            yield field, start, stop


def first_match(segment: Segment, query: Query, part: int, deadline: Deadline) -> tuple[int, int] | None:
    """The first stretch of the part that holds the query, in bytes of the segment's text.

    None when there is none, or when the deadline came first.
    """
    pattern = compile_pattern(query.text) if query.options.match == "regex" else None
    needle = encode(fold(query.text))
    at = bisect_left(segment.folded_part, part)
    plain = at == len(segment.folded_part) or segment.folded_part[at] != part
    whole = (segment.part_start[part], segment.part_start[part + 1])
    text = memoryview(segment.text_for((whole,)))
    for begin, end, _ in segment.fields_of(part):
        if pattern is not None:
            place = _first_pattern(text[begin:end], pattern, deadline)
        elif plain:
            place = _first_plain(text[begin:end], needle, deadline)
        else:
            place = _first_folded(bytes(text[begin:end]), query.text)
        if place is not None:
            return begin + place[0], begin + place[1]
    return None


def _first_plain(field: memoryview, needle: bytes, deadline: Deadline) -> tuple[int, int] | None:
    for start in range(0, len(field), STRIDE_BYTES):
        if deadline.passed():
            break
        found = find(field[start : start + STRIDE_BYTES + len(needle)], needle)
        if found >= 0:
            return start + found, start + found + len(needle)
    return None


def _first_pattern(field: memoryview, pattern: Any, deadline: Deadline) -> tuple[int, int] | None:
    for start, stop in windows(field):
        if deadline.passed():
            break
        match = pattern.search(field, start, stop)
        if match is not None:
            return match.start(), match.end()
    return None


def _first_folded(field: bytes, wanted: str) -> tuple[int, int] | None:
    """Where lower case is more than that of ASCII letters, lengths may differ: compare characters."""
    text = field.decode("utf-8", "replace")
    places = folded_spans(text, encode(wanted).decode())
    if not places:
        return None
    first, last = places[0]
    start = len(encode(text[:first]))
    return start, start + len(encode(text[first:last]))
