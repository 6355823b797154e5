"""Stage: the stretch of a field that shows why a part was found. Only for results that are returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from recall_rank._core.frame import frame
from recall_rank._core.frozen import Maker
from recall_rank._core.scan import count_points
from recall_rank._core.spot import Spot
from recall_rank._core.window import Matcher
from recall_rank.edits import Redact, edited
from recall_rank.index.segment import Segment
from recall_rank.model import Span
from recall_rank.text import FIELD_NAMES, Field

ELLIPSIS = "..."
LONG_FIELD = 4_096  # bytes from which only the surroundings of a match are decoded
REDACT_REACH = 8_192  # bytes in front of those in which what must not be shown may have begun


_NAMES = tuple(FIELD_NAMES[field] for field in Field)  # an Enum's hash takes longer than the rest of a look-up
_span = Maker(Span).make


@dataclass(slots=True)
class Snippet:
    text: str
    spans: tuple[Span, ...]
    field: str


def spot(segment: Segment, matcher: Matcher, part: int, doc: int, width: int) -> Spot:
    """Read a passage for the last time."""
    start, end = segment.doc_start[doc], segment.doc_start[doc + 1]
    text = segment.text_for(((start, end),))
    label = text[start] if start < end else 0
    if label < Field.TEXT:  # the passage goes on with a field
        label = segment.field_at(part, start)[2]
    return matcher.spot(text, start, end, label, width)


@lru_cache(maxsize=256)
def field_names(fields: int) -> tuple[str, ...]:
    """The names of a set of fields, bit k for the k-th."""
    return tuple(dict.fromkeys(name for place, name in enumerate(_NAMES) if fields >> place & 1))


def show(
    segment: Segment,
    part: int,
    found: Spot,
    word_weights: list[float],
    width: int,
    redact: Redact | None = None,
) -> Snippet:
    """The snippet of a part: from the field that holds the heaviest stretch of what was found."""
    near = _near(segment, part, found.middle, found.first, found.last, width, redact)
    low, high, places = found.frame(near.whole, near.start, near.end, width, word_weights)
    return _cut(near, low, high, places, redact)


def show_at(segment: Segment, part: int, start: int, end: int, width: int, redact: Redact | None = None) -> Snippet:
    """The snippet around one match at bytes [start, end): half the width before it."""
    near = _near(segment, part, start, start, min(end, start + 4 * width), width, redact)
    end = max(start, min(end, near.end))
    low, high, places = frame(near.whole, near.start, near.end, [(start, end, 0, 1, 1.0)], start, end, width, [1.0])
    return _cut(near, low, high, places, redact)


@dataclass(slots=True)
class _Near:
    """As much of a field as a snippet may show: bytes [start, end) of the segment, and what lies beyond."""

    whole: bytes | bytearray | memoryview  # the text of the segment, which may be read there
    start: int
    end: int
    text: str
    field: str
    before: int  # characters of the field in front
    cut: bool  # the field goes on behind


def _cut(near: _Near, low: int, high: int, places: Sequence[tuple[int, int]], redact: Redact | None) -> Snippet:
    """Characters [low, high), with "..." on each side that was cut. What `redact` names is replaced before that, so
    that no half of it is left."""
    text, before = near.text, near.before
    left = ELLIPSIS if low > 0 or before else ""
    right = ELLIPSIS if high < len(text) or near.cut else ""
    edits = redact(text, low, high) if redact is not None else ()
    if not edits:
        at = len(left) - low
        spans = [
            _span(max(start, low) + at, min(end, high) + at, start + before, end + before) for start, end in places
        ]
        return Snippet(left + text[low:high] + right, tuple(spans), near.field)
    changed, at = edited(text, edits, low, high), len(left)
    spans = []
    for start, end in places:
        first, last = changed.span(max(start, low), min(end, high))
        spans.append(_span(first + at, last + at, start + before, end + before))
    return Snippet(left + changed.text + right, tuple(spans), near.field)


def _near(segment: Segment, part: int, at: int, first: int, last: int, width: int, redact: Redact | None) -> _Near:
    """The field at byte `at`; of a long one the surroundings of [first, last), whole characters."""
    low, high, field = segment.field_at(part, at)
    start, end = low, high
    whole = segment.text_for(((low, high),))
    if high - low > LONG_FIELD:
        reach = 4 * width  # bytes of the widest characters
        start, end = max(low, min(first, at) - reach), min(high, max(last, at) + reach)
        if redact is not None and start > low:
            start = _begun(segment, low, start)
        while start > low and whole[start] & 0xC0 == 0x80:
            start -= 1
        while end < high and whole[end] & 0xC0 == 0x80:
            end += 1
    text = str(whole[start:end], "utf-8", "replace")
    before = count_points(whole, low, start) if start > low else 0
    return _Near(whole, start, end, text, _NAMES[field - Field.TEXT], before, end < high)


def _begun(segment: Segment, low: int, start: int) -> int:
    """Where to begin to read so that what must not be shown is read whole: before a block, or a word without end."""
    before = max(low, start - REDACT_REACH)
    front = bytes(segment.text_for(((before, start + 256),))[before : start + 256])
    blank = front.find(b" ", start - before) >= 0 or front.find(b"\n", start - before) >= 0
    return start if blank and front.rfind(b"-----BEGIN") < 0 else before
