"""Shards in memory that are asked through the bytes of the wire, at once, in the thread that asks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import Future

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment
from recall_rank.index.shards.questions import ShardReply, ShardRequest
from recall_rank.shards.contract import ShardContents
from recall_rank.shards.wire import from_bytes, to_bytes
from recall_rank.shards.worker import ShardWorker


class WireShard:
    """A shard of segments in memory; questions and answers are written as bytes and read again."""

    def __init__(self, name: str, segments: Sequence[Segment], dead: Sequence[Collection[int]]) -> None:
        self.name = name
        self._contents = ShardContents(f"generation of {name}", segments, dead)
        self.worker = ShardWorker(self._load)
        self.moved = 0  # bytes

    def contents(self) -> ShardContents:
        return self._contents

    def _load(self) -> tuple[str, IndexReader]:
        return self._contents.generation, self._contents.reader

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        asked = to_bytes(request)
        answered = to_bytes(self.worker.answer(from_bytes(asked)))
        self.moved += len(asked) + len(answered)
        future: Future[ShardReply] = Future()
        future.set_result(from_bytes(answered))
        return future

    def close(self) -> None:
        pass
