"""The two forms in which text is compared: UTF-8 bytes and lower case."""

from __future__ import annotations

import re
from functools import lru_cache

_SURROGATES = re.compile("[\ud800-\udfff]")


def encode(text: str) -> bytes:
    """UTF-8 of `text`; lone surrogates become U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text).encode()


def fold(text: str) -> str:
    """`text` as literal search compares it: in lower case, with the two Greek small sigmas as one letter."""
    return text.lower().replace("\u03c2", "\u03c3")


@lru_cache(maxsize=4096)
def fold_cached(name: str) -> str:
    """fold() of a title, directory or name, cached because all hits of a session share them."""
    return fold(name)


def folded_spans(text: str, wanted: str) -> list[tuple[int, int]]:
    """The character ranges [start, end) of `text` that equal `wanted` under fold(), in order and without overlaps."""
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
