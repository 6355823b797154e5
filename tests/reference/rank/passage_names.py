"""The names at the matches of a passage, and how near those of all candidates come to a name of the query."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

JOINERS = "-./\\:@#"
LEAST = 0.83  # similarity of a name that stands for one of the query

Match = tuple[int, int, int, int]  # bytes [start, end), and the query's words from `slot` on, `span` of them
Name = tuple[int, int, str]  # the query's words [first, last), and its joiners


def names_at(text: bytes, matches: Sequence[Match], name: Name) -> list[str]:
    """Return the names in a passage: runs of a name's bytes around matches; those that continue each other are one."""
    first, last, joiners = name
    inside = re.compile(rb"[A-Za-z0-9_$\x80-\xf7" + re.escape(joiners.encode()) + rb"]*")
    found: list[tuple[int, int]] = []
    reached = 0
    for start, end, slot, span in matches:
        if slot >= last or slot + span <= first:
            continue
        if found and start < found[-1][1]:
            reached = max(reached, slot + span)
            continue
        floor = max(0, found[-1][1]) if found else 0
        low = min(at for at in range(floor, start + 1) if inside.fullmatch(text, at, start))
        run = inside.match(text, end)
        high = run.end() if run else end
        goes_on = bool(found) and low == found[-1][1] + 1 and chr(text[low - 1]) in JOINERS and slot == reached
        low = found.pop()[0] if goes_on else low
        found.append((low, high))
        reached = slot + span
    names = (str(text[low:high].rstrip(JOINERS.encode()), "utf-8", "replace") for low, high in found)
    return list(dict.fromkeys(filter(None, names)))


def plain_name(name: str, fold: Callable[[str], str]) -> str:
    """Return the letters and digits of a folded name."""
    return "".join(char for char in fold(name) if char.isalnum())


def similarity(
    held: Sequence[str], everywhere: Sequence[str], plain: Callable[[str], float], alike: Callable[[str], float]
) -> float:
    """Return what a candidate's names `held` are worth, where all candidates hold those of `everywhere`."""
    top = max(map(plain, everywhere), default=0.0)
    near = [name for name in everywhere if plain(name) == top]
    most = max(map(alike, near), default=0.0)
    return top if any(plain(name) == top and alike(name) == most for name in held) and top >= LEAST else 0.0
