"""The two forms in which texts are compared: as UTF-8 bytes, and folded to lower case."""

from __future__ import annotations

import re
from functools import lru_cache

_SURROGATES = re.compile("[\ud800-\udfff]")


def encode(text: str) -> bytes:
    """Return `text` in UTF-8; a lone surrogate becomes U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text).encode()


def fold(text: str) -> str:
    """Return `text` folded for literal search: in lower case, with both Greek small sigmas as one letter.

    A few characters, such as the dotted capital I, become two.
    """
    return text.lower().replace("\u03c2", "\u03c3")


@lru_cache(maxsize=4096)
def fold_cached(name: str) -> str:
    """Return fold() of a title, directory or name; cached, because all hits of a session have the same ones."""
    return fold(name)


def folded_spans(text: str, wanted: str) -> list[tuple[int, int]]:
    """Return the character ranges [start, end) of `text` that equal `wanted` when both are folded (see fold()).

    They are in order and do not overlap.
    """
    needle, folded = fold(wanted), fold(text)
    origin: list[int] = []
    if len(folded) != len(text):  # the lower case of a dotted capital I is two characters
        origin = [at for at, char in enumerate(text) for _ in fold(char)]
    found = []
    start = folded.find(needle)
    while start >= 0:
        last = start + len(needle) - 1
        found.append((origin[start], origin[last] + 1) if origin else (start, last + 1))
        start = folded.find(needle, start + len(needle))
    return found
