"""Several shards answer as one index of all their sessions."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recall_rank.corpus import Index, index_of_segments
from recall_rank.model import Session
from recall_rank.shards.shards import Shards
from tests.support.examples import examples
from tests.support.index.cutting import Cut, cut_up, cuts
from tests.support.search.responses import alike, options, told
from tests.support.search.samples import ENOUGH_MS, NOW, ask
from tests.support.search.strategies import histories, query
from tests.support.shards.wire_shard import WireShard
from tests.support.soak import times

splits = st.lists(st.integers(0, 8), min_size=6, max_size=6)


@examples(times(150, 2_000))
@given(histories(), cuts, splits, st.lists(st.tuples(query, options), min_size=1, max_size=4))
def test_shards_answer_as_one_index(
    history: list[Session], cut: Cut, split: list[int], asked: list[tuple[str, dict[str, Any]]]
) -> None:
    segments, dead = cut_up(history, cut)
    of_shards: dict[int, list[int]] = {}
    for number in range(len(segments)):
        of_shards.setdefault(split[number], []).append(number)
    shards = Shards(
        WireShard(f"shard {shard}", [segments[number] for number in own], [dead[number] for number in own])
        for shard, own in sorted(of_shards.items())
    )
    order = [number for _, own in sorted(of_shards.items()) for number in own]
    one = index_of_segments([segments[number] for number in order], [dead[number] for number in order])
    whole = Index.build(history)
    for text, chosen in asked:
        if chosen["match"] == "regex":
            text = r"l.mit|\blan"
        response = told(shards.search(text, now=NOW, budget_ms=ENOUGH_MS, **chosen))
        assert response == told(ask(one, text, **chosen))
        assert alike(response, told(ask(whole, text, **chosen)))
