"""Question words of scripts written without spaces, found among the characters of a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from recall_rank._core.text.tokens import query_tokens
from recall_rank.analysis.languages.function_words import QUESTION_WORDS
from recall_rank.analysis.normalize import encode

_Forms = tuple[bytes, ...]


def characters_of_question_words(forms: Sequence[bytes]) -> set[int]:
    """Return the indexes in `forms`, the folded words of a query, of the characters that are part of question words.

    At each character the longest question word is taken.
    """
    found: set[int] = set()
    for at, form in enumerate(forms):
        for word in _by_first_character().get(form, ()):
            if tuple(forms[at : at + len(word)]) == word:
                found.update(range(at, at + len(word)))
                break
    return found


@lru_cache
def _by_first_character() -> dict[bytes, list[_Forms]]:
    """Return the question words, as the characters that the tokeniser makes of them, by the first; longest first."""
    found: dict[bytes, list[_Forms]] = {}
    for word in sorted(_forms(), key=len, reverse=True):
        found.setdefault(word[0], []).append(word)
    return found


def _forms() -> Iterator[_Forms]:
    for word in QUESTION_WORDS:
        yield tuple(form for form, _, _, _ in query_tokens(encode(word), frozenset())[0])
