"""The tokeniser, as a walk over a list of characters."""

from __future__ import annotations

from typing import Any

from tests.reference.text.chars import characters
from tests.reference.text.cjk import CJK, cjk_tokens, units
from tests.reference.text.compounds import (
    COMPOUND,
    MAX_SUBWORDS,
    Subword,
    compound_at,
    compound_tokens,
    marked_tokens,
    special_at,
    split_compound,
    split_letters_digits,
)
from tests.reference.text.token_buffer import SPECIAL, WORD, Token


def tokens(text: bytes) -> list[Token]:
    """Return the tokens of UTF-8 `text`: (form, kind, start, end, position, span, cjk), offsets in bytes."""
    chars = characters(text)
    kinds = "".join(char.kind for char in chars)
    found: list[Token] = []
    at = position = 0
    while at < len(chars):
        if match := COMPOUND.match(kinds, at):
            end, behind = compound_at(chars, at, match.end())
            subwords: list[Subword] = []
            for subword in split_compound(chars, at, end):
                if len(subwords) == MAX_SUBWORDS:
                    behind = chars.index(subword.letters[0])
                    break
                parts = split_letters_digits(subword)
                subwords += parts if len(subwords) + len(parts) <= MAX_SUBWORDS else [subword]
            found += compound_tokens(subwords, position) + marked_tokens(text, subwords, position)
            position += len(subwords)
            last = chars[behind].start if behind < len(chars) else len(text)
            special = special_at(text, chars[at].start, last, position - 1)
            found += special
            at = behind
            while special and at < len(chars) and chars[at].start < special[0][3]:
                at += 1
        elif match := CJK.match(kinds, at):
            run = list(units(chars, at, match.end()))
            found += cjk_tokens(run, position)
            position += len(run)
            at = match.end()
        else:
            if chars[at].kind == "e":
                found.append((chars[at].char, WORD, chars[at].start, chars[at].end, position, 1, True))
                position += 1
            at += 1
    return found


def query_tokens(text: bytes, stop_words: frozenset[bytes]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return (words, compounds) of a query. Words in `stop_words` count only where the query has no other words.

    In place of a stop word with a special form this form is a word, and counts.
    """
    every = [
        (form.encode(), text[start:end].decode(), kind, position, span, cjk)
        for form, kind, start, end, position, span, cjk in tokens(text)
    ]
    placed = {row[3]: row for row in every if row[2] == WORD}
    compounds = []
    for row in every:
        if row[2] == SPECIAL and row[4] == 1 and placed[row[3]][0] in stop_words:
            placed[row[3]] = row
        elif row[2] != WORD:
            compounds.append((row[0], row[1], *row[3:]))
    content = any(row[0] not in stop_words for row in placed.values())
    words = [(row[0], row[1], not (content and row[0] in stop_words), row[5]) for _, row in sorted(placed.items())]
    return words, compounds
