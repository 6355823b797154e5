"""A part on its way to a result: what the stages hand to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recall_rank._core.features import FEATURE_NAMES
from recall_rank.model import Confidence, Stage

# places in Candidate.features, named and explained by recall_rank._core.features
(COVERAGE, WINDOW, PHRASE, NEAR, MATCHED, EXACT, START, END, WORDS, CUES) = range(10)
WIDTH = len(FEATURE_NAMES)
BOOSTS = ("window", "phrase", "near", "quoted", "whole_query", "cue", "scorer", "recency")


@dataclass(slots=True)
class Candidate:
    """A part on its way to a result."""

    part: int
    doc: int
    evidence: float  # the prefilter's, with neighbours and session, over what the query could give at most
    time: int = 0  # of its message, ms
    features: Sequence[float] = ()
    quoted: float = 0.0  # share of the query's quoted phrases that stand there
    whole: float = 0.0  # the whole query stands there as it was written: 1 by itself, less inside a longer name
    similarity: float = 0.0  # rapidfuzz, 0 to 1; 0 where it did not run
    boosts: Sequence[float] = ()  # shares of the evidence, in the order of BOOSTS; empty where boost() did not run
    extra: float = 0.0  # the caller's own signal, weighted
    others: float = 0.0  # where sessions are ranked: what further messages of its session add
    raw: float = 0.0  # the score before calibration: evidence times (1 + boosts) plus extra and others
    score: float = 0.0
    sure: float = 0.0  # the chance that its session is the right one
    confidence: Confidence = "low"
    stage: Stage = "prefilter"

    @classmethod
    def of_evidence(cls, part: int, doc: int, evidence: float, time: int, stage: Stage = "prefilter") -> Candidate:
        """A candidate whose evidence is all that is known of it."""
        return cls(part, doc, evidence, time, raw=evidence, score=evidence, stage=stage)

    def forget(self) -> None:
        """Stand again for its evidence alone."""
        self.features = self.boosts = ()
        self.quoted = self.whole = self.similarity = self.extra = self.others = 0.0
        self.raw = self.score = self.evidence

    def explain(self) -> dict[str, float]:
        """What the score is made of, by name; the values add up to it."""
        if not self.raw:
            return {}
        scale = self.score / self.raw
        parts = {"evidence": self.evidence * scale}
        for name, share in zip(BOOSTS, self.boosts, strict=False):
            if share:
                parts[name] = self.evidence * share * scale
        if self.extra:
            parts["extra"] = self.extra * scale
        if self.others:
            parts["others"] = self.others * scale
        return parts
