"""Cut the snippet of a result: the stretch of one field that shows best why the passage was found."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from recall_rank._core.rank.matcher import Matcher
from recall_rank._core.rank.passage_matches import PassageMatches, WordMatch
from recall_rank._core.rank.snippet_window import Snippet, SnippetWindow
from recall_rank._core.runtime.record_factory import RecordFactory
from recall_rank.analysis.fields import FIELD_NAMES, Field
from recall_rank.analysis.text_edits import Redact, edited
from recall_rank.index.errors import DamagedIndexError
from recall_rank.index.segment.segment import Text
from recall_rank.model import Span

REDACT_REACH = 8_192  # bytes in front of a window in which a secret that reaches into it may have begun
NAME_REACH = 160  # bytes in front of a word in which the name of a secret may be

_FIELD_NAMES = tuple(FIELD_NAMES[field] for field in Field)  # by number: the hash of an Enum costs more than a look-up
_TEXT = int(Field.TEXT)
_span = RecordFactory(Span).make


def passage_matches(
    matcher: Matcher, text: Text, fields: memoryview, start: int, end: int, width: int
) -> PassageMatches:
    """Return the places where the query's words match in the passage text[start:end], offsets in bytes.

    `fields`, u64[n + 1], has the first byte of each field of the passage's part, then the end of the last field. Raises
    DamagedIndexError where the text has no field at one of these bytes.
    """
    label = text[start] if start < end else 0
    if label < _TEXT:  # the passage continues a field, or the part has no field
        label = text[fields[bisect_right(fields, start, 1, len(fields) - 1) - 1]] if len(fields) > 1 else _TEXT
        if label < _TEXT:
            raise DamagedIndexError(f"a text has no field at its byte {start}; build the index again")
    return matcher.matches(text, start, end, label, width)


def field_name(field: int) -> str:
    """Return the public name of a field, given its number, an index from 0."""
    return _FIELD_NAMES[field]


@lru_cache(maxsize=256)
def field_names(fields: int) -> tuple[str, ...]:
    """Return the names of the fields in a bit set; bit k of `fields` stands for field number k."""
    return tuple(dict.fromkeys(name for number, name in enumerate(_FIELD_NAMES) if fields >> number & 1))


def snippet_of(
    found: PassageMatches, fields: memoryview, word_weights: list[float], width: int, redact: Redact | None = None
) -> Snippet[Span]:
    """Return a snippet of at most `width` characters around the best span of matches.

    `fields` is as for passage_matches(); `word_weights` has a weight for each word of the query. `redact` removes
    secrets.
    """
    return _cut(found.snippet_window(fields, width, word_weights, None if redact is None else _redaction_start), redact)


def snippet_at(
    text: Text, fields: memoryview, start: int, end: int, width: int, redact: Redact | None = None
) -> Snippet[Span]:
    """Return a snippet of at most `width` characters around one match, bytes [start, end) of the text.

    `fields` is as for passage_matches(). `redact` removes secrets.
    """
    begin = None if redact is None else _redaction_start
    window = SnippetWindow(text, fields, start, start, min(end, start + 4 * width), width, begin)
    end = max(start, min(end, window.end))
    window.select([WordMatch(start, end, slot=0, span=1, similarity=1.0)], start, end, width, [1.0])
    return _cut(window, redact)


def _cut(window: SnippetWindow, redact: Redact | None) -> Snippet[Span]:
    """Return the snippet that a window shows. Secrets are redacted in the window before it is cut, so that no half of
    one stays.
    """
    edits = redact(window.text, window.low, window.high) if redact is not None else ()
    if not edits:
        return window.cut(_span)
    (left, right), before = window.ellipses, window.before
    changed, at = edited(window.text, edits, window.low, window.high), len(left)
    marks = []
    for start, end in window.spans:
        first, last = changed.span(max(start, window.low), min(end, window.high))
        marks.append(_span(first + at, last + at, start + before, end + before))
    return Snippet(left + changed.text + right, tuple(marks), window.field)


def _redaction_start(text: Text, low: int, start: int) -> int:
    """Return the byte from which to read for redaction: at most REDACT_REACH bytes before byte `start` of the text.

    That byte is before the word that `start` is in, and before a name in front of that word, as in NAME=value; it is
    the full REDACT_REACH before when a private key may reach into the window, or colour codes make names and values
    long. `low` is the first byte of the field, before which nothing is read.
    """
    before = max(low, start - REDACT_REACH)
    front = bytes(text[before:start])
    word = max(front.rfind(b" "), front.rfind(b"\n"))
    if word < 0 or front.rfind(b"\x1b") >= 0 or front.rfind(b"-----BEGIN") >= 0:
        return before
    return before + max(0, word - NAME_REACH)
