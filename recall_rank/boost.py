"""Stage: structural boosts. Each adds a bounded share of a candidate's own evidence: they reorder neighbours."""

from __future__ import annotations

from recall_rank import weights
from recall_rank.candidate import CUES, NEAR, PHRASE, WINDOW, Candidate
from recall_rank.index.segment import Segment
from recall_rank.query import Query

DAY_MS = 86_400_000


def boost(segment: Segment, query: Query, candidates: list[Candidate]) -> None:
    """Fill score and explain: the explained parts add up to the score before calibration."""
    several = sum(word.counts for word in query.words) > 1
    for candidate in candidates:
        base = candidate.evidence
        parts = {"evidence": base}
        row = candidate.features
        if row:
            parts["window"] = base * weights.WINDOW * row[WINDOW]
            if several:
                parts["phrase"] = base * weights.PHRASE * row[PHRASE]
                parts["near"] = base * weights.NEAR * row[NEAR]
            if candidate.quoted:
                parts["quoted"] = base * weights.QUOTED * candidate.quoted
            if candidate.whole:
                parts["whole_query"] = base * weights.WHOLE_QUERY * candidate.whole
            if row[CUES]:
                parts["cue"] = base * weights.CUE
        if candidate.similarity:
            parts["scorer"] = base * weights.SCORER * candidate.similarity
        if query.options.extra_scores:
            parts["extra"] = weights.EXTRA * _extra(query, segment.part_ids[candidate.part])
        age = query.now - segment.message_time[segment.part_message[candidate.part]]
        parts["recency"] = base * weights.RECENCY * max(0.0, 1 - max(0, age) / (weights.RECENCY_DAYS * DAY_MS))
        candidate.explain = parts
        candidate.score = sum(parts.values())


def _extra(query: Query, part_id: str) -> float:
    """The caller's own signal for a part, kept within 0 to 1; 0 where there is none."""
    scores = query.options.extra_scores or {}
    return min(1.0, max(0.0, float(scores.get(part_id, 0.0))))
