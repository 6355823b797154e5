"""Cuts of a text into passages."""

from __future__ import annotations


def passage_ends(text: bytes, longest: int) -> list[int]:
    """Return the ends of passages.

    The cut is in the second half of a passage: behind the last line or before the last field, else behind the last
    sentence, else behind the last blank, else before the last character.
    """
    ends: list[int] = []
    start = 0
    while len(text) - start > longest + longest // 4:
        floor, end = start + longest // 2, start + longest
        lines = [p + 1 for p in range(floor, end) if text[p] == 10] + [
            p for p in range(floor + 1, end) if text[p] >= 0xF8
        ]
        sentences = [p + 1 for p in range(floor + 1, end) if text[p] == 32 and text[p - 1] in b".!?"]
        blanks = [p + 1 for p in range(floor, end) if text[p] == 32]
        characters = [p for p in range(floor, end + 1) if p == floor or not 0x80 <= text[p] < 0xC0]
        start = max(lines or sentences or blanks or characters)
        ends.append(start)
    return [*ends, len(text)]
