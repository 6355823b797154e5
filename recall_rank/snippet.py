"""Stage: the stretch of a field that shows why a part was found. Only for results that are returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recall_rank._core.stretch import centre
from recall_rank._core.window import Matcher
from recall_rank.index.segment import Segment
from recall_rank.model import Span
from recall_rank.text import FIELD_NAMES, Field

_MARKS = tuple(bytes([label]) for label in Field)
ELLIPSIS = "..."


@dataclass(frozen=True, slots=True)
class Match:
    """A matched stretch, in bytes of the segment's text, and the words [slot, slot + span) it stands for."""

    start: int
    end: int
    slot: int
    span: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Snippet:
    text: str
    spans: tuple[Span, ...]
    field: str


def matches_in(segment: Segment, matcher: Matcher, start: int, end: int) -> list[Match]:
    """Everything the query matches in text[start:end], in order."""
    return [
        Match(start + low, start + high, slot, span, similarity)
        for low, high, slot, span, similarity, _ in matcher.events(segment.text, start, end)
    ]


def field_at(segment: Segment, part: int, at: int) -> tuple[int, int, str]:
    """The field of `part` that holds byte `at`: its first byte, the one behind its last, and its name."""
    low, high = segment.part_start[part], segment.part_start[part + 1]
    if low == high:
        return low, high, "text"
    text = segment.text
    begin = max(text.rfind(mark, low, at + 1) for mark in _MARKS)
    ends = (text.find(mark, max(at, begin) + 1, high) for mark in _MARKS)
    end = min((place for place in ends if place >= 0), default=high)
    return begin + 1, end, FIELD_NAMES[Field(text[begin])]


def snippet(
    text: str,
    field: str,
    places: list[tuple[int, int]],
    weights: list[float],
    width: int,
    kinds: list[int] | None = None,
) -> Snippet:
    """`width` characters of `text` around the densest of `places`, with "..." on each side that was cut."""
    if len(text) <= width:
        low, high = 0, len(text)
    else:
        middle = width // 2
        if places:
            first, last = centre(places, weights, width, kinds)
            middle = (places[first][0] + places[last][1]) // 2
        low = min(max(0, middle - width // 2), len(text) - width)
        high = low + width
    before = ELLIPSIS if low > 0 else ""
    after = ELLIPSIS if high < len(text) else ""
    spans = []
    for start, end in places:
        inner_start, inner_end = max(start, low), min(end, high)
        if inner_start < inner_end:
            shift = len(before) - low
            spans.append(Span(inner_start + shift, inner_end + shift, start, end))
    return Snippet(before + text[low:high] + after, tuple(_merged(spans)), field)


def _merged(spans: list[Span]) -> list[Span]:
    """Overlapping spans as one: a compound is matched as a whole and by its pieces."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.text_start, max(last.text_end, span.text_end))
        else:
            merged.append(span)
    return merged


def show(
    segment: Segment, part: int, matches: Sequence[Match], word_weights: Sequence[float], width: int, at: int
) -> Snippet:
    """The snippet of a part: from the field that holds the heaviest stretch of `matches`, or the field at byte `at`."""
    if matches:
        ranges = [(m.start, m.end) for m in matches]
        first, last = centre(ranges, _worth(matches, word_weights), width, [m.slot for m in matches])
        at = matches[(first + last) // 2].start
    low, high, field = field_at(segment, part, at)
    inside = [m for m in matches if low <= m.start and m.end <= high]
    text = bytes(segment.text[low:high]).decode("utf-8", "replace")
    if text.isascii():
        places = [(m.start - low, m.end - low) for m in inside]
    else:
        places = _characters(bytes(segment.text[low:high]), [(m.start - low, m.end - low) for m in inside])
    return snippet(text, field, places, _worth(inside, word_weights), width, [m.slot for m in inside])


def _worth(matches: Sequence[Match], word_weights: Sequence[float]) -> list[float]:
    """What each match says: the weight of the words it stands for, by how well it does."""
    return [
        (word_weights[m.slot] if m.span == 1 else sum(word_weights[m.slot : m.slot + m.span])) * m.similarity
        for m in matches
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


def show_at(segment: Segment, part: int, start: int, end: int, width: int) -> Snippet:
    """The snippet around one match at bytes [start, end): half the width before it."""
    low, high, field = field_at(segment, part, start)
    data = bytes(segment.text[low:high])
    text = data.decode("utf-8", "replace")
    first = len(data[: start - low].decode("utf-8", "replace"))
    last = first + len(data[start - low : min(end, high) - low].decode("utf-8", "replace"))
    return snippet(text, field, [(first, max(first, last))], [1.0], width)
