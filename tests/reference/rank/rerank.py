"""Slow versions of reranking: what is read of one candidate after the other, its score, and the order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.reference.index.doc_columns import PROSE
from tests.reference.text.substring_scan import first_standalone

REACH = 65_536
USER, ORDER = 1, 11  # kinds of a person's words to an agent


@dataclass(slots=True, frozen=True)
class Measured:
    """What measure() reads of a candidate besides its features."""

    doc: int
    at: int  # the byte at which the whole query occurs, -1 for nowhere
    alone: bool  # whether that is outside of a longer name
    quoted: float


def measure(
    candidate: tuple[int, int],
    row: Sequence[float],
    text: bytes,
    starts: tuple[Sequence[int], Sequence[int], Sequence[int]],
    whole: bytes,
    phrases: Sequence[bytes],
    least_phrase: float,
) -> Measured:
    """What SegmentTexts.measure() reads of a candidate (part, doc) whose passage has the features `row`.

    starts are doc_start, part_start and part_first_doc. Capital letters of the text that are not ASCII match nothing.
    """
    (part, doc), (doc_start, part_start, part_first_doc) = candidate, starts
    at, alone = -1, False
    if whole and row[2] > least_phrase:
        low, high = max(part_start[part], doc_start[doc] - REACH), min(part_start[part + 1], doc_start[doc + 1] + REACH)
        ((at, alone),) = first_standalone(text, [low], [high], whole, 16)
        if at >= 0:
            doc = max(k for k in range(part_first_doc[part], part_first_doc[part + 1]) if doc_start[k] <= at)
    low, high = max(part_start[part], doc_start[doc] - REACH), min(part_start[part + 1], doc_start[doc + 1] + REACH)
    quoted = sum(phrase in text[low:high].lower() for phrase in phrases) / max(1, len(phrases))
    return Measured(doc, at, alone, quoted)


@dataclass
class Candidate:
    """What a candidate's score is made of; features are coverage, window, phrase, near, matched, words and cues."""

    evidence: float
    features: tuple[float, float, float, float, float, float, float]
    kind: int = 0
    people: bool = False
    size: int = 0
    quoted: float = 0.0
    whole: float = 0.0
    similarity: float = 0.0
    extra: float = 0.0
    meaning: float = 0.0
    boosts: tuple[float, ...] = ()
    score: float = 0.0
    time: int = 0


def boost(candidates: Sequence[Candidate], worth: Any, long_part: float) -> None:
    """Each boost by itself; `worth` has an attribute for each."""
    for one in candidates:
        coverage, window, phrase, near, matched, words, cues = one.features
        agent = not one.people
        prose, asks = agent and one.kind == PROSE, agent and one.kind in {USER, ORDER}
        measures = {
            "window": window,
            "phrase": phrase,
            "near": near,
            "quoted": one.quoted,
            "whole_query": one.whole,
            "cue": float(cues > 0),
            "scorer": one.similarity,
            "missing": coverage - 1 if agent else 0.0,
            "scattered": (window - 1) * min(1.0, one.size / long_part) if prose else 0.0,
            "repeated": coverage * min(1.0, matched / max(1.0, words)) if asks else 0.0,
        }
        one.boosts = tuple(getattr(worth, name) * value for name, value in measures.items())
        one.score = one.evidence * (1 + sum(one.boosts)) + one.extra + one.meaning


def order(candidates: Sequence[Any], names: Callable[[Any], Any]) -> list[Any]:
    """One sort by a key of score, time and names."""
    return sorted(candidates, key=lambda one: (-one.score, -one.time, names(one)))


def diversify(scores: Sequence[float], sessions: Sequence[int], most: int, share: float) -> list[int]:
    """One sort by the scores, after those of crowded sessions were lowered."""
    lowered = [score * share ** max(0, sessions[: k + 1].count(sessions[k]) - most) for k, score in enumerate(scores)]
    return sorted(range(len(scores)), key=lowered.__getitem__, reverse=True)
