"""Stage: the stretch of a field that shows why a part was found. Only for results that are returned."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from recall_rank._core.rank.passage_matches import Spot
from recall_rank._core.rank.snippet_window import Near
from recall_rank._core.rank.window import Matcher
from recall_rank._core.runtime.record_factory import Maker
from recall_rank.analysis.normalize import FIELD_NAMES, Field
from recall_rank.analysis.text_edits import Redact, edited
from recall_rank.index.segment.segment import Text
from recall_rank.model import Span

REDACT_REACH = 8_192  # bytes in front of what is shown in which what must not be shown may have begun

Snippet = tuple[str, tuple[Span, ...], str]  # what is shown, the matches in it, and the name of the field

_NAMES = tuple(FIELD_NAMES[field] for field in Field)  # an Enum's hash takes longer than the rest of a look-up
_TEXT = int(Field.TEXT)  # and so does finding its member
_span = Maker(Span).make


def spot(matcher: Matcher, text: Text, fields: memoryview, start: int, end: int, width: int) -> Spot:
    """Read the passage [start, end) of a part for the last time; `fields` as Facts.of() tells them."""
    label = text[start] if start < end else 0
    if label < _TEXT:  # the passage goes on with a field, or there is none
        label = text[fields[bisect_right(fields, start, 1, len(fields) - 1) - 1]] if len(fields) > 1 else _TEXT
    return matcher.spot(text, start, end, label, width)


@lru_cache(maxsize=256)
def field_names(fields: int) -> tuple[str, ...]:
    """The names of a set of fields, bit k for the k-th."""
    return tuple(dict.fromkeys(name for place, name in enumerate(_NAMES) if fields >> place & 1))


def show(
    found: Spot, fields: memoryview, word_weights: list[float], width: int, redact: Redact | None = None
) -> Snippet:
    """The snippet of a part: from the field that holds the heaviest stretch of what was found."""
    return _cut(found.near(fields, width, word_weights, None if redact is None else _begun), redact)


def show_at(text: Text, fields: memoryview, start: int, end: int, width: int, redact: Redact | None = None) -> Snippet:
    """The snippet around one match at bytes [start, end): half the width before it."""
    near = Near(text, fields, start, start, min(end, start + 4 * width), width, None if redact is None else _begun)
    end = max(start, min(end, near.end))
    near.frame([(start, end, 0, 1, 1.0)], start, end, width, [1.0])
    return _cut(near, redact)


def _cut(near: Near, redact: Redact | None) -> Snippet:
    """What is to be shown; what `redact` names is replaced before it is cut, so that no half of it is left."""
    edits = redact(near.text, near.low, near.high) if redact is not None else ()
    if not edits:
        shown, spans = near.cut(_span)
        return shown, spans, _NAMES[near.field]
    (left, right), before = near.dots, near.before
    changed, at = edited(near.text, edits, near.low, near.high), len(left)
    marks = []
    for start, end in near.places:
        first, last = changed.span(max(start, near.low), min(end, near.high))
        marks.append(_span(first + at, last + at, start + before, end + before))
    return left + changed.text + right, tuple(marks), _NAMES[near.field]


def _begun(text: Text, low: int, start: int) -> int:
    """Where to begin to read so that what must not be shown is read whole: before a block, or a word without end."""
    before = max(low, start - REDACT_REACH)
    front = bytes(text[before : start + 256])
    blank = front.find(b" ", start - before) >= 0 or front.find(b"\n", start - before) >= 0
    return start if blank and front.rfind(b"-----BEGIN") < 0 else before
