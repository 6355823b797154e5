"""Stage: structural boosts. Each adds a bounded share of a candidate's own evidence: they reorder neighbours."""

from __future__ import annotations

from collections.abc import Mapping

from recall_rank import weights
from recall_rank.candidate import CUES, NEAR, PHRASE, WINDOW, Candidate
from recall_rank.index.searched import Searched
from recall_rank.query import Query

DAY_MS = 86_400_000


def boost(segment: Searched, query: Query, candidates: list[Candidate]) -> None:
    """Fill boosts, extra, raw and score; boosts are shares of the evidence in the order of candidate.BOOSTS."""
    several = sum(word.counts for word in query.words) > 1
    phrase, near = (weights.PHRASE, weights.NEAR) if several else (0.0, 0.0)
    fade = weights.RECENCY / (weights.RECENCY_DAYS * DAY_MS)
    now, extra_scores = query.now, query.options.extra_scores
    for candidate in candidates:
        row = candidate.features
        age = now - candidate.time
        candidate.boosts = shares = (
            weights.WINDOW * row[WINDOW],
            phrase * row[PHRASE],
            near * row[NEAR],
            weights.QUOTED * candidate.quoted,
            weights.WHOLE_QUERY * candidate.whole,
            weights.CUE if row[CUES] else 0.0,
            weights.SCORER * candidate.similarity,
            weights.RECENCY if age <= 0 else max(0.0, weights.RECENCY - fade * age),
        )
        if extra_scores:
            candidate.extra = weights.EXTRA * _extra(extra_scores, segment.part_ids[candidate.part])
        candidate.raw = candidate.score = candidate.evidence * (1.0 + sum(shares)) + candidate.extra


def _extra(scores: Mapping[str, float], part_id: str) -> float:
    """The caller's own signal for a part, kept within 0 to 1; 0 where there is none."""
    return min(1.0, max(0.0, float(scores.get(part_id, 0.0))))
