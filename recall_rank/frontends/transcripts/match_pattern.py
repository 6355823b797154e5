"""The pattern that finds the matched words of a search in texts that are shown in full."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from recall_rank.frontends.display_text import escape

if TYPE_CHECKING:
    from recall_rank.model.response import Match, Result

_OF_TEXT: Final = ("literal", "regex")  # modes in which a match may be a part of a word


def matched_forms(results: Iterable[Result]) -> set[str]:
    """Return every text that the snippets of some results mark as a match."""
    return {text for hit in results for span in hit.spans if (text := hit.snippet[span.start : span.end].strip())}


def match_pattern(forms: Iterable[str], match: Match) -> re.Pattern[str] | None:
    """Return the pattern of the `forms` in which words were found, as they stand in escaped text; None for no form.

    In the modes that match words it fits no part of a longer word, apart from the parts of a joined name.
    """
    longest_first = sorted(map(escape, forms), key=lambda form: (-len(form), form))
    pattern = "|".join(_pattern_of(form, match) for form in longest_first)
    return re.compile(pattern) if pattern else None


def _pattern_of(form: str, match: Match) -> str:
    pattern = re.escape(form)
    if match in _OF_TEXT:
        return pattern
    before = "" if form[:1].isupper() else r"(?<![^\W_])"
    return f"{before}{pattern}(?![a-z0-9])"
