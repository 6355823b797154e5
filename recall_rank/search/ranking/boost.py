"""Stage: structural boosts. Each adds a bounded share of a candidate's own evidence: they reorder neighbours."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from recall_rank._core.rank import candidate
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.search.query import Query
from recall_rank.search.ranking.candidate import Candidate

DAY_MS = 86_400_000


def boost(segment: IndexReader, query: Query, candidates: list[Candidate]) -> None:
    """Fill boosts, extra, raw and score; boosts are shares of the evidence in the order of candidate.BOOSTS."""
    weights, several = query.weights, query.counting > 1
    worth = (
        weights.window,
        weights.phrase if several else 0.0,
        weights.near if several else 0.0,
        weights.quoted,
        weights.whole_query,
        weights.cue,
        weights.scorer,
        weights.recency,
    )
    if signal := query.options.extra_scores:
        for each in candidates:
            each.extra = weights.extra * _extra(signal, segment.part_ids[each.part])
    candidate.boost(candidates, array("d", worth), query.now, weights.recency / (weights.recency_days * DAY_MS))


def _extra(scores: Mapping[str, float], part_id: str) -> float:
    """The caller's own signal for a part, kept within 0 to 1; 0 where there is none."""
    return min(1.0, max(0.0, float(scores.get(part_id, 0.0))))
