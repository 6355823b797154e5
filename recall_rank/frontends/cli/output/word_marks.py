"""Mark the words of a query in messages that are shown in full."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.transcripts.match_pattern import match_pattern, matched_forms
from recall_rank.model import Message, Part, Session

if TYPE_CHECKING:
    from recall_rank.model.response import Match

MATCH_STYLE: Final = "bold yellow"
_WIDEST: Final = 10_000  # characters of a part in which words are looked for
_MOST: Final = 200  # parts
_FIELDS: Final = ("content", "output", "error")


class WordMarks:
    """The forms in which the words of a query stand in some messages, found by the search that ranks hits."""

    def __init__(self, query: str = "", match: Match = "smart", entries: Iterable[Mapping[str, Any]] = ()) -> None:
        """Look for the words of `query` in `entries`, messages as the recall tools give them. Without a query nothing
        is marked. Raises ValueError for a query that cannot be searched.
        """
        forms = _forms(query, match, entries) if query.strip() else set()
        self._pattern = match_pattern(forms, match)

    @classmethod
    def of_forms(cls, forms: Iterable[str], match: Match) -> WordMarks:
        """Return the marks of words in these forms, which a search in the mode `match` has found."""
        marks = cls()
        marks._pattern = match_pattern(set(forms), match)
        return marks

    def marked(self, line: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return a line with its marked words in pieces of their own."""
        if self._pattern is None:
            return list(line)
        return [piece for text, style in line for piece in _split(self._pattern, text, style)]


def _split(pattern: re.Pattern[str], text: str, style: str) -> Iterator[tuple[str, str]]:
    at = 0
    for found in pattern.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], style
        yield found[0], MATCH_STYLE
        at = found.end()
    if at < len(text):
        yield text[at:], style


def _forms(query: str, match: Match, entries: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return every text that a search for the query marks in the messages."""
    from recall_rank.corpus import rank

    messages = [Message(str(number), "user", 0, tuple(_parts(entry))) for number, entry in enumerate(entries)]
    session = Session("shown", messages)
    found = rank(query, [session], match=match, results=_MOST, width=_WIDEST)
    return matched_forms(found.results)


def _parts(entry: Mapping[str, Any]) -> Iterator[Part]:
    for number, part in enumerate(entry["parts"]):
        values = part.get("input")
        texts = [part.get(name) for name in _FIELDS]
        texts += values.values() if isinstance(values, Mapping) else [values]
        for place, text in enumerate(texts):
            if isinstance(text, str) and text:
                yield Part(f"{number}-{place}", "text", text)
