"""Find the hits of literal and regex mode: scan the text for a substring or a regular expression."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from recall_rank._core.search.column_filters import count_marks
from recall_rank._core.text.substring_scan import find
from recall_rank.analysis.normalize import encode, fold, folded_spans
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.literal_scan import HIT_NS, STRIDE_BYTES, end_of_stride
from recall_rank.index.reader.segment_view import Marks, SegmentView
from recall_rank.index.segment.segment import Segment
from recall_rank.search.deadline import Deadline
from recall_rank.search.query import Query

if TYPE_CHECKING:
    from recall_rank.index.shards.shard_reader import ShardReader

WINDOW_BYTES = 8192  # text that one RE2 search reads: it is linear in that, but not over all matches of a long text
OVERLAP_BYTES = 1024  # of neighbouring windows: a match up to this long is always found
MAX_PROGRAM_BYTES = 1 << 20  # of a compiled pattern; RE2 refuses larger ones
CHUNK_BYTES = 65_536  # text of several parts that is searched at once before each part is
ANCHORS = ("^", "$", "\\b", "\\B", "\\A", "\\z", "\\C")  # they look at text outside of the match


def text_hits(
    reader: IndexReader, query: Query, keep: bytearray | None, deadline: Deadline, ahead_ns: int = 0
) -> tuple[bytearray, int]:
    """Return (marks, count): u8[parts], 1 for each part that contains the query, and how many parts were read.

    The count is lower than the number of parts only when the deadline came first; reading ends `ahead_ns` before it,
    and HIT_NS more for each part found. Only the parts marked in `keep`, u8[parts], are read; None is all parts of live
    sessions. Raises ValueError for a pattern that RE2 refuses; RuntimeError without the extra `regex`.
    """
    found = bytearray(reader.parts)
    deadline_ns = deadline.at_ns - ahead_ns
    if query.options.match != "regex":
        return found, reader.mark_text(query.text, keep, found, deadline_ns)
    if reader.sharded:
        compile_pattern(query.text)  # what RE2 refuses is the caller's error, not one of the shards
        return found, cast("ShardReader", reader).scan(query.text, keep, found, deadline_ns, regex=True)
    return found, mark_pattern(reader, query.text, keep, found, lambda more_ns: deadline.passed(ahead_ns + more_ns))


def mark_pattern(
    reader: IndexReader, expression: str, keep: bytearray | None, found: bytearray, late: Callable[[int], bool]
) -> int:
    """Mark in `found`, u8[parts], the parts with a match of a regular expression; return the first part not reached.

    As mark_literal(), which has the meaning of the arguments. `late(ns)` tells whether the deadline is at most `ns`
    away; HIT_NS are left for each part found so far.
    """
    pattern = compile_pattern(expression)
    free = not any(mark in expression for mark in ANCHORS)
    for view in reader.views:
        known = count_marks(found)
        read = _try_each(view, pattern, view.parts_of(keep), view.parts_in(found), late, known, free=free)
        if read < view.segment.parts:
            return view.first_part + read
    return reader.parts


def _try_each(
    view: SegmentView,
    pattern: Any,
    keep: Marks | None,
    found: Marks,
    late: Callable[[int], bool],
    known: int,
    *,
    free: bool,
) -> int:
    """Mark in `found` the parts of one segment that match the pattern, and return the number of parts read.

    That number is lower than the segment's number of parts only when late() was true first. `known` parts were
    found in the segments before. `free` says that the
    pattern contains none of ANCHORS, so that several parts can be searched at once.
    """
    segment = view.segment
    part = 0
    while part < segment.parts:
        stride_end = end_of_stride(segment, part, CHUNK_BYTES)
        if late(known * HIT_NS):
            return part
        # a pattern without anchors that matches a part matches its chunk too, and most chunks have no match
        start, end = segment.part_start[part], segment.part_start[stride_end]
        chunk = memoryview(segment.text_for(((start, end),)))[start:end]
        if free and len(chunk) <= 2 * CHUNK_BYTES and pattern.search(chunk) is None:
            part = stride_end
            continue
        for number in range(part, stride_end):
            if keep is not None and not keep[number]:
                continue
            for field, start, stop in _windows_of(segment, number):
                if late(known * HIT_NS):
                    return number
                if pattern.search(field, start, stop) is not None:
                    found[number] = 1
                    known += 1
                    break
        part = stride_end
    return part


def compile_pattern(pattern: str) -> Any:
    """Return a regular expression compiled by RE2, case-insensitive, for UTF-8 bytes.

    Raises ValueError for a pattern that RE2 refuses, and RuntimeError when the extra `regex` is not installed.
    """
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
    """Yield byte ranges [start, end) that cover a field, each at most WINDOW_BYTES long.

    Ranges are cut between characters; two neighbouring ranges overlap by about OVERLAP_BYTES.
    """
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
    """Yield (field, start, end) for every window of a part: the bytes of a field, and a byte range of it.

    The pattern is searched in the range of the whole field, so that ^, $ and \\b see the true ends of the field.
    """
    for begin, end, _ in segment.fields_of(part):
        field = memoryview(segment.text_for(((begin, end),)))[begin:end]
        for start, stop in windows(field):
            yield field, start, stop


def first_match(segment: Segment, query: Query, part: int, deadline: Deadline) -> tuple[int, int] | None:
    """Return (start, end) of the first match of the query in a part, in bytes of the segment's text.

    The query is a literal or, in regex mode, a pattern. None when there is no match, or when the deadline passed before
    one was found.
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
    """Return (start, end) of the first match of `needle` in a field, in bytes; None without a match.

    Only ASCII letters of the field change when it is folded to lower case. None also when the deadline passed first.
    """
    for start in range(0, len(field), STRIDE_BYTES):
        if deadline.passed():
            break
        found = find(field[start : start + STRIDE_BYTES + len(needle)], needle)
        if found >= 0:
            return start + found, start + found + len(needle)
    return None


def _first_pattern(field: memoryview, pattern: Any, deadline: Deadline) -> tuple[int, int] | None:
    """Return (start, end) of a compiled pattern's first match in a field, in bytes; None without a match.

    None also when the deadline passed first.
    """
    for start, stop in windows(field):
        if deadline.passed():
            break
        match = pattern.search(field, start, stop)
        if match is not None:
            return match.start(), match.end()
    return None


def _first_folded(field: bytes, wanted: str) -> tuple[int, int] | None:
    """Return (start, end) of the first match of `wanted` in a field, in bytes; None without a match.

    For a part in which letters beyond ASCII change in lower case. They may change their length, so the match is found
    in the folded text, and its offsets are mapped back character by character.
    """
    text = field.decode("utf-8", "replace")
    places = folded_spans(text, encode(wanted).decode())
    if not places:
        return None
    first, last = places[0]
    start = len(encode(text[:first]))
    return start, start + len(encode(text[first:last]))
