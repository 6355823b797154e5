"""Stage: a candidate's score becomes the chance that it is relevant."""

from __future__ import annotations

from collections.abc import Iterable

from recall_rank import weights
from recall_rank.candidate import Candidate


def calibrate(candidates: Iterable[Candidate]) -> None:
    """Replace every score s by s / (s + HALF)."""
    for candidate in candidates:
        candidate.score = candidate.raw / (candidate.raw + weights.HALF)
