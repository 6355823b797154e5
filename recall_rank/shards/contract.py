"""Shard: the part of an index that one worker scores and scans, and how it is asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Final, Protocol

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.index.shards.questions import ShardReply, ShardRequest
from recall_rank.index.storage.publish import open_generation
from recall_rank.model import Session
from recall_rank.model.coerce import sessions_from

CLOSED: Final = "it was closed"


@dataclass(frozen=True, slots=True)
class ShardContents:
    """The segments of a shard with their deleted sessions, in the state that `generation` names."""

    generation: str
    segments: Sequence[Segment]
    dead: Sequence[Collection[int]]

    @property
    def reader(self) -> IndexReader:
        """A new reader of these segments."""
        return IndexReader(self.segments, self.dead)


class Shard(Protocol):
    """A part of an index that answers questions about its own sessions.

    Any object with these members may be given to Shards. Who asks reads a few rows of each hit by itself, from what
    contents() returns, so a shard's folder must be in reach of both.
    """

    @property
    def name(self) -> str:
        """The name of the shard in the coverage of a response."""

    def contents(self) -> ShardContents:
        """Return the newest state of the shard's index. Raises OSError or ValueError when it cannot be read."""

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        """Return a future of the reply, at once. An exception in it counts as no answer, as a late reply does."""

    def close(self) -> None:
        """End what submit() started; nothing is started afterwards."""


def close_all(shards: Iterable[Shard]) -> None:
    """Close every shard. Raises the last error, when all of them were closed."""
    with ExitStack() as ending:
        for shard in shards:
            ending.callback(shard.close)


def folder_contents(folder: str | PathLike[str]) -> ShardContents:
    """Return the newest state of the index in a folder. Raises the errors of Index.open()."""
    found = open_generation(fspath(folder))
    return ShardContents(found.manifest.nonce, found.segments, found.dead)


def session_contents(sessions: Iterable[Session | Mapping[str, Any]]) -> ShardContents:
    """Return an index of sessions in memory. Raises ValueError or TypeError for an invalid session."""
    return ShardContents("memory", (build(sessions_from(sessions)),), (frozenset(),))


def refused(request: ShardRequest, problem: str) -> Future[ShardReply]:
    """Return a future that is done: a request without an answer, and why."""
    future: Future[ShardReply] = Future()
    future.set_result(ShardReply(request.generation, None, problem))
    return future


def no_future(returned: object) -> str:
    """Return the problem of a shard whose submit() returned something else than a Future."""
    return f"its submit() returned an object of the class {type(returned).__name__}, no Future"
