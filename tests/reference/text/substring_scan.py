"""Substring search by bytes.lower() and bytes.find()."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise


def find(text: bytes, needle: bytes, start: int = 0, use_simd: bool = True) -> int:
    """Return the first place of the needle in the text in lower case, or -1."""
    return bytes(text).lower().find(needle, start)


def first_standalone(
    text: bytes, starts: Sequence[int], ends: Sequence[int], needle: bytes, most: int
) -> list[tuple[int, bool]]:
    """Return the first place without a neighbour of a name or path, else the first place, else -1; and which it is."""
    found = []
    for low, high in zip(starts, ends, strict=True):
        own = text[low:high].lower()
        places = [match.start() for match in re.finditer(re.escape(needle), own)][:most]
        name = rb"[a-z0-9_./\\-]"
        alone = [
            at
            for at in places
            if not re.match(name, own[at + len(needle) :]) and not re.match(name, own[max(0, at - 1) : at])
        ]
        at = (alone or places or [-1])[0]
        found.append((low + at if at >= 0 else -1, bool(alone)))
    return found


def mark_ranges(text: bytes, starts: Sequence[int], ends: Sequence[int], needle: bytes, marks: bytearray) -> None:
    """Mark each range that contains the needle."""
    for at, (low, high) in enumerate(zip(starts, ends, strict=True)):
        if needle in text[low:high].lower():
            marks[at] = 1


def mark_parts(
    text: bytes,
    starts: Sequence[int],
    needle: bytes,
    marks: bytearray,
    eligible: Sequence[int] | None = None,
    deadline_ns: int = 0,
    use_simd: bool = True,
) -> int:
    """Mark each part that contains the needle; the deadline is ignored."""
    for part, (low, high) in enumerate(pairwise(starts)):
        if (eligible is None or eligible[part]) and needle in text[low:high].lower():
            marks[part] = 1
    return len(marks)


def count_code_points(text: bytes, start: int, end: int) -> int:
    """Return the count of bytes that are no continuation bytes."""
    return sum(not 0x80 <= byte < 0xC0 for byte in text[start:end])
