"""Which passages hold nearly the same words, by the hashes of their pairs of words."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Protocol

PLACES = 64
EMPTY = 2**32 - 1
_LINE_NUMBERS = re.compile(rb"(^|[\n\xf8-\xff])[ \t]*[0-9]+(?:\xe2\x86\x92|(?=[\t:|]))")
_WORD = re.compile(rb"[\xe0-\xf7][\x80-\xbf]*|[0-9A-Za-z_\x80-\xdf]+")
_ALL = 2**64 - 1
FNV_START = 0xCBF29CE484222325
NEARBY = 160
EQUAL = ("coverage", "window", "phrase", "near", "matched", "exact", "window_words")


class Sketch(Protocol):
    """What the kernel's sketches have."""

    numbers: list[int]
    forms: int


def sketch(text: bytes) -> list[int]:
    """Return the least number at each of 64 places, of the numbers of the pairs of neighbouring words in a text."""
    words = _WORD.findall(_LINE_NUMBERS.sub(rb"\1 ", text).lower())
    least = [EMPTY] * PLACES
    for pair in pairwise(map(_number, words)):
        place, number = _place(*pair)
        least[place] = min(least[place], number)
    return least


def marks(text: bytes, matches: list[tuple[int, int, int]]) -> int:
    """Return an integer with two bits of 128 for each (start, end, slot) of a form in a text."""
    found = 0
    for start, end, slot in matches:
        number = _mixed(_number(text[start:end].lower(), FNV_START + slot))
        found |= 1 << number % 64 | 1 << 64 + (number >> 32) % 64
    return found


def is_alike(one: Sketch, other: Sketch, share: float) -> bool:
    """Return whether two sketches have equal marks, and equal numbers at this share of the places that either has."""
    taken = [pair for pair in zip(one.numbers, other.numbers, strict=True) if pair != (EMPTY, EMPTY)]
    equal = sum(a == b for a, b in taken)
    return one.forms == other.forms and equal > 0 and equal >= share * len(taken)


def resembling(sketches: list[Sketch], share: float) -> list[int]:
    """Return the places of the sketches that are like another one."""
    return [
        place
        for place, one in enumerate(sketches)
        if any(is_alike(one, other, share) for at, other in enumerate(sketches) if at != place)
    ]


def families(
    sketches: list[Sketch], sessions: list[int], kind: Callable[[int], object], within: float, between: float
) -> list[int]:
    """Return the place of the first of its family for each sketch."""
    firsts: list[int] = []
    for at, own in enumerate(sketches):
        known = (
            one
            for one in sorted(set(firsts))
            if is_alike(sketches[one], own, within if sessions[one] == sessions[at] else between)
            and kind(one) == kind(at) is not None
        )
        firsts.append(next(known, at))
    return firsts


def comparable(rows: list[dict[str, float]], words: float) -> list[int]:
    """Return the places of the rows of features that let two passages say the same."""

    def is_match(one: dict[str, float], other: dict[str, float]) -> bool:
        small, large = sorted((one["words"], other["words"]))
        return all(one[name] == other[name] for name in EQUAL) and words <= small >= 0.75 * large

    return [
        place
        for place, one in enumerate(rows)
        if one["matched"] and any(is_match(one, other) for at, other in enumerate(rows) if at != place)
    ]


def _number(word: bytes, start: int = FNV_START) -> int:
    """Return the FNV-1a hash of 64 bits."""
    number = start
    for byte in word:
        number = (number ^ byte) * 0x100000001B3 & _ALL
    return number


def _mixed(number: int) -> int:
    number = (number ^ number >> 32) * 0xD6E8FEB86659FD93 & _ALL
    return number ^ number >> 32


def _place(first: int, second: int) -> tuple[int, int]:
    """Return (place, number) of two neighbouring words, given by their hashes."""
    mixed = _mixed((first * 0x9E3779B97F4A7C15 + second) & _ALL)
    return mixed % PLACES, mixed >> 32
