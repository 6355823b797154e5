"""A part on its way to a result: what the stages hand to each other."""

from __future__ import annotations

from recall_rank._core.candidate import BOOSTS, Candidate
from recall_rank._core.features import FEATURE_NAMES

__all__ = ("BOOSTS", "COVERAGE", "MATCHED", "NEAR", "PHRASE", "WIDTH", "WORDS", "Candidate")

# places in Candidate.features, named and explained by recall_rank._core.features
COVERAGE, PHRASE, NEAR, MATCHED, WORDS = map(FEATURE_NAMES.index, ("coverage", "phrase", "near", "matched", "words"))
WIDTH = len(FEATURE_NAMES)
