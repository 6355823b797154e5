"""The class Shards: several indexes that are searched as one, each by a worker of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from contextlib import suppress
from os import PathLike, fspath
from threading import Lock, Thread
from typing import Final, Self, Unpack

from recall_rank.corpus import search_in_thread
from recall_rank.index.errors import DamagedIndexError
from recall_rank.model import SearchResponse
from recall_rank.model.record_classes import replace
from recall_rank.search.deadline import Deadline
from recall_rank.search.options import SearchOptions, parse_options
from recall_rank.search.query import Query
from recall_rank.shards.contract import Shard
from recall_rank.shards.shard_folders import BuiltShards, Workers, group_of_folders
from recall_rank.shards.shard_group import OpenedShards, ShardGroup
from recall_rank.shards.worker import CHANGED

SHARDS_CLOSED: Final = "these shards are closed"
FORKED: Final = "another process opened these shards: their workers do not answer after a fork, open them again here"


class Shards:
    """Several indexes, called shards, that answer every search as one index of all their sessions would.

    Thread-safe. Each shard scores and scans its own documents; their statistics, and the rows of the best hits, are
    read here, and the stages behind the prefilter run once. A shard that does not answer in half of the time that is
    left, or whose answer or index is damaged, is left out: the response has what the others found, its warnings and
    `coverage.not_reached` name the shard. A session is in one shard only. After os.fork(), only the process that opened
    the shards can search them; in others every method except close() raises RuntimeError.
    """

    def __init__(self, shards: Iterable[Shard] | BuiltShards, *, executor: Executor | None = None) -> None:
        """Open the shards. `executor` is shut down by close().

        Raises ValueError for no shard and for a name that comes twice, and the error of a shard when none of them can
        be opened; one that cannot be opened while others can is not reached by any search until reload() opens it.
        """
        self._built = shards if isinstance(shards, BuiltShards) else None
        self._reloading = Lock()
        self._lock = Lock()  # of what is below
        self._process = os.getpid()
        self._closed = False
        if isinstance(shards, BuiltShards):
            self._current = shards.read()
        else:
            self._current = ShardGroup(shards, executor).read()

    @classmethod
    def open(
        cls,
        folders: str | PathLike[str] | Iterable[str | PathLike[str]] | Mapping[str, str | PathLike[str]],
        *,
        workers: Workers = "threads",
    ) -> Self:
        """Open the indexes in `folders`, or in the folders that a mapping gives to names of shards. One folder that is
        no list is one in which `recall-rank build` wrote shards.

        With workers="threads" this process scores all shards at the same time; with "processes" each shard has a
        process of its own, which ends with close(). With "ray" (extra `ray`) each has an actor of the Ray cluster to
        which this process is connected; without a connection that of RAY_ADDRESS, one that runs on this machine, or
        one that is started and ends with this process.

        Raises ValueError for other workers, RuntimeError where Ray is wanted and not installed, and the errors of
        Shards().
        """
        if workers not in ("threads", "processes", "ray"):
            raise ValueError(f"workers must be 'threads', 'processes' or 'ray', not {workers!r}")
        if isinstance(folders, str | PathLike):
            return cls(BuiltShards(folders, workers))
        named = folders if isinstance(folders, Mapping) else {fspath(folder): folder for folder in folders}
        group = group_of_folders(named, workers)
        try:
            return cls(group.shards, executor=group.executor)
        except BaseException:
            group.close()
            raise

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the shards, in their order."""
        return self._current.group.names

    def reload(self) -> None:
        """Read the newest state of every shard, and the shards of the newest build of a folder; later searches are
        answered from it.

        A search does so by itself when a shard says that its index has changed, and where a build has replaced a shard
        that it does not reach. Raises ValueError once this is closed, and the error of a shard when none can be opened.
        """
        self._check_process()
        with self._reloading:
            self._read_again(keep=False)

    def _read_again(self, *, keep: bool) -> None:
        """Do what reload() does; with `keep`, a shard that cannot be read stays as it was. The caller holds the lock
        `_reloading`.
        """
        before = self._opened()
        if self._built is not None:
            opened = self._built.read(before, keep=keep)
        else:
            opened = before.group.read(before if keep else None)
        with self._lock:
            closed = self._closed
            if not closed:
                self._current = opened
        if opened.group is not before.group:
            (opened if closed else before).group.close()
        if closed:
            raise ValueError(SHARDS_CLOSED)

    def __len__(self) -> int:
        """Return the number of searchable parts of messages; titles of sessions are not counted."""
        reader = self._opened().reader
        reader.check()
        return reader.parts_without_titles

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResponse:
        """Return the response that an index of the sessions of all shards would give; see Index.search().

        Raises what Index.search() raises for a bad query or option, and DamagedIndexError when no shard is left whose
        rows can be read.
        """
        opened = self._opened()
        checked = parse_options(options)
        parsed = Query.parse(query, checked.now if checked.now is not None else int(time.time() * 1000), checked)
        deadline = Deadline(checked.budget_ms, cancel=checked.cancel)
        opened, response, problems = self._answer(opened, parsed, deadline)
        replaced = bool(problems) and self._built is not None and self._built.replaced(opened.group)
        if CHANGED not in problems and not replaced:
            return response
        newer = self._newer_than(opened, deadline.seconds_to_score())
        if newer is None:
            return replace(response, elapsed_ms=deadline.elapsed_ms())
        return self._answer(newer, parsed, deadline)[1]

    def _answer(
        self, opened: OpenedShards, parsed: Query, deadline: Deadline
    ) -> tuple[OpenedShards, SearchResponse, list[str]]:
        """Return the response of one try, the shards that were searched, and the reasons why some were not reached.

        A shard with a damaged row is left out, here and by later searches until reload() reads it again.
        """
        while True:
            try:
                return opened, *opened.search(parsed, deadline)
            except DamagedIndexError as error:
                whole = opened.without_damaged(error)
                with self._lock:
                    if self._current is opened:
                        self._current = whole
                opened = whole

    def _newer_than(self, opened: OpenedShards, seconds: float) -> OpenedShards | None:
        """Return the newest state of the shards; None when it cannot be read within `seconds`. Reading goes on then,
        for later searches.
        """

        def reload() -> None:
            with self._reloading, suppress(OSError, ValueError):
                if self._current is opened:  # no other search has done so
                    self._read_again(keep=True)

        thread = Thread(target=reload, name="reload of shards", daemon=True)
        thread.start()
        thread.join(seconds)
        return self._current if self._current is not opened else None

    async def asearch(self, query: str, **options: Unpack[SearchOptions]) -> SearchResponse:
        """Await search() in a thread; cancelling the task ends the search before its next stage."""
        return await search_in_thread(self.search, query, options)

    def _opened(self) -> OpenedShards:
        self._check_process()
        if self._closed:
            raise ValueError(SHARDS_CLOSED)
        return self._current

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError(FORKED)

    def close(self) -> None:
        """Close every shard. Searches that run end without those that answer no more; later ones raise ValueError.

        Raises the last error of a shard, when all of them were closed. Does nothing in a process that was forked.
        """
        if os.getpid() != self._process:
            return  # the workers are those of the other process
        with self._lock:
            self._closed = True
        self._current.group.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
