"""The class Shards: several indexes that are searched as one, each by a worker of its own."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from os import PathLike, fspath
from threading import Lock, Thread
from typing import Any, Final, Literal, Self, Unpack

from recall_rank.corpus import search_in_thread
from recall_rank.index.shards.questions import Answer, Question, ShardReply, ShardRequest
from recall_rank.index.shards.shard_reader import ShardReader
from recall_rank.model import SearchResponse
from recall_rank.model.option_errors import error_text
from recall_rank.model.record_classes import replace
from recall_rank.search.deadline import Deadline
from recall_rank.search.engine import search
from recall_rank.search.options import SearchOptions, parse_options
from recall_rank.search.query import Query
from recall_rank.shards.contract import CLOSED, Shard, ShardContents
from recall_rank.shards.kept_evidence import MOST
from recall_rank.shards.local_shard import LocalShard
from recall_rank.shards.manifest import read_manifest
from recall_rank.shards.process_shard import ProcessShard
from recall_rank.shards.worker import CHANGED

Workers = Literal["threads", "processes", "ray"]
SHARDS_CLOSED: Final = "these shards are closed"
ANSWER_SHARE: Final = 0.9  # share of the time that a shard is waited for in which it should answer


class Shards:
    """Several indexes, called shards, that answer every search as one index of all their sessions would.

    Thread-safe. Each shard scores and scans its own documents; their statistics, and the rows of the best hits, are
    read here, and the stages behind retrieval run once. A shard that does not answer in half of the time that is left
    is not waited for: the response has what the others found, its warnings and `coverage.not_reached` name the shard.
    A session is in one shard only.
    """

    def __init__(self, shards: Iterable[Shard], *, executor: Executor | None = None) -> None:
        """Open the shards. `executor` is shut down by close().

        Raises ValueError for no shard and for a name that comes twice, and the error of a shard when none of them can
        be opened; one that cannot be opened while others can is not reached by any search until reload() opens it.
        """
        self._shards = tuple(shards)
        self._executor = executor
        names = [shard.name for shard in self._shards]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"shards have different names, at least one: {', '.join(map(repr, names)) or 'no shard'}")
        self._reloading = Lock()
        self._done = [deque[str](maxlen=MOST) for _ in self._shards]  # keys of ended searches, to be told to each
        self._lock = Lock()  # of what is above and below
        self._reader: ShardReader | None = None
        self._closed = False
        self.reload()

    @classmethod
    def open(
        cls,
        folders: str | PathLike[str] | Iterable[str | PathLike[str]] | Mapping[str, str | PathLike[str]],
        *,
        workers: Workers = "threads",
    ) -> Self:
        """Open the indexes in `folders`, or in the folders that a mapping gives to names of shards. One folder that is
        no list is one in which `recall-rank build` wrote shards; what a later build writes is found by opening anew.

        With workers="threads" this process scores all shards at the same time; with "processes" each shard has a
        process of its own, which ends with close(). With "ray" (extra `ray`) each has an actor of the Ray cluster to
        which this process is connected; without a connection that of RAY_ADDRESS, one that runs on this machine, or
        one that is started and ends with this process.

        Raises ValueError for other workers, RuntimeError where Ray is wanted and not installed, and the errors of
        Shards().
        """
        if workers not in ("threads", "processes", "ray"):
            raise ValueError(f"workers must be 'threads', 'processes' or 'ray', not {workers!r}")
        named: Mapping[str, str | PathLike[str]]
        if isinstance(folders, str | PathLike):
            named = {shard.name: os.path.join(folders, shard.folder) for shard in read_manifest(folders)}  # noqa: PTH118
        else:
            named = folders if isinstance(folders, Mapping) else {fspath(folder): folder for folder in folders}
        shards: list[Shard] = []
        pool: ThreadPoolExecutor | None = None
        try:
            if workers == "ray":
                from recall_rank.shards.ray_shard import RayShard

                actors = [RayShard(folder, name) for name, folder in named.items()]
                shards += actors
                for actor in actors:
                    actor.start()  # all at the same time
            elif workers == "processes":
                shards += [ProcessShard(folder, name) for name, folder in named.items()]
            else:
                pool = ThreadPoolExecutor(max(2, os.cpu_count() or 1), thread_name_prefix="shard")
                shards += [LocalShard.of_folder(folder, pool, name) for name, folder in named.items()]
            return cls(shards, executor=pool)
        except BaseException:
            _close(shards, pool)
            raise

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the shards, in their order."""
        return tuple(shard.name for shard in self._shards)

    def reload(self) -> None:
        """Read the newest state of every shard; later searches are answered from it.

        A search does so by itself when a shard says that its index has changed. Raises ValueError once this is closed,
        and the error of a shard when none can be opened.
        """
        with self._reloading:
            self._reload()

    def _reload(self) -> None:
        """Do what reload() does. The caller holds its lock."""
        opened: list[ShardContents] = []
        absent: dict[int, str] = {}
        failure: Exception | None = None
        for number, shard in enumerate(self._shards):
            try:
                opened.append(shard.contents())
            except (OSError, ValueError) as error:
                failure = error
                absent[number] = f"it cannot be opened: {error_text(error)}"
                opened.append(ShardContents("", (), ()))
        if failure is not None and len(absent) == len(opened):
            raise failure
        generations = tuple(each.generation for each in opened)
        reader = ShardReader(
            self.names,
            [each.segments for each in opened],
            [each.dead for each in opened],
            lambda questions, wait_ns: self._ask(generations, questions, wait_ns),
            absent,
        )
        with self._lock:
            if self._closed:
                raise ValueError(SHARDS_CLOSED)
            self._reader = reader

    def __len__(self) -> int:
        """Return the number of searchable parts of messages; titles of sessions are not counted."""
        return self._opened().parts_without_titles

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResponse:
        """Return the response that an index of the sessions of all shards would give; see Index.search().

        Raises what Index.search() raises for a bad query or option.
        """
        opened = self._opened()
        checked = parse_options(options)
        parsed = Query.parse(query, checked.now if checked.now is not None else int(time.time() * 1000), checked)
        deadline = Deadline(checked.budget_ms, cancel=checked.cancel)
        reader = opened.for_one_search()
        response = self._search(reader, parsed, deadline)
        if CHANGED not in reader.problems.values():
            return response
        newer = self._newer_than(opened, deadline.seconds_to_score())
        if newer is None:
            return replace(response, elapsed_ms=deadline.elapsed_ms())
        return self._search(newer.for_one_search(), parsed, deadline)

    def _search(self, reader: ShardReader, parsed: Query, deadline: Deadline) -> SearchResponse:
        """Return the response of one try. The next question to each shard tells that nothing more is asked about it."""
        try:
            return search(reader, parsed, deadline=deadline)
        finally:
            with self._lock:
                for done in self._done:
                    done.extend(reader.asked.evidence_keys)

    def _newer_than(self, opened: ShardReader, seconds: float) -> ShardReader | None:
        """Return a reader of the newest state of the shards; None when it cannot be read within `seconds`. Reading goes
        on then, for later searches.
        """

        def reload() -> None:
            with self._reloading, suppress(OSError, ValueError):
                if self._reader is opened:  # no other search has done so
                    self._reload()

        thread = Thread(target=reload, name="reload of shards", daemon=True)
        thread.start()
        thread.join(seconds)
        return self._reader if self._reader is not opened else None

    async def asearch(self, query: str, **options: Unpack[SearchOptions]) -> SearchResponse:
        """Await search() in a thread; cancelling the task ends the search before its next stage."""
        return await search_in_thread(self.search, query, options)

    def _opened(self) -> ShardReader:
        reader = self._reader
        if reader is None:
            raise ValueError(SHARDS_CLOSED)
        reader.check()
        return reader

    def _ask(
        self, generations: Sequence[str], questions: Mapping[int, Question], wait_ns: int
    ) -> dict[int, Answer | str]:
        """Ask shards at the same time; see AskShards."""
        budget_ns = max(1, int(wait_ns * ANSWER_SHARE)) if wait_ns else 0  # 0 would be no limit
        futures: dict[int, Future[ShardReply]] = {}
        found: dict[int, Answer | str] = {}
        for number, question in questions.items():
            with self._lock:
                done = tuple(self._done[number])
                self._done[number].clear()
            request = ShardRequest(generations[number], question, budget_ns, done)
            try:
                futures[number] = self._shards[number].submit(request)
            except Exception as error:  # noqa: BLE001 - a shard is code of others; the search goes on without it
                found[number] = f"it cannot be asked: {error_text(error)}"
        wait(futures.values(), wait_ns / 1e9 if wait_ns else None)
        for number, future in futures.items():
            if not future.done():
                future.cancel()
                found[number] = f"it did not answer within {wait_ns / 1e6:.0f} ms"
                continue
            found[number] = _checked(future, generations[number])
        return found

    def close(self) -> None:
        """Close every shard. Searches that run end without those that answer no more; later ones raise ValueError."""
        with self._lock:
            self._closed = True
            self._reader = None
        _close(self._shards, self._executor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _close(shards: Iterable[Shard], executor: Executor | None) -> None:
    for shard in shards:
        shard.close()
    if executor is not None:
        executor.shutdown(wait=False, cancel_futures=True)


def _checked(future: Future[ShardReply], generation: str) -> Answer | str:
    """Return the answer in a reply, or what is wrong with it."""
    if future.cancelled():
        return CLOSED
    error = future.exception()
    if error is not None:
        return f"{type(error).__name__}: {error}"
    reply: Any = future.result()
    if not isinstance(reply, ShardReply):
        return f"it answered with {reply!r:.80}"
    if reply.answer is None:
        return reply.problem or "it has no answer"
    return reply.answer if reply.generation == generation else CHANGED
