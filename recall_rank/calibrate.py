"""Stage: a candidate's score becomes the chance that it is relevant."""

from __future__ import annotations

from collections.abc import Iterable

from recall_rank import weights
from recall_rank.candidate import Candidate


def calibrate(candidates: Iterable[Candidate]) -> None:
    """Replace every score s by s / (s + HALF), and scale its explanation so that it still adds up."""
    for candidate in candidates:
        raw = candidate.score
        candidate.score = raw / (raw + weights.HALF)
        if raw > 0:
            candidate.explain = {name: value * candidate.score / raw for name, value in candidate.explain.items()}
