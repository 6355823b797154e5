"""JSON values of types that nobody expects: what a damaged or newer program may write."""

from __future__ import annotations

import copy
import random
from typing import Any

ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 2**70, float("nan"), "", "x", "{}", "[1]", "\ud800"),
    *([], [1, None, ["a"]], {}, {"a": [1]}, {"type": ["x"]}, ["x", {"type": {"a": 1}}]),
)


def oddly(value: Any, seed: int, share: float = 0.05) -> Any:
    """The value with a share of what is in it replaced or left out, the same for the same seed."""
    return _oddly(value, random.Random(seed), share)


def _oddly(value: Any, chance: random.Random, share: float) -> Any:
    if chance.random() < share:
        return copy.deepcopy(chance.choice(ODD))
    if isinstance(value, dict):
        return {key: _oddly(held, chance, share) for key, held in value.items() if chance.random() > share / 2}
    return [_oddly(held, chance, share) for held in value] if isinstance(value, list) else value
