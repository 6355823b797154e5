"""Candidates: made of hits, reset, and explained."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.rank.candidate import Candidate, candidates_of
from recall_rank._core.rank.rerank import boost
from recall_rank._core.search.hits import Hits
from recall_rank.search.ranking.rerank import BoostWorth
from tests.support.kernels.inputs import hit_rows

WORTH = BoostWorth(0.5, 0.25, 0.125, 1.0, 2.0, 0.75, 0.5, missing=0.5, scattered=0.25, repeated=1.0)
LONG_PART = 8


@given(hit_rows, st.floats(0.1, 9))
def test_a_hit_becomes_a_candidate(hits: list[tuple[int, int, float, float, int]], ceiling: float) -> None:
    times = list(range(-2, len(hits) - 2))
    found = candidates_of(Hits(hits), times, ceiling)
    for (part, doc, evidence, _, tier), time, one in zip(hits, times, found, strict=True):
        slow = Candidate(part, doc, evidence / ceiling, time, "scan" if tier else "prefilter")
        names = (
            "part",
            "doc",
            "time",
            "evidence",
            "raw",
            "score",
            "names",
            "confidence",
            "stage",
            "features",
            "boosts",
        )
        for name in names:
            assert getattr(one, name) == getattr(slow, name)


def test_every_hit_has_a_time() -> None:
    with pytest.raises(ValueError, match="1 hits, not 0"):
        candidates_of(Hits([(0, 0, 1.0, 1.0, 0)]), [], 1.0)


def test_a_candidate_is_reset_to_its_evidence() -> None:
    candidate = Candidate(1, 2, 0.5, 3, "scan")
    assert (candidate.features, candidate.boosts) == ((), ())
    assert (candidate.score, candidate.raw, candidate.confidence, candidate.stage) == (0.5, 0.5, "low", "scan")
    candidate.features, candidate.names = range(12), [["tide"]]
    assert candidate.features == tuple(map(float, range(12)))
    candidate.quoted = candidate.extra = candidate.meaning = 1.0
    boost([candidate], WORTH, LONG_PART)
    assert candidate.boosts
    assert candidate.score != 0.5
    candidate.forget()
    assert (candidate.features, candidate.boosts, candidate.names) == ((), (), [])
    assert (candidate.score, candidate.raw, candidate.own) == (0.5, 0.5, 0.5)
    assert (candidate.quoted, candidate.extra, candidate.meaning) == (0.0, 0.0, 0.0)
    assert candidate.explain() == {"evidence": 0.5}


@pytest.mark.parametrize("count", [0, 11, 13])
def test_features_have_one_number_a_name(count: int) -> None:
    with pytest.raises(ValueError, match=f"12 features, not {count}"):
        Candidate(1, 2, 0.5).features = [0.0] * count


def test_one_takes_the_rank_of_another() -> None:
    title, content = Candidate(1, 2, 0.5, 3, "score"), Candidate(4, 5, 0.25, 6)
    title.extra, title.meaning, title.others = 0.5, 0.125, 0.25
    boost([title], WORTH, LONG_PART)
    content.take_rank_of(title)
    assert (content.part, content.doc, content.time) == (4, 5, 6)
    for name in ("evidence", "boosts", "extra", "meaning", "others", "raw", "score", "stage"):
        assert getattr(content, name) == getattr(title, name)
    assert content.explain() == title.explain()
    assert (content.own, title.own) == (0.25, title.evidence * (1 + sum(title.boosts)) + 0.625)


def test_a_candidate_without_a_score_has_nothing_to_explain() -> None:
    assert Candidate(0, 0, 0.0).explain() == {}
