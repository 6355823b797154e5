"""Every token of a text, by a walk over its characters."""

from __future__ import annotations

from typing import Any

from tests.reference.text.chars import characters
from tests.reference.text.cjk import CJK, cjk_tokens, units
from tests.reference.text.compounds import (
    COMPOUND,
    MAX_PIECES,
    Piece,
    compound_at,
    compound_tokens,
    cut_compound,
    digits_apart,
    special_at,
)
from tests.reference.text.token_buffer import WORD, Token


def tokens(text: bytes) -> list[Token]:
    """Every token of UTF-8 `text`: (form, kind, start, end, position, span, cjk), offsets in bytes."""
    chars = characters(text)
    kinds = "".join(char.kind for char in chars)
    found: list[Token] = []
    at = position = 0
    while at < len(chars):
        if match := COMPOUND.match(kinds, at):
            end, behind = compound_at(chars, at, match.end())
            pieces: list[Piece] = []
            for piece in cut_compound(chars, at, end):
                if len(pieces) == MAX_PIECES:
                    behind = chars.index(piece.letters[0])
                    break
                parts = digits_apart(piece)
                pieces += parts if len(pieces) + len(parts) <= MAX_PIECES else [piece]
            found += compound_tokens(pieces, position)
            position += len(pieces)
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


def asked(text: bytes, stop_words: frozenset[bytes]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Of the words `stop_words` count only where nothing else stands."""
    every = [
        (form.encode(), text[start:end].decode(), kind, position, span, cjk)
        for form, kind, start, end, position, span, cjk in tokens(text)
    ]
    content = any(kind == WORD and form not in stop_words for form, _, kind, *_ in every)
    words = [
        (form, written, not (content and form in stop_words), cjk)
        for form, written, kind, _, _, cjk in every
        if kind == WORD
    ]
    return words, [(form, written, *placed) for form, written, kind, *placed in every if kind != WORD]
