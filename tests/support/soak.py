"""Counts and seeds of the long tests: small by default, larger where RECALL_RANK_SOAK is `ci` or `long`.

RECALL_RANK_SEED chooses other random inputs (0 unless set). RECALL_RANK_SHARE=3/10 does the third of ten equal shares
of every count, with seeds that no other share has, so that a long run can be done in pieces.
"""

from __future__ import annotations

import os
from typing import Final

MODE: Final = os.environ.get("RECALL_RANK_SOAK", "")
LONG: Final = MODE == "long"
SEED: Final = int(os.environ.get("RECALL_RANK_SEED", "0"))
_PART, _PARTS = (int(number) for number in os.environ.get("RECALL_RANK_SHARE", "1/1").split("/"))
_TRIED: Final[list[int]] = []

if MODE not in ("", "ci", "long"):
    raise ValueError(f"RECALL_RANK_SOAK is {MODE!r}: ci, long or nothing is possible")
if not 1 <= _PART <= _PARTS:
    raise ValueError("RECALL_RANK_SHARE is a number and a count, like 3/10")


def times(usually: int, long: int, ci: int | None = None) -> int:
    """Return `long` where RECALL_RANK_SOAK=long, `ci` where it is ci and given, else `usually`."""
    return long if LONG else usually if MODE == "" or ci is None else ci


def portion(usually: int, long: int, ci: int | None = None) -> int:
    """Return the share that RECALL_RANK_SHARE chooses of a count, as times() gives it; at least one."""
    whole = times(usually, long, ci)
    return max(1, whole * _PART // _PARTS - whole * (_PART - 1) // _PARTS)


def first_seed() -> int:
    """Return the first of ten million seeds that belong to this run's RECALL_RANK_SEED and share alone."""
    return (SEED * _PARTS + _PART - 1) * 10_000_000


def tried(count: int) -> None:
    """Tell the report of tests/reliability how many cases the running test has tried; counts of one test add up."""
    _TRIED.append(count)


def take_tried() -> int:
    """Return the sum of what was told since the last call."""
    total = sum(_TRIED)
    _TRIED.clear()
    return total
