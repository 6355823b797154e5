"""RayShard: a shard that an actor of Ray scores and scans, on this machine or on another one of a cluster."""

from __future__ import annotations

import asyncio
import os
import queue
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from os import PathLike
from threading import Thread
from typing import Any, ClassVar, Final

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.shards.questions import ShardReply, ShardRequest
from recall_rank.shards.contract import CLOSED, folder_contents, refused
from recall_rank.shards.ray_cluster import NOT_CONNECTED, connected, placement, reason, this_node
from recall_rank.shards.restarted_shard import ENDED, RestartedShard, ShardConnection
from recall_rank.shards.wire import reply_of, to_bytes
from recall_rank.shards.worker import ShardWorker

READY: Final = 0  # the number of the call by which the actor says that the index is open


class ShardActor:
    """The code of a shard's actor: it keeps the index in a folder open, and answers one question after another.

    Its methods are coroutines, because Ray cancels these alone as it says: a cancelled call of another actor's method
    is run nevertheless or, if it was not sent yet, keeps all later calls waiting (Ray 2.60).
    """

    def __init__(self, folder: str) -> None:
        def load() -> tuple[str, IndexReader]:
            found = folder_contents(folder)
            return found.generation, found.reader

        self._worker = ShardWorker(load)
        self._thread = ThreadPoolExecutor(1)

    async def ready(self) -> tuple[str, int]:
        """Return the id of the actor's node and the number of its process there; the index is open by then."""
        return this_node(), os.getpid()

    async def answer(self, data: bytes) -> bytes:
        """Return the reply to the request in `data`; see ShardWorker.answer_bytes()."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.reply_to, data)

    async def idle(self) -> None:
        """Return when what was asked before is over: a question that is cancelled while it is answered goes on."""
        await asyncio.get_running_loop().run_in_executor(self._thread, int)

    def reply_to(self, data: bytes) -> bytes:
        return self._worker.answer_bytes(data)


class RayShard(RestartedShard["_ActorCalls"]):
    """A shard of the index in a folder, for which an actor of Ray works.

    The actor runs on the node with the id `node_id`, or on one that has the custom `resources`, such as
    {"shard-a": 0.01}; without both on any node. There, and here, the folder must be in reach under its path.
    Cancelling a future cancels its task.
    """

    start_seconds = 60.0
    actor_class: ClassVar[type[ShardActor]] = ShardActor

    def __init__(
        self,
        folder: str | PathLike[str],
        name: str = "",
        *,
        node_id: str = "",
        resources: Mapping[str, float] | None = None,
    ) -> None:
        """Raises RuntimeError without the extra `ray`, and the errors of ray.init(); see connected()."""
        super().__init__(folder, name)
        self._ray = connected()
        self._options = {"num_cpus": 0, "max_restarts": 0, **placement(self._ray, node_id, resources or {})}

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        if not self._ray.is_initialized():  # Ray would start a cluster of its own
            return refused(request, NOT_CONNECTED)
        return super().submit(request)

    def _connected(self) -> _ActorCalls:
        return _ActorCalls(self._ray, self.actor_class, self._options, self.folder)

    @property
    def pid(self) -> int | None:
        """The number of the actor's process on its node, None while it is not ready."""
        return None if self._place is None else self._place[1]

    @property
    def node_id(self) -> str | None:
        """The id of the node on which the actor runs, None while it is not ready."""
        return None if self._place is None else self._place[0]

    @property
    def _place(self) -> tuple[str, int] | None:
        return None if self._connection is None else self._connection.place


class _ActorCalls(ShardConnection):
    """One actor and the questions to it, with a thread that starts the actor and delivers its answers.

    Ray tells of an answer in a thread that it needs itself, in which nothing may wait.
    """

    def __init__(self, ray: Any, actor_class: type[ShardActor], options: Mapping[str, Any], folder: str) -> None:
        super().__init__()
        self._ray = ray
        self._actor: Any = None
        self._answers: queue.SimpleQueue[tuple[int, Future[Any]] | None] = queue.SimpleQueue()
        self.place: tuple[str, int] | None = None  # node and process of the actor, once it is ready
        start = ray.remote(**options)(actor_class).remote
        Thread(target=self._run, args=(start, folder), name=f"shard {folder}", daemon=True).start()

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        data = to_bytes(request)
        owed = self.owed.add(request)
        if isinstance(owed, str):
            return refused(request, owed)
        answer = self._actor.answer.remote(data)
        self._expect(owed.number, answer)
        owed.future.add_done_callback(lambda done: self._cancel(answer) if done.cancelled() else None)
        return owed.future

    def _expect(self, number: int, result: Any) -> None:
        result.future().add_done_callback(lambda done: self._answers.put((number, done)))

    def _cancel(self, answer: Any) -> None:
        """Cancel a call: one that has not begun never begins; one that runs ends at its own deadline."""
        with suppress(Exception):  # nobody waits for it
            if self._ray.is_initialized():
                self._ray.cancel(answer, recursive=False)

    def _run(self, start: Any, folder: str) -> None:
        try:
            self._actor = start(folder)
            self._expect(READY, self._actor.ready.remote())
        except Exception as error:  # noqa: BLE001 - searches go on without this shard
            self.owed.end(f"its worker cannot be started: {reason(error)}")
        while (found := self._answers.get()) is not None:
            try:
                self._deliver(*found)
            except Exception as error:  # noqa: BLE001 - as above; questions must not wait for a thread that ended
                self.owed.end(f"{ENDED}: {reason(error)}")
        self._kill()  # it may have been closed before the actor was started

    def _deliver(self, number: int, done: Future[Any]) -> None:
        """Take the result of a call: of ready(), of the answer() with this number, or of idle() after that."""
        error = done.exception()
        if number == READY and error is None:
            self.place = done.result()
            self.owed.ready.set()
        elif isinstance(error, self._ray.exceptions.TaskCancelledError) and self._asks_still():
            self._expect(number, self._actor.idle.remote())  # it owes the answer until its thread is free
        elif error is None:
            self.owed.deliver(number, reply_of(done.result()))
        else:
            self.owed.end(f"{ENDED}: {reason(error)}")

    def _asks_still(self) -> bool:
        return not self.owed.problem and bool(self._ray.is_initialized())

    def close(self) -> None:
        """End the actor, and its tasks with it."""
        self.owed.end(CLOSED)
        self._answers.put(None)
        self._kill()

    def abandon(self) -> None:
        self.close()  # which waits for nothing

    def _kill(self) -> None:
        with suppress(Exception):  # it may have ended, or its cluster
            if self._actor is not None and self._ray.is_initialized():
                self._ray.kill(self._actor)
