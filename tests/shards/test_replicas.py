"""Replicas of a shard: the first answer is taken, and the next one is asked when one is late or wrong."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.index.segment.build import build
from recall_rank.index.shards.questions import ScanQuestion, ShardReply, ShardRequest
from recall_rank.shards.contract import ShardContents
from recall_rank.shards.process_shard import ProcessShard
from recall_rank.shards.replicas import PATIENCE_MS, TOLD, ReplicatedShard
from recall_rank.shards.shards import Shards
from tests.support.search.responses import told
from tests.support.search.samples import ENOUGH_MS, NOW, session
from tests.support.shards.wire_shard import WireShard

SEGMENT = build([session("a", "the lantern of the harbor", updated=NOW)])
REQUEST = ShardRequest("generation of a", ScanQuestion("lantern", False, None))


class Replica(WireShard):
    """A replica that counts what it is asked, and answers only when it is told to, or at once."""

    def __init__(self, reply: ShardReply | Exception | None = None, *, at_once: bool = False) -> None:
        super().__init__("a", [SEGMENT], [frozenset()])
        self.asked: list[Future[ShardReply]] = []
        self.closed = False
        self._reply, self._at_once = reply, at_once

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        if self._at_once:
            future = super().submit(request)
        else:
            future = Future()
            if isinstance(self._reply, Exception):
                future.set_exception(self._reply)
            elif self._reply is not None:
                future.set_result(self._reply)
        self.asked.append(future)
        return future

    def close(self) -> None:
        self.closed = True


class Gone(Replica):
    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        raise OSError("no route")

    def contents(self) -> ShardContents:
        raise OSError("no such folder")


def reply_of(shard: ReplicatedShard) -> ShardReply:
    return shard.submit(REQUEST).result(20)


def test_the_first_alone_is_asked_while_it_answers() -> None:
    first, second = Replica(at_once=True), Replica(at_once=True)
    shard = ReplicatedShard([first, second])
    assert reply_of(shard).answer is not None
    time.sleep(3 * PATIENCE_MS / 1000)
    assert (len(first.asked), len(second.asked)) == (1, 0)


@pytest.mark.parametrize(
    "first", [Replica(ShardReply("", None, "disk is gone")), Replica(RuntimeError("oom")), Gone(), Replica()]
)
def test_the_next_is_asked_when_one_is_wrong_or_late(first: Replica) -> None:
    second = Replica(at_once=True)
    assert reply_of(ReplicatedShard([first, second])).answer is not None
    assert len(second.asked) == 1


class NoFuture(Replica):
    def submit(self, request: ShardRequest) -> Any:
        return None


class Cancelled(Replica):
    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        future: Future[ShardReply] = Future()
        future.cancel()
        return future


@pytest.mark.parametrize("wrong", [NoFuture(), Cancelled()])
def test_a_replica_that_gives_no_reply_is_passed_over(wrong: Replica) -> None:
    assert reply_of(ReplicatedShard([wrong, Replica(at_once=True)])).answer is not None
    assert reply_of(ReplicatedShard([wrong, wrong])).problem


def test_a_replica_that_is_being_asked_still_counts() -> None:
    """The first fails while submit() of the second has not returned yet; the answer of the second is taken."""
    first = Replica()

    class Slow(Replica):
        def submit(self, request: ShardRequest) -> Future[ShardReply]:
            first.asked[0].set_exception(RuntimeError("oom"))
            return super().submit(request)

    assert reply_of(ReplicatedShard([first, Slow(at_once=True)])).answer is not None


def test_contents_start_every_replica(tmp_path: Path) -> None:
    Index.build([session("a", "the lantern of the harbor", updated=NOW)], folder=tmp_path / "a").close()
    replicas = [ProcessShard(tmp_path / "a", name) for name in ("one", "two")]
    with Shards([ReplicatedShard(replicas, "copies")]) as shards:
        assert all(replica.pid for replica in replicas)
        assert replicas[0].pid is not None
        os.kill(replicas[0].pid, signal.SIGKILL)
        for _ in range(3):
            assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).total == 1


def test_the_late_one_is_cancelled_when_another_has_answered() -> None:
    late, second = Replica(), Replica(at_once=True)
    assert reply_of(ReplicatedShard([late, second])).answer is not None
    (asked,) = late.asked
    end = time.monotonic() + 20
    while not asked.cancelled() and time.monotonic() < end:
        time.sleep(0.01)
    assert asked.cancelled()


def test_the_late_one_may_still_be_the_first() -> None:
    late, silent = Replica(), Replica()
    future = ReplicatedShard([late, silent]).submit(REQUEST)
    end = time.monotonic() + 20
    while not silent.asked and time.monotonic() < end:
        time.sleep(0.01)
    assert len(silent.asked) == 1
    late.asked[0].set_result(ShardReply("generation of a", None, "disk is gone"))
    assert not future.done()
    silent.asked[0].set_result(WireShard.submit(silent, REQUEST).result())
    assert future.result(20).answer is not None


def test_without_any_answer_the_last_problem_is_told() -> None:
    shard = ReplicatedShard([Gone(), Replica(RuntimeError("oom")), Replica(ShardReply("", None, "disk is gone"))])
    reply = reply_of(shard)
    assert (reply.answer, reply.problem) == (None, "disk is gone")


def test_who_asked_and_gave_up_cancels_all_that_was_asked() -> None:
    first, second = Replica(), Replica()
    future = ReplicatedShard([first, second]).submit(REQUEST)
    assert future.cancel()
    assert first.asked[0].cancelled()
    time.sleep(3 * PATIENCE_MS / 1000)
    assert not second.asked


def test_patience_is_the_95th_percentile_of_the_last_answers() -> None:
    shard = ReplicatedShard([Replica(at_once=True)])
    assert shard.patience_ms == PATIENCE_MS
    for _ in range(TOLD):
        reply_of(shard)
    assert 0 < shard.patience_ms < PATIENCE_MS


def test_contents_are_those_of_a_replica_that_can_be_read() -> None:
    replicas = [Gone(), Replica(at_once=True)]
    shard = ReplicatedShard(replicas, "copies")
    with Shards([shard]) as shards:
        one = Index.build([session("a", "the lantern of the harbor", updated=NOW)])
        assert shards.names == ("copies",)
        assert told(shards.search("lantern", now=NOW)) == told(one.search("lantern", now=NOW))
    assert all(replica.closed for replica in replicas)
    with pytest.raises(OSError, match="no such folder"):
        ReplicatedShard([Gone()]).contents()
    with pytest.raises(ValueError, match="at least one"):
        ReplicatedShard([])


def test_a_replica_in_another_state_is_no_answer() -> None:
    stale: Any = Replica(ShardReply("another", None, "its index is in another state"))
    with Shards([ReplicatedShard([stale, Replica(at_once=True)])]) as shards:
        assert shards.search("lantern", now=NOW).coverage.not_reached == ()
