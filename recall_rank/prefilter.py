"""Stage: which documents can answer, and with what evidence. Nothing is capped before relevance."""

from __future__ import annotations

from array import array
from functools import lru_cache

from recall_rank import weights
from recall_rank._core.evidence import Evidence
from recall_rank.expand import Expansion
from recall_rank.index.segment import Segment
from recall_rank.model import SUBAGENT_KIND

CLASSES, LONGEST = 64, 1024


def prefilter(
    segment: Segment,
    expansion: Expansion,
    documents: int,
    words: int,
    eligible: bytearray | None,
    only: bytearray | None,
    deadline_ns: int = 0,
) -> Evidence:
    """The evidence of every eligible document. `documents` and `words` are those of the eligible set."""
    evidence = Evidence(segment.layout, segment.postings, eligible)
    groups = expansion.groups
    starts = array("I", [0])
    firsts, lasts, worth = array("I"), array("I"), array("f")
    for group in groups:
        for first, last, weight in group.members:
            firsts.append(first)
            lasts.append(last)
            worth.append(weight)
        starts.append(len(firsts))
    average = words / documents if documents else 1.0
    evidence.accumulate(
        starts,
        firsts,
        lasts,
        worth,
        array("f", [group.factor for group in groups]),
        array("B", [group.joint for group in groups]),
        weights.K1,
        _norms(round(average, 1), weights.K1, weights.B, weights.LENGTH_FLOOR),
        class_weights(),
        deadline_ns,
    )
    around = array("f", [*weights.NEIGHBOURS_LOG, *weights.NEIGHBOURS_TALK])
    session = array("f", [weights.SESSION_LOG, weights.SESSION_TALK, weights.TITLE_LOG, weights.TITLE_TALK])
    evidence.fuse(around, session, only)
    return evidence


def class_weights() -> array[float]:
    """What each class of document is worth, f32[64]."""
    table = array("f", [0.0]) * CLASSES
    for kind, weight in weights.KIND.items():
        table[kind] = weight
        table[kind + SUBAGENT_KIND] = weight * weights.SUBAGENT
    return table


@lru_cache(maxsize=32)
def _norms(average: float, k1: float, b: float, floor: float) -> memoryview:
    """k1 * (1 - b + b * (words + floor) / (average + floor)) for every class and length, f32[64, 1024]."""
    row = array("f", (k1 * (1 - b + b * (words + floor) / (average + floor)) for words in range(LONGEST)))
    return memoryview(array("f", row.tolist() * CLASSES)).cast("B").cast("f", (CLASSES, LONGEST))
