"""A part on its way to a result: what the stages hand to each other."""

from __future__ import annotations

from recall_rank._core.rank.candidate import BOOSTS, Candidate
from recall_rank._core.rank.features import FEATURE_NAMES

__all__ = ("BOOSTS", "WIDTH", "Candidate")

WIDTH = len(FEATURE_NAMES)
