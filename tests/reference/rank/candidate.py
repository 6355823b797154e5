"""The score of a candidate, and the order of candidates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Candidate:
    """What a candidate's score is made of; features are window, phrase, near and cues."""

    evidence: float
    time: int
    features: tuple[float, float, float, float]
    quoted: float = 0.0
    whole: float = 0.0
    similarity: float = 0.0
    extra: float = 0.0
    boosts: tuple[float, ...] = ()
    score: float = 0.0


def boost(candidates: Sequence[Candidate], worth: Sequence[float], now: int, fade: float) -> None:
    """Each share by itself; what was said today or later is as recent as it gets."""
    for one in candidates:
        window, phrase, near, cues = one.features
        there = (window, phrase, near, one.quoted, one.whole, float(cues > 0), one.similarity)
        recency = max(0.0, worth[7] - fade * max(0, now - one.time))
        one.boosts = (*(share * value for share, value in zip(worth, there, strict=False)), recency)
        one.score = one.evidence * (1 + sum(one.boosts)) + one.extra


def around(
    found: Sequence[tuple[int, int]], doc_start: Sequence[int], part_start: Sequence[int], reach: int
) -> tuple[list[int], list[int]]:
    return (
        [max(part_start[part], doc_start[doc] - reach) for part, doc in found],
        [min(part_start[part + 1], doc_start[doc + 1] + reach) for part, doc in found],
    )


def in_turns(scores: Sequence[float], sessions: Sequence[int], most: int, share: float) -> list[int]:
    places = [score * share ** max(0, sessions[: k + 1].count(sessions[k]) - most) for k, score in enumerate(scores)]
    return sorted(range(len(scores)), key=places.__getitem__, reverse=True)


def signs_of(candidate: Any, words: float, plenty: float, least: float) -> list[float]:
    coverage, _, _, near, matched, *_ = row = candidate.features or [0.0] * 11
    return [
        math.log(candidate.raw / (candidate.raw + plenty) + least),
        candidate.whole,
        coverage,
        near,
        math.log(row[8] + 1),  # the passage's words
        words - matched,
    ]


def chance_of(coefficients: Sequence[float], signs: Sequence[float]) -> float:
    """Logistic in the first of the signs."""
    return 1 / (1 + math.exp(-sum(c * sign for c, sign in zip(coefficients, signs, strict=False))))


def best_first(candidates: Sequence[Any], names: Callable[[Any], Any]) -> list[Any]:
    """Sorted by all there is to sort by."""
    return sorted(candidates, key=lambda one: (-one.score, -one.time, names(one)))
