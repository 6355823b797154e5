"""ShardGroup: shards that are asked together; OpenedShards: what was read of them at one time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final

from recall_rank.index.errors import DamagedIndexError
from recall_rank.index.shards.questions import Answer, Question, ShardReply, ShardRequest
from recall_rank.index.shards.shard_reader import ShardReader
from recall_rank.index.storage.mapped_segment import MappedSegment
from recall_rank.model import SearchResponse
from recall_rank.model.option_errors import error_text
from recall_rank.search.deadline import Deadline
from recall_rank.search.engine import search
from recall_rank.search.query import Query
from recall_rank.shards.contract import CLOSED, Shard, ShardContents, close_all, no_future
from recall_rank.shards.kept_evidence import MOST
from recall_rank.shards.manifest import ListedShard
from recall_rank.shards.worker import CHANGED

ANSWER_SHARE: Final = 0.9  # share of the time that a shard is waited for in which it should answer
MOST_READ: Final = 32  # shards that are read at the same time
NOTHING: Final = ShardContents("", (), ())


class ShardGroup:
    """Shards with different names, and the executor, if any, that works for them. Thread-safe.

    `listed` are the entries of the manifest that names them. Raises ValueError for no shard and for a name that comes
    twice.
    """

    def __init__(
        self, shards: Iterable[Shard], executor: Executor | None = None, listed: Sequence[ListedShard] = ()
    ) -> None:
        self.shards = tuple(shards)
        self.listed = listed
        self.names = tuple(shard.name for shard in self.shards)
        self.executor = executor
        if not self.names or len(set(self.names)) < len(self.names):
            told = ", ".join(map(repr, self.names)) or "no shard"
            raise ValueError(f"shards have different names, at least one: {told}")
        self._lock = Lock()
        self._done = [deque[str](maxlen=MOST) for _ in self.shards]  # keys of ended searches, to be told to each

    def read(self, before: OpenedShards | None = None) -> OpenedShards:
        """Return the newest state of every shard. One that cannot be read has its state in `before`, if that is given.

        Raises the error of a shard where none can be read.
        """
        contents: list[ShardContents] = []
        absent: dict[int, str] = {}
        failure: Exception | None = None
        with ThreadPoolExecutor(min(MOST_READ, len(self.shards))) as pool:  # workers start at the same time
            read = [pool.submit(shard.contents) for shard in self.shards]
        for number, each in enumerate(read):
            try:
                contents.append(each.result())
            except (OSError, ValueError) as error:
                failure = error
                if before is not None and number not in before.absent:
                    contents.append(before.contents[number])
                    continue
                absent[number] = f"it cannot be opened: {error_text(error)}"
                contents.append(NOTHING)
        if failure is not None and len(absent) == len(contents):
            raise failure
        return OpenedShards.of(self, contents, absent)

    def ask(
        self, generations: Sequence[str], questions: Mapping[int, Question], wait_ns: int
    ) -> dict[int, Answer | str]:
        """Ask shards at the same time about the state that `generations` names; see AskShards."""
        budget_ns = max(1, int(wait_ns * ANSWER_SHARE)) if wait_ns else 0  # 0 would be no limit
        futures: dict[int, Future[ShardReply]] = {}
        found: dict[int, Answer | str] = {}
        for number, question in questions.items():
            with self._lock:
                done = tuple(self._done[number])
                self._done[number].clear()
            request = ShardRequest(generations[number], question, budget_ns, done)
            try:
                future: Any = self.shards[number].submit(request)
            except Exception as error:  # noqa: BLE001 - a shard is code of others; the search goes on without it
                found[number] = f"it cannot be asked: {error_text(error)}"
                continue
            if isinstance(future, Future):
                futures[number] = future
            else:
                found[number] = no_future(future)
        wait(futures.values(), wait_ns / 1e9 if wait_ns else None)
        for number, future in futures.items():
            if not future.done():
                future.cancel()
                found[number] = f"it did not answer within {wait_ns / 1e6:.0f} ms"
                continue
            found[number] = _checked(future, generations[number])
        return found

    def note_ended(self, keys: Iterable[str]) -> None:
        """Note that nothing more will be asked about evidences; the next question to each shard tells so."""
        with self._lock:
            for done in self._done:
                done.extend(keys)

    def close(self) -> None:
        """Close every shard, and the executor. Raises the last error of a shard, when all of them were closed."""
        with ExitStack() as ending:
            if self.executor is not None:
                ending.callback(self.executor.shutdown, wait=False, cancel_futures=True)
            close_all(self.shards)


@dataclass(frozen=True, slots=True)
class OpenedShards:
    """The state of the shards of a group that was read at one time.

    `contents` has one for each shard; `absent` maps the numbers of those without segments to the reason.
    """

    group: ShardGroup
    contents: Sequence[ShardContents]
    absent: Mapping[int, str]
    reader: ShardReader

    @classmethod
    def of(cls, group: ShardGroup, contents: Sequence[ShardContents], absent: Mapping[int, str]) -> OpenedShards:
        """Return the opened shards of these contents. A shard with a damaged file is absent, too; raises
        DamagedIndexError where no other is left.
        """
        generations = tuple(each.generation for each in contents)
        try:
            reader = ShardReader(
                group.names,
                [each.segments for each in contents],
                [each.dead for each in contents],
                lambda questions, wait_ns: group.ask(generations, questions, wait_ns),
                absent,
            )
        except DamagedIndexError as error:
            return cls.of(group, *_without_damaged(contents, absent, error))
        return cls(group, contents, absent, reader)

    def without_damaged(self, error: DamagedIndexError) -> OpenedShards:
        """Return the opened shards except those that have the file of which `error` tells. Raises `error` where none
        has it, or no other is left.
        """
        return self.of(self.group, *_without_damaged(self.contents, self.absent, error))

    def search(self, query: Query, deadline: Deadline) -> tuple[SearchResponse, list[str]]:
        """Return the response to a query, and the reasons why shards were not reached, or not completely.

        Raises DamagedIndexError for a row that is read here.
        """
        self.reader.check()
        reader = self.reader.for_one_search()
        try:
            response = search(reader, query, deadline=deadline)
        finally:
            self.group.note_ended(reader.asked.evidence_keys)
        return response, list(reader.problems.values())


def _without_damaged(
    contents: Sequence[ShardContents], absent: Mapping[int, str], error: DamagedIndexError
) -> tuple[Sequence[ShardContents], Mapping[int, str]]:
    damaged = [number for number, each in enumerate(contents) if _has_file(each, error.file)]
    left_out = {**absent, **dict.fromkeys(damaged, f"its index is damaged: {error}")}
    if not damaged or len(left_out) == len(contents):
        raise error
    return [NOTHING if number in left_out else each for number, each in enumerate(contents)], left_out


def _has_file(contents: ShardContents, file: str) -> bool:
    return any(isinstance(each, MappedSegment) and each.path == Path(file) for each in contents.segments)


def _checked(future: Future[ShardReply], generation: str) -> Answer | str:
    """Return the answer in a reply, or what is wrong with the reply."""
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
