"""Sketches of passages: which of them hold nearly the same words, in nearly the same order."""

from __future__ import annotations

import re
from itertools import pairwise

PLACES = 64
EMPTY = 2**32 - 1
_LINE_NUMBERS = re.compile(rb"(^|[\n\xf8-\xff])[ \t]*[0-9]+(?:\xe2\x86\x92|(?=[\t:|]))")
_WORD = re.compile(rb"[\xe0-\xf7][\x80-\xbf]*|[0-9A-Za-z_\x80-\xdf]+")
_ALL = 2**64 - 1


def sketch(text: bytes) -> list[int]:
    """Return the sketch of a text: of the numbers of its pairs of neighbouring words, the least at each of 64 places."""
    words = _WORD.findall(_LINE_NUMBERS.sub(rb"\1 ", text).lower())
    least = [EMPTY] * PLACES
    for pair in pairwise(map(_number, words)):
        place, number = _place(*pair)
        least[place] = min(least[place], number)
    return least


def likeness(one: list[int], other: list[int]) -> float:
    """Return the share of the places that are taken in either sketch at which both are equal; 0 without such a place."""
    taken = [pair for pair in zip(one, other, strict=True) if pair != (EMPTY, EMPTY)]
    return sum(a == b for a, b in taken) / len(taken) if taken else 0.0


def families(sketches: list[list[int]], slots: list[int], least: float) -> list[int]:
    """Return for each sketch the first one of its family: the first before it that is no member of another one's
    family, has equal slots and is like it, at least `least`; else itself.
    """
    firsts: list[int] = []
    for at, own in enumerate(sketches):
        alike = (
            one
            for one, first in enumerate(firsts)
            if one == first and slots[one] == slots[at] and likeness(sketches[one], own) >= least
        )
        firsts.append(next(alike, at))
    return firsts


def _number(word: bytes) -> int:
    """Return the FNV-1a hash of 64 bits."""
    number = 0xCBF29CE484222325
    for byte in word:
        number = (number ^ byte) * 0x100000001B3 & _ALL
    return number


def _place(first: int, second: int) -> tuple[int, int]:
    """Return (place, number) of two neighbouring words, given by their hashes."""
    mixed = (first * 0x9E3779B97F4A7C15 + second) & _ALL
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93 & _ALL
    mixed ^= mixed >> 32
    return mixed % PLACES, mixed >> 32
