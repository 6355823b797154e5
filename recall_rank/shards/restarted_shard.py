"""RestartedShard: what shards have in common whose worker runs elsewhere and is started again when it ends."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from concurrent.futures import Future
from os import PathLike, fspath
from threading import Lock
from time import monotonic_ns
from typing import Final, Generic, TypeVar

from recall_rank.index.shards.questions import ShardReply, ShardRequest
from recall_rank.shards.contract import CLOSED, ShardContents, folder_contents, refused
from recall_rank.shards.owed_answers import OwedAnswers

RESTART_NS: Final = 1_000_000_000  # between two starts of a worker that ends by itself
ENDED: Final = "its worker ended"


class ShardConnection(ABC):
    """One worker and the questions to it."""

    def __init__(self) -> None:
        self.owed = OwedAnswers()

    @abstractmethod
    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        """Return a future of the reply, at once."""

    @abstractmethod
    def close(self) -> None:
        """End the worker, and wait a little until it has ended."""

    @abstractmethod
    def abandon(self) -> None:
        """End the worker without waiting for it: it has ended by itself, or sends what is no answer."""


Connection = TypeVar("Connection", bound=ShardConnection)


class RestartedShard(ABC, Generic[Connection]):
    """A shard of the index in a folder, for which one worker at a time works.

    contents() starts the worker and waits until it has opened the index, at most `start_seconds`. A question to a
    worker that has ended starts another one, and fails at once, as others do until that is ready. Nothing is started
    after close(). A relative folder is one of the working folder at the time of the call.
    """

    start_seconds: float

    def __init__(self, folder: str | PathLike[str], name: str = "") -> None:
        self.folder = os.path.abspath(folder)  # noqa: PTH100 - as Path.absolute(), of what a worker elsewhere opens
        self.name = name or fspath(folder)
        self._lock = Lock()
        self._connection: Connection | None = None
        self._closed = False
        self._started_ns = -RESTART_NS

    @abstractmethod
    def _connected(self) -> Connection:
        """Start a worker, without waiting for it, and return the connection."""

    def start(self) -> None:
        """Start the worker unless it runs; does not wait for it."""
        self._running()

    def contents(self) -> ShardContents:
        found = folder_contents(self.folder)
        connection = self._running()
        if connection is not None:
            connection.owed.ready.wait(self.start_seconds)
            if connection.owed.problem:
                return folder_contents(self.folder)  # it may have been removed before the worker opened it
        return found

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        connection = self._running()
        if connection is None:
            return refused(request, CLOSED if self._closed else ENDED)
        return connection.submit(request)

    def _running(self) -> Connection | None:
        """Return the connection to the worker, started if there is none; None where the last one was started less than
        RESTART_NS ago and has ended, and after close(). Waits for no worker.
        """
        with self._lock:
            if self._connection is not None and self._connection.owed.problem:
                self._connection.abandon()
                self._connection = None
            if self._connection is None and not self._closed and monotonic_ns() - self._started_ns >= RESTART_NS:
                self._started_ns = monotonic_ns()
                self._connection = self._connected()
            return self._connection

    def close(self) -> None:
        with self._lock:
            self._closed = True
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
