"""The best span of matches, and the window of characters around it."""

from __future__ import annotations

from collections.abc import Sequence


def best_span(
    places: Sequence[tuple[int, int]], weights: Sequence[float], width: int, kinds: Sequence[int]
) -> tuple[int, int]:
    """Every run that cannot begin earlier; the heaviest, the shortest and earliest of equals."""
    ranked = []
    for last in range(len(places)):
        first = next(
            first
            for first in range(last + 1)
            if all(places[k][1] - places[first][0] <= width for k in range(first + 1, last + 1))
        )
        run = range(first, last + 1)
        heaviest: dict[int, float] = {}
        for k in run:
            heaviest[kinds[k]] = max(weights[k], heaviest.get(kinds[k], 0.0))
        total = 0.1 * sum(weights[k] for k in run) + sum(heaviest.values())
        ranked.append((-round(total, 6), places[last][1] - places[first][0], last, first))
    _, _, last, first = min(ranked, default=(0, 0, 0, 0))
    return first, last


def select(
    text: bytes,
    start: int,
    end: int,
    events: Sequence[tuple[int, int, int, int, float]],
    first: int,
    last: int,
    width: int,
    weights: Sequence[float],
) -> tuple[int, int, list[tuple[int, int]]]:
    """The characters around the heaviest stretch, and every character of them that is matched, run by run."""
    shown, own = text[start:end].decode(), [e for e in events if start <= e[0] and e[1] <= end]
    places = [(len(text[start : e[0]].decode()), len(text[start : e[1]].decode())) for e in own]
    middle = width // 2
    if own and shown.isascii() and start <= first and last <= end:
        middle = (first + last) // 2 - start
    elif own:
        worth = [sum(weights[slot : slot + span]) * similarity for _, _, slot, span, similarity in own]
        left, right = best_span(places, worth, width, [slot for _, _, slot, _, _ in own])
        middle = (places[left][0] + places[right][1]) // 2
    low = min(max(0, middle - width // 2), max(0, len(shown) - width))
    high = min(low + width, len(shown))
    merged: list[tuple[int, int]] = []
    for begin, stop in sorted(place for place in places if place[0] < high and place[1] > low):
        if merged and begin < merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], stop)
        elif begin < stop:
            merged.append((begin, stop))
    return low, high, merged


def surroundings(
    text: bytes, fields: Sequence[int], at: int, first: int, last: int, width: int, begin: int | None = None
) -> tuple[int, int, int, int]:
    """Where the field that holds a byte begins and ends, and what of it may be shown, whole characters."""
    inside = [k for k in range(len(fields) - 1) if fields[k] <= at] or [0]
    low, high = (fields[inside[-1]] + 1, fields[inside[-1] + 1]) if len(fields) > 1 else (fields[0], fields[0])
    if high - low <= 4096:
        return low, high, low, high
    borders = [k for k in range(low, high + 1) if k == high or text[k] & 0xC0 != 0x80]
    start = min(max(low, min(first, at) - 4 * width), high)
    end = max(start, min(high, max(last, at) + 4 * width))
    if begin is not None and start > low:
        start = begin
    return low, high, max(k for k in borders if k <= start), min(k for k in borders if k >= end)
