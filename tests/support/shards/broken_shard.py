"""A shard that answers in another way than a shard does, for tests."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recall_rank.index.segment.build import build
from recall_rank.index.shards.questions import ShardReply, ShardRequest
from tests.support.shards.lanterns import history
from tests.support.shards.wire_shard import WireShard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recall_rank.model import Session


def segments_shard(name: str) -> WireShard:
    """Return a shard of a history that answers as it should."""
    return WireShard(name, [build(history(name))], [frozenset()])


class BrokenShard(WireShard):
    """A shard of which `submit` is replaced."""

    def __init__(
        self,
        name: str,
        answer: Callable[[WireShard, ShardRequest], Future[ShardReply]],
        sessions: Sequence[Session] | None = None,
    ) -> None:
        super().__init__(name, [build(sessions or history(name))], [frozenset()])
        self.broken = answer

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        return self.broken(self, request)


def done(reply: object) -> Future[Any]:
    """Return a future with this result, or with this exception."""
    future: Future[Any] = Future()
    if isinstance(reply, Exception):
        future.set_exception(reply)
    else:
        future.set_result(reply)
    return future


def changed(shard: WireShard, request: ShardRequest, **fields: Any) -> Future[Any]:
    """Answer as the shard does, with other values in the answer."""
    reply = WireShard.submit(shard, request).result()
    assert reply.answer is not None
    known = {name: value for name, value in fields.items() if hasattr(reply.answer, name)}
    return done(replace(reply, answer=replace(reply.answer, **known)))
