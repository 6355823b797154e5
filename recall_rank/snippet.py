"""Stage: the stretch of a field that shows why a part was found. Only for results that are returned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from recall_rank._core.scan import count_points
from recall_rank._core.stretch import centre
from recall_rank._core.window import Matcher
from recall_rank.edits import Redact, edited
from recall_rank.index.segment import Segment
from recall_rank.model import Span
from recall_rank.text import FIELD_NAMES, Field

ELLIPSIS = "..."
LONG_FIELD = 4_096  # bytes from which only the surroundings of a match are decoded
REDACT_REACH = 8_192  # bytes in front of those in which what must not be shown may have begun


Event = tuple[int, int, int, int, float]  # bytes [start, end), words [slot, slot + span) of the query, similarity


@dataclass(frozen=True, slots=True)
class Spot:
    """What of the query a passage holds, and the stretch of it to show."""

    slots: int  # bit j: the query's word j
    fields: tuple[str, ...]  # names of the fields in which a word that counts was found
    first: int  # bytes [first, last) of the segment; the passage's first byte where nothing matches
    last: int
    events: Sequence[Event]  # the matches around it, in order


@dataclass(frozen=True, slots=True)
class Snippet:
    text: str
    spans: tuple[Span, ...]
    field: str


def spot(segment: Segment, matcher: Matcher, part: int, doc: int, width: int) -> Spot:
    """Read a passage for the last time."""
    start, end = segment.doc_start[doc], segment.doc_start[doc + 1]
    label = segment.field_at(part, start)[2]
    reach = width if bytes(memoryview(segment.text)[start + 1 : end]).isascii() else 4 * width  # bytes of `width`
    slots, fields, first, last, events = matcher.spot(segment.text, start, end, label, width, reach)
    return Spot(slots, _names(fields), max(first, start), max(last, start), events)


@lru_cache(maxsize=256)
def _names(fields: int) -> tuple[str, ...]:
    """The names of a set of fields, bit k for the k-th."""
    return tuple(dict.fromkeys(FIELD_NAMES[field] for field in Field if fields >> (field - Field.TEXT) & 1))


def snippet(
    text: str,
    field: str,
    places: Sequence[tuple[int, int]],
    middle: int,
    width: int,
    before: int = 0,
    more: bool = False,
    redact: Redact | None = None,
) -> Snippet:
    """`width` characters of `text` around `middle`, with "..." on each side that was cut.

    `before` characters of the field stand in front of `text`; with `more`, others stand behind it. What `redact`
    names is replaced first, so that no half of it is left.
    """
    low = min(max(0, middle - width // 2), max(0, len(text) - width))
    high = min(low + width, len(text))
    left = ELLIPSIS if low > 0 or before else ""
    right = ELLIPSIS if high < len(text) or more else ""
    shift = len(left) - low
    seen = _merged((start, end) for start, end in places if start < high and end > low)
    edits = redact(text, low, high) if redact is not None else ()
    if not edits:
        at = [(max(start, low) + shift, min(end, high) + shift) for start, end in seen]
        shown = text[low:high]
    else:
        changed = edited(text, edits, low, high)
        at = [changed.span(max(start, low), min(end, high)) for start, end in seen]
        at = [(start + len(left), end + len(left)) for start, end in at]
        shown = changed.text
    spans = [Span(*place, start + before, end + before) for place, (start, end) in zip(at, seen, strict=True)]
    return Snippet(left + shown + right, tuple(spans), field)


def densest(places: list[tuple[int, int]], weights: list[float], width: int, kinds: list[int] | None = None) -> int:
    """The middle of the heaviest run of places within `width`; the middle of a snippet where there are none."""
    if not places:
        return width // 2
    first, last = centre(places, weights, width, kinds)
    return (places[first][0] + places[last][1]) // 2


def _merged(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Overlapping places as one: a compound is matched as a whole and by its pieces."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        elif start < end:
            merged.append((start, end))
    return merged


def show(
    segment: Segment,
    part: int,
    found: Spot,
    word_weights: Sequence[float],
    width: int,
    redact: Redact | None = None,
) -> Snippet:
    """The snippet of a part: from the field that holds the heaviest stretch of what was found."""
    inner = [event for event in found.events if found.first <= event[0] and event[1] <= found.last]
    at = inner[len(inner) // 2][0] if inner else found.first
    near = _near(segment, part, at, found.first, found.last, width, redact)
    inside = [event for event in found.events if near.start <= event[0] and event[1] <= near.end]
    places = [(event[0] - near.start, event[1] - near.start) for event in inside]
    if not near.text.isascii():
        places = _characters(near.data, places)
        middle = densest(places, _worth(inside, word_weights), width, [event[2] for event in inside])
    elif inside and near.start <= found.first and found.last <= near.end:  # a byte is a character: already known
        middle = (found.first + found.last) // 2 - near.start
    else:
        middle = densest(places, _worth(inside, word_weights), width, [event[2] for event in inside])
    return near.snippet(places, middle, width)


@dataclass(frozen=True, slots=True)
class _Near:
    """As much of a field as a snippet may show: bytes [start, end) of the segment, and what lies beyond."""

    start: int
    end: int
    data: bytes
    text: str
    field: str
    before: int  # characters of the field in front
    cut: bool  # the field goes on behind
    redact: Redact | None

    def snippet(self, places: Sequence[tuple[int, int]], middle: int, width: int) -> Snippet:
        return snippet(self.text, self.field, places, middle, width, self.before, self.cut, self.redact)


def _near(segment: Segment, part: int, at: int, first: int, last: int, width: int, redact: Redact | None) -> _Near:
    """The field at byte `at`; of a long one the surroundings of [first, last), whole characters."""
    low, high, field = segment.field_at(part, at)
    start, end = low, high
    if high - low > LONG_FIELD:
        reach = 4 * width  # bytes of the widest characters
        start, end = max(low, min(first, at) - reach), min(high, max(last, at) + reach)
        if redact is not None and start > low:
            start = _begun(segment, low, start)
        while start > low and segment.text[start] & 0xC0 == 0x80:
            start -= 1
        while end < high and segment.text[end] & 0xC0 == 0x80:
            end += 1
    data = bytes(segment.text[start:end])
    return _Near(
        start,
        end,
        data,
        data.decode("utf-8", "replace"),
        FIELD_NAMES[field],
        count_points(segment.text, low, start),
        end < high,
        redact,
    )


def _begun(segment: Segment, low: int, start: int) -> int:
    """Where to begin to read so that what must not be shown is read whole: before a block, or a word without end."""
    before = max(low, start - REDACT_REACH)
    front = bytes(segment.text[before : start + 256])
    blank = front.find(b" ", start - before) >= 0 or front.find(b"\n", start - before) >= 0
    return start if blank and front.rfind(b"-----BEGIN") < 0 else before


def _worth(events: Sequence[Event], word_weights: Sequence[float]) -> list[float]:
    """What each match says: the weight of the words it stands for, by how well it does."""
    return [
        (word_weights[slot] if span == 1 else sum(word_weights[slot : slot + span])) * similarity
        for _, _, slot, span, similarity in events
    ]


def _characters(data: bytes, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Byte ranges of UTF-8 as character ranges; ranges are in order of their starts. O(bytes)."""
    points = sorted({place for pair in ranges for place in pair})
    at, count = 0, 0
    known: dict[int, int] = {}
    for place in points:
        count += len(data[at:place].decode("utf-8", "replace"))
        at = place
        known[place] = count
    return [(known[start], known[end]) for start, end in ranges]


def show_at(segment: Segment, part: int, start: int, end: int, width: int, redact: Redact | None = None) -> Snippet:
    """The snippet around one match at bytes [start, end): half the width before it."""
    near = _near(segment, part, start, start, min(end, start + 4 * width), width, redact)
    first = count_points(near.data, 0, start - near.start)
    last = first + count_points(near.data, start - near.start, min(end, near.end) - near.start)
    last = max(first, last)
    return near.snippet([(first, last)], (first + last) // 2, width)
