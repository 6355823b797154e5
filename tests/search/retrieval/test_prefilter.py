"""The compiled query that evidence is accumulated for."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.search.compiled_query import CompiledQuery
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.model import Session
from recall_rank.search.expansion.expand import expand
from recall_rank.search.filters.eligible import eligible_set
from recall_rank.search.options import Options
from recall_rank.search.query import Query
from recall_rank.search.retrieval.prefilter import class_weights, prefilter
from tests.support.index.cutting import Cut, cuts, joined
from tests.support.search.samples import NOW, session
from tests.support.search.strategies import WORDS, histories

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True).flatmap(
    lambda few: st.lists(st.sampled_from(few), min_size=1, max_size=9)
)


NORMS = memoryview(bytes(4 * 64 * 1024)).cast("f", (64, 1024))


def scores(segment: IndexReader, text: str, *, apart: bool = False) -> list[float]:
    """The evidence of every part; with `apart`, no two groups have equal members, though nearly."""
    query = Query.parse(text, NOW, Options(scope="global"))
    eligible = eligible_set(segment, query)
    expansion = expand(query, segment, eligible)
    if apart:
        for at, group in enumerate(expansion.groups):
            group.members = [(first, last, near * (1 + at * 1e-6)) for first, last, near in group.members]
    found = prefilter(segment, query, expansion, eligible)
    values = array("f", [-1.0]) * segment.parts
    found.write_scores(values)
    return list(values)


@given(histories(), st.none() | cuts, words)
def test_a_repeated_word_counts_again(history: list[Session], cut: Cut | None, asked: list[str]) -> None:
    segment, text = joined(history, cut), " ".join(asked)
    assert scores(segment, text) == pytest.approx(scores(segment, text, apart=True), rel=1e-3, abs=1e-6)


def test_a_repeated_word_is_looked_up_once() -> None:
    segment = IndexReader([build([session("s", "lantern harbor", "lantern")])])
    query = Query.parse("lantern harbor lantern, harbor lantern", NOW, Options(scope="global"))
    groups = expand(query, segment, eligible_set(segment, query)).groups
    assert sorted(group.written for group in groups if group.span == 1) == ["harbor"] * 2 + ["lantern"] * 3
    assert len(CompiledQuery(groups, 1.2, NORMS, class_weights(query.weights.kind))) == 2 + sum(
        group.span > 1 for group in groups
    )
