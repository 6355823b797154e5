"""The documents that have a score."""

from __future__ import annotations

from collections.abc import Sequence


def taken(scores: Sequence[float]) -> list[tuple[int, float]]:
    return [(doc, score) for doc, score in enumerate(scores) if score]
