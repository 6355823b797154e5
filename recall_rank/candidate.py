"""A part on its way to a result: what the stages hand to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from recall_rank._core.window import FEATURE_NAMES
from recall_rank.model import Stage

# places in Candidate.features, named and explained by recall_rank._core.window
(COVERAGE, WINDOW, PHRASE, NEAR, MATCHED, EXACT, START, END, WORDS, CUES) = range(10)
WIDTH = len(FEATURE_NAMES)


@dataclass(slots=True)
class Candidate:
    """A part on its way to a result."""

    part: int
    doc: int
    evidence: float  # the prefilter's, with neighbours and session, over what the query could give at most
    features: Sequence[float] = ()
    quoted: float = 0.0  # share of the query's quoted phrases that stand there
    whole: float = 0.0  # the whole query stands there as it was written: 1 by itself, less inside a longer name
    similarity: float = 0.0  # rapidfuzz, 0 to 1; 0 where it did not run
    score: float = 0.0
    stage: Stage = "prefilter"
    explain: dict[str, float] = field(default_factory=dict)
