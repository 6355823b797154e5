"""A worker keeps the evidence of a search until the search has ended, and few others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from recall_rank.index.segment.build import build
from recall_rank.index.shards.questions import NearQuestion, ShardRequest
from recall_rank.shards import kept_evidence
from recall_rank.shards.kept_evidence import LONGEST_NS, KeptEvidence, ReadEvidence
from recall_rank.shards.shards import Shards
from recall_rank.shards.wire import from_bytes, to_bytes
from recall_rank.shards.worker import HIT_BYTES
from tests.support.search.samples import ENOUGH_MS, NOW
from tests.support.shards.lanterns import history
from tests.support.shards.wire_shard import WireShard

if TYPE_CHECKING:
    from recall_rank._core.search.evidence import Evidence


def evidence(name: str, size: int = 1) -> ReadEvidence:
    return ReadEvidence(cast("Evidence", name), 1, True, size)


def kept(keeping: KeptEvidence) -> list[str]:
    return list(keeping._kept)


def test_what_a_search_asked_about_is_dropped_with_the_next_search() -> None:
    each = [WireShard(name, [build(history(name))], [frozenset()]) for name in ("a", "b")]
    shards = Shards(each)
    seen: set[str] = set()
    for query in ("lantern", "rope", "lantrn", '"the lantern"', "zyzzyva"):
        shards.search(query, now=NOW, budget_ms=ENOUGH_MS, offset=10)
        for shard in each:
            assert not seen & set(kept(shard.worker._kept)), "nothing of an earlier search is kept"
        seen.update(*(kept(shard.worker._kept) for shard in each))
    assert len(seen) >= 4
    assert all(len(done) <= 4 for done in shards._current.group._done)


def test_a_search_that_fails_has_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from recall_rank.search import engine

    shard = WireShard("a", [build(history("a"))], [frozenset()])
    shards = Shards([shard])

    def failing(*_: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(engine, "calibrate", failing)
        with pytest.raises(MemoryError):
            shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS)
    before = set(kept(shard.worker._kept))
    assert before
    shards.search("rope", now=NOW, budget_ms=ENOUGH_MS)
    assert not before & set(kept(shard.worker._kept))


def test_the_size_of_an_evidence_grows_with_its_hits() -> None:
    shard = WireShard("a", [build(history("a"))], [frozenset()])
    shards = Shards([shard])
    shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS)
    (read,) = (read for _, read in shard.worker._kept._kept.values())
    assert read.size >= 6 * HIT_BYTES


def test_keys_that_are_not_known_are_no_problem_and_what_is_no_list_is_one() -> None:
    shard = WireShard("a", [build(history("a"))], [frozenset()])
    request = ShardRequest("generation of a", NearQuestion(b"lantrn", 1), 0, ["never seen"])
    assert from_bytes(shard.worker.answer_bytes(to_bytes(request))).answer is not None
    for wrong in (7, [["a"]]):
        request = ShardRequest("generation of a", NearQuestion(b"lantrn", 1), 0, cast("Any", wrong))
        reply = from_bytes(shard.worker.answer_bytes(to_bytes(request)))
        assert reply.answer is None
        assert reply.problem.startswith("TypeError")


def test_evidences_are_bounded_by_number_and_bytes_without_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_evidence, "MOST", 3)
    monkeypatch.setattr(kept_evidence, "MOST_BYTES", 10)
    keeping = KeptEvidence()
    for name in "abcd":
        keeping.put(name, evidence(name))
    assert kept(keeping) == ["b", "c", "d"]
    keeping.put("e", evidence("e", 1_000))
    assert kept(keeping) == ["c", "d", "e"]
    keeping.put("f", evidence("f", 5))
    assert kept(keeping) == ["f"], "1,000 bytes are too many behind the newest"
    keeping.put("g", evidence("g", 1))
    assert keeping.take("f") == evidence("f", 5)
    assert keeping.take("f") is None
    keeping.drop(["g", "never seen"])
    assert (len(keeping), keeping._size) == (0, 0)


def test_an_evidence_that_was_not_asked_for_long_is_dropped() -> None:
    now = 0
    keeping = KeptEvidence(lambda: now)
    keeping.put("a", evidence("a"))
    now = LONGEST_NS
    keeping.put("b", evidence("b"))
    assert kept(keeping) == ["a", "b"]
    now += 1
    keeping.put("b", evidence("b"))
    assert kept(keeping) == ["b"]
