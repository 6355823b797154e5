"""What is handed to the accumulation of evidence."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import pytest
from engine.cutting import Cut, cuts, joined
from engine.samples import NOW, session
from engine.strategies import WORDS, histories
from hypothesis import given
from hypothesis import strategies as st

from recall_rank import prefilter as stage
from recall_rank.eligible import eligible
from recall_rank.expand import expand
from recall_rank.index.build import build
from recall_rank.index.joined import JoinedSegment
from recall_rank.index.segment import Segment
from recall_rank.model import Session
from recall_rank.query import Options, Query

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True).flatmap(
    lambda few: st.lists(st.sampled_from(few), min_size=1, max_size=9)
)


def scores(segment: Segment | JoinedSegment, text: str) -> list[float]:
    query = Query.parse(text, NOW, Options(scope="global"))
    allowed = eligible(segment, query, 0)
    expansion = expand(query, segment, allowed.documents, allowed.docs)
    found = stage.prefilter(
        segment, query, expansion, allowed.documents, allowed.words, allowed.docs, None, groups=expansion.groups
    )
    values = array("f", [-1.0]) * segment.parts
    found.write_scores(values)
    return list(values)


@given(histories(), st.none() | cuts, words)
def test_a_word_that_is_asked_for_again_counts_again(history: list[Session], cut: Cut | None, asked: list[str]) -> None:
    segment, text = joined(history, cut), " ".join(asked)
    found = scores(segment, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "_once", lambda groups: groups)
        assert found == pytest.approx(scores(segment, text), rel=1e-5, abs=1e-6)


def test_it_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    handed: list[Sequence[Any]] = []
    real = stage._once
    monkeypatch.setattr(stage, "_once", lambda groups: handed.append(real(groups)) or handed[-1])
    segment = build([session("s", "lantern harbor", "lantern")])
    scores(segment, "lantern harbor lantern, harbor lantern")
    [groups] = handed
    single = [group.written for group in groups if group.span == 1]
    assert sorted(single) == ["harbor", "lantern"]
