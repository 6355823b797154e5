"""Several shards answer as one index of all their sessions."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from recall_rank.corpus import Index, index_of_segments
from recall_rank.index.segment.build import build
from recall_rank.index.shards.questions import ScanAnswer, ScanQuestion, ShardRequest
from recall_rank.model import Session
from recall_rank.shards.shards import Shards
from recall_rank.shards.worker import CHANGED
from tests.support.examples import examples
from tests.support.index.cutting import Cut, cut_up, cuts
from tests.support.search.responses import alike, options, told
from tests.support.search.samples import DAY_MS, ENOUGH_MS, NOW, ask, message, session
from tests.support.search.strategies import histories, query
from tests.support.shards.wire_shard import WireShard
from tests.support.soak import times

splits = st.lists(st.integers(0, 8), min_size=6, max_size=6)


@examples(times(150, 2_000))
@example([], Cut(1, (0,) * 6, ()), [0] * 6, [("\ud800", {"match": "literal"})])
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


def test_equal_hits_of_several_shards_stand_newest_first() -> None:
    said = "the lantern of the harbor"
    made = [
        session(f"s{at}", message(f"s{at}.0", said, time=NOW - (50 - at) * DAY_MS), updated=NOW - at)
        for at in range(50)
    ]
    shards = Shards(WireShard(f"{at}", [build(made[at::2])], [frozenset()]) for at in range(2))
    one = Index.build(made)
    for offset in (0, 30):  # behind the hits that are reranked, the order is that of evidence
        response = told(shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, offset=offset))
        assert response == told(ask(one, "lantern", offset=offset))
        assert response["results"][0]["session_id"] == f"s{49 - offset}"


def test_a_worker_says_when_its_index_is_in_another_state() -> None:
    own = session("a", "the lantern of the harbor", updated=NOW)
    shard = WireShard("a", [build([own])], [frozenset()])
    reply = shard.worker.answer(ShardRequest("an older generation", ScanQuestion("lantern", False, None)))
    assert (reply.generation, reply.answer, reply.problem) == ("generation of a", None, CHANGED)
    reply = shard.worker.answer(ShardRequest("generation of a", ScanQuestion("lantern", False, None)))
    assert isinstance(reply.answer, ScanAnswer)
    assert list(reply.answer.parts) == [1]
