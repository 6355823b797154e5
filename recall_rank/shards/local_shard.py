"""LocalShard: a shard that threads of this process score and scan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future
from os import PathLike, fspath
from typing import Any, Self

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.shards.questions import ShardReply, ShardRequest
from recall_rank.model import Session
from recall_rank.shards.contract import CLOSED, ShardContents, folder_contents, refused, session_contents
from recall_rank.shards.worker import ShardWorker


class LocalShard:
    """A shard that an executor of this process works for, such as a ThreadPoolExecutor, which several may share.

    `load` returns the newest state of the shard's index. The worker searches the state that contents() returned last.
    """

    def __init__(self, name: str, load: Callable[[], ShardContents], executor: Executor) -> None:
        self.name = name
        self._load = load
        self._executor = executor
        self._found: ShardContents | None = None
        self._worker: ShardWorker | None = None
        self._closed = False

    @classmethod
    def of_folder(cls, folder: str | PathLike[str], executor: Executor, name: str = "") -> Self:
        """Return a shard of the index in a folder; its name is the folder's path unless given."""
        return cls(name or fspath(folder), lambda: folder_contents(folder), executor)

    @classmethod
    def of_sessions(cls, name: str, sessions: Iterable[Session | Mapping[str, Any]], executor: Executor) -> Self:
        """Return a shard of an index in memory. Raises ValueError or TypeError for an invalid session."""
        contents = session_contents(sessions)
        return cls(name, lambda: contents, executor)

    def contents(self) -> ShardContents:
        self._found = found = self._load()
        return found

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        if self._closed:
            return refused(request, CLOSED)
        worker = self._worker
        if worker is None:
            worker = self._worker = ShardWorker(self._state)
        return self._executor.submit(worker.answer, request)

    def _state(self) -> tuple[str, IndexReader]:
        found = self._found or self.contents()
        return found.generation, found.reader

    def close(self) -> None:
        self._closed = True
        self._worker = self._found = None
