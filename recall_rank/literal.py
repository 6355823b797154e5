"""Stage: the hits that the text itself decides, substring and regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from recall_rank.budget import Deadline
from recall_rank.eligible import mark_literal
from recall_rank.index.segment import Segment
from recall_rank.query import Query
from recall_rank.text import Field, encode

WINDOW_BYTES = 8192  # text a pattern sees at once: RE2 is linear in one search, not over all matches of a long text
OVERLAP_BYTES = 1024  # a match up to this long is found wherever it stands
MAX_PROGRAM_BYTES = 1 << 20
_FIELD_START = re.compile(b"[" + bytes(Field).replace(b"\\", b"\\\\") + b"]")


def text_hits(segment: Segment, query: Query, keep: bytearray | None, deadline: Deadline) -> tuple[bytearray, int]:
    """Marks of the parts that hold the query, u8[parts], and how many parts were looked at before the deadline.

    Raises ValueError for a pattern RE2 refuses, RuntimeError when the regex extra is not installed.
    """
    found = bytearray(segment.parts)
    if query.options.match != "regex":
        return found, mark_literal(segment, query.text, keep, found, deadline.at_ns)
    pattern = compile_pattern(query.text)
    for part in range(segment.parts):
        if keep is not None and not keep[part]:
            continue
        for start, end in windows(segment, part):
            if deadline.passed():
                return found, part
            if pattern.search(bytes(segment.text[start:end])) is not None:
                found[part] = 1
                break
    return found, segment.parts


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
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "not understood"
        if isinstance(reason, bytes):
            reason = reason.decode("utf-8", "replace")
        raise ValueError(f"invalid regular expression {pattern!r}: {reason}") from None


def windows(segment: Segment, part: int) -> Iterator[tuple[int, int]]:
    """The stretches of the part's fields that a pattern is tried on, in bytes of the segment's text."""
    low, high = segment.part_start[part], segment.part_start[part + 1]
    starts = [low + match.start() for match in _FIELD_START.finditer(segment.text[low:high])] + [high]
    for begin, end in zip(starts, starts[1:], strict=False):
        at = begin + 1
        while True:
            stop = min(end, at + WINDOW_BYTES)
            while stop < end and segment.text[stop] & 0xC0 == 0x80:
                stop -= 1
            yield at, stop
            if stop >= end:
                break
            at = stop - OVERLAP_BYTES
            while segment.text[at] & 0xC0 == 0x80:
                at -= 1


def first_match(segment: Segment, query: Query, part: int) -> tuple[int, int] | None:
    """The first stretch of the part's text that holds the query, in bytes of the segment's text; None when there is none."""
    if query.options.match == "regex":
        pattern = compile_pattern(query.text)
        for start, end in windows(segment, part):
            match = pattern.search(bytes(segment.text[start:end]))
            if match is not None:
                return start + match.start(), start + match.end()
        return None
    return _first_literal(segment, query.text, part)


def _first_literal(segment: Segment, wanted: str, part: int) -> tuple[int, int] | None:
    low, high = segment.part_start[part], segment.part_start[part + 1]
    from recall_rank.snippet import literal_places

    starts = [low + match.start() for match in _FIELD_START.finditer(segment.text[low:high])] + [high]
    for begin, end in zip(starts, starts[1:], strict=False):
        text = bytes(segment.text[begin + 1 : end]).decode("utf-8", "replace")
        places = literal_places(text, wanted)
        if places:
            first, last = places[0]
            start = begin + 1 + len(encode(text[:first]))
            return start, start + len(encode(text[first:last]))
    return None
