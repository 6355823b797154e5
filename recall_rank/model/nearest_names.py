"""Find the known names that are nearest to an unknown name, for the question "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

MOST: Final = 3
LISTED: Final = 5  # names that are listed where none is near
_LIKE: Final = 0.7  # of difflib's ratio: two of three letters in their order; less is more often a wrong guess
_SHORTEST_PIECE: Final = 3  # characters: fewer stand in too many names to point at one


def nearest_names(wanted: str, known: Iterable[str], most: int = MOST) -> list[str]:
    """Return the names among `known` that are like `wanted`, the nearest first, at most `most`; empty when none is.

    A name is like another one if only the case differs, if the longer contains the shorter, or if most letters are
    equal.
    """
    folded = wanted.casefold()
    found = {name: _likeness(folded, name.casefold()) for name in dict.fromkeys(known)}
    like = sorted((name for name, score in found.items() if score >= _LIKE), key=lambda name: (-found[name], name))
    return like[:most]


def _likeness(wanted: str, name: str) -> float:
    """Return the likeness of two folded names: 2 for equal ones, above 1 if one contains the other, else up to 1."""
    if wanted == name:
        return 2.0
    short, long = sorted((wanted, name), key=len)
    if len(short) >= _SHORTEST_PIECE and short in long:
        return 1 + len(short) / len(long)
    from difflib import SequenceMatcher  # needed hardly ever, and slow to import

    return SequenceMatcher(None, wanted, name).ratio()


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """Return the question that names the nearest of `known`, such as "did you mean 'acme-api'?"; "" if none is near."""
    near = nearest_names(wanted, known)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else ""


def listed_names(names: Sequence[str]) -> str:
    """Return a list of names for a person: the first five, and how many more there are."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
