"""Cuts of a text into passages."""

from __future__ import annotations

from collections.abc import Sequence


def lengths(text: bytes) -> list[int]:
    """Return the length that each byte adds to a passage: the bytes behind the first of a letter of an alphabet other
    than the Latin one add none.
    """
    found = [1] * len(text)
    at = 0
    while at < len(text):
        width = 2 if 0xCE <= text[at] < 0xE0 else 3 if 0xE0 <= text[at] < 0xE2 else 1
        behind = at + 1
        while behind < min(at + width, len(text)) and 0x80 <= text[behind] < 0xC0:
            found[behind] = 0
            behind += 1
        at = behind
    return found


def reach(lengths: Sequence[int], start: int, length: int) -> int:
    """Return the last offset from `start` on up to which no more than `length` lies, at most the end."""
    at = start
    while at < len(lengths) and length >= lengths[at]:
        length -= lengths[at]
        at += 1
    return at


def passage_ends(text: bytes, longest: int) -> list[int]:
    """Return the ends of passages.

    The cut is in the second half of a passage: behind the last line or before the last field, else behind the last
    sentence, else behind the last blank, else before the last character.
    """
    ends: list[int] = []
    start, size = 0, lengths(text)
    while True:
        floor = reach(size, start, longest // 2)
        end = reach(size, floor, longest - longest // 2)
        if reach(size, end, longest // 4) == len(text):
            return [*ends, len(text)]
        lines = [p + 1 for p in range(floor, end) if text[p] == 10] + [
            p for p in range(floor + 1, end) if text[p] >= 0xF8
        ]
        sentences = [p + 1 for p in range(floor + 1, end) if text[p] == 32 and text[p - 1] in b".!?"]
        blanks = [p + 1 for p in range(floor, end) if text[p] == 32]
        characters = [p for p in range(floor, end + 1) if p == floor or not 0x80 <= text[p] < 0xC0]
        start = max(lines or sentences or blanks or characters)
        ends.append(start)
