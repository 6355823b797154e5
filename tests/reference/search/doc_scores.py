"""Scores of a block, collected one by one."""

from __future__ import annotations

from collections.abc import Sequence


def nonzero_scores(scores: Sequence[float]) -> list[tuple[int, float]]:
    """(index, score) of the scores that are not 0, ascending."""
    return [(doc, score) for doc, score in enumerate(scores) if score]
