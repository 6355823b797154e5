"""RayShard: a shard that an actor of Ray scores and scans, on this machine or on another one of a cluster."""

from __future__ import annotations

import asyncio
import itertools
import os
import queue
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from os import PathLike, fspath
from threading import Event, Lock, Thread
from time import monotonic_ns
from typing import Any, ClassVar, Final

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.shards.questions import ShardReply, ShardRequest
from recall_rank.shards.contract import ShardContents, folder_contents, refused
from recall_rank.shards.ray_cluster import NOT_CONNECTED, connected, placement, reason, this_node
from recall_rank.shards.wire import reply_of, to_bytes
from recall_rank.shards.worker import ShardWorker

RESTART_NS: Final = 1_000_000_000  # between two starts of an actor that ends by itself
START_SECONDS: Final = 60.0
READY: Final = 0  # the number of the call by which the actor says that the index is open
ENDED: Final = "its actor ended"
STARTING: Final = "its actor is not ready yet"
BUSY: Final = "it has not answered an earlier question yet"
CLOSED: Final = "it was closed"


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


class RayShard:
    """A shard of the index in a folder, for which an actor of Ray works.

    The actor runs on the node with the id `node_id`, or on one that has the custom `resources`, such as
    {"shard-a": 0.01}; without both on any node. There, and here, the folder must be in reach under its path.

    contents() starts the actor and waits until it has opened the index. A question to an actor that has ended starts
    it again, and fails at once, as others do until it is ready. Cancelling a future cancels its task. While the actor
    owes an answer whose time is over, further questions fail at once, so that an actor which hangs costs no search its
    time twice.
    """

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
        self.folder = fspath(folder)
        self.name = name or self.folder
        self._ray = connected()
        self._options = {"num_cpus": 0, "max_restarts": 0, **placement(self._ray, node_id, resources or {})}
        self._lock = Lock()
        self._calls: _ActorCalls | None = None
        self._started_ns = -RESTART_NS

    def start(self) -> None:
        """Start the actor unless it runs; does not wait for it."""
        self._running()

    def contents(self) -> ShardContents:
        found = folder_contents(self.folder)
        calls = self._running()
        if calls is not None:
            calls.ready.wait(START_SECONDS)
        return found

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        if not self._ray.is_initialized():  # Ray would start a cluster of its own
            return refused(request, NOT_CONNECTED)
        calls = self._running()
        return refused(request, ENDED) if calls is None else calls.submit(request)

    def _running(self) -> _ActorCalls | None:
        """Return the calls of the actor, started if there is none; None where the last one was started less than
        RESTART_NS ago and has ended.
        """
        with self._lock:
            if self._calls is not None and self._calls.problem and monotonic_ns() - self._started_ns >= RESTART_NS:
                self._calls.close()
                self._calls = None
            if self._calls is None and monotonic_ns() - self._started_ns >= RESTART_NS:
                self._started_ns = monotonic_ns()
                self._calls = _ActorCalls(self._ray, self.actor_class, self._options, self.folder)
            return self._calls

    @property
    def pid(self) -> int | None:
        """The number of the actor's process on its node, None while it is not ready."""
        return None if self._calls is None or self._calls.place is None else self._calls.place[1]

    @property
    def node_id(self) -> str | None:
        """The id of the node on which the actor runs, None while it is not ready."""
        return None if self._calls is None or self._calls.place is None else self._calls.place[0]

    def close(self) -> None:
        with self._lock:
            if self._calls is not None:
                self._calls.close()
                self._calls = None


class _ActorCalls:
    """One actor and the questions to it, with a thread that starts the actor and delivers its answers.

    Ray tells of an answer in a thread that it needs itself, in which nothing may wait.
    """

    def __init__(self, ray: Any, actor_class: type[ShardActor], options: Mapping[str, Any], folder: str) -> None:
        self._ray = ray
        self._actor: Any = None
        self._numbers = itertools.count(1)
        self._lock = Lock()
        self._waiting: dict[int, tuple[int, Future[ShardReply]]] = {}  # by number, in the order of the questions
        self._answers: queue.SimpleQueue[tuple[int, Future[Any]] | None] = queue.SimpleQueue()
        self.problem = ""  # why the actor has ended
        self.place: tuple[str, int] | None = None
        self.ready = Event()  # set when the index is open, and when the actor has ended
        start = ray.remote(**options)(actor_class).remote
        Thread(target=self._run, args=(start, folder), name=f"shard {folder}", daemon=True).start()

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        now = monotonic_ns()
        end_ns = now + request.budget_ns if request.budget_ns else 0
        future: Future[ShardReply] = Future()
        data = to_bytes(request)
        with self._lock:
            if self.problem or not self.ready.is_set():
                return refused(request, self.problem or STARTING)
            if any(0 < end < now for end, _ in self._waiting.values()):
                return refused(request, BUSY)
            number = next(self._numbers)
            answer = self._actor.answer.remote(data)
            self._waiting[number] = end_ns, future
        self._expect(number, answer)
        future.add_done_callback(lambda done: self._cancel(answer) if done.cancelled() else None)
        return future

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
            self._end(f"its actor cannot be started: {reason(error)}")
        while (found := self._answers.get()) is not None:
            try:
                self._deliver(*found)
            except Exception as error:  # noqa: BLE001 - as above; questions must not wait for a thread that ended
                self._end(f"{ENDED}: {reason(error)}")

    def _deliver(self, number: int, done: Future[Any]) -> None:
        """Take the result of a call: of ready(), of the answer() with this number, or of idle() after that."""
        error = done.exception()
        if number == READY and error is None:
            self.place = done.result()
            self.ready.set()
            return
        if isinstance(error, self._ray.exceptions.TaskCancelledError) and self._asks_still():
            self._expect(number, self._actor.idle.remote())  # it owes the answer until its thread is free
            return
        problem = "" if error is None else f"{ENDED}: {reason(error)}"
        with self._lock:
            _, future = self._waiting.pop(number, (0, None))
        if future is not None and future.set_running_or_notify_cancel():
            future.set_result(ShardReply("", None, problem) if problem else reply_of(done.result()))
        if problem:
            self._end(problem)

    def _asks_still(self) -> bool:
        return not self.problem and bool(self._ray.is_initialized())

    def _end(self, problem: str) -> None:
        with self._lock:
            self.problem = self.problem or problem
            left = [future for _, future in self._waiting.values()]
            self._waiting.clear()
        for future in left:
            if future.set_running_or_notify_cancel():
                future.set_result(ShardReply("", None, problem))
        self.ready.set()

    def close(self) -> None:
        """End the actor, and its tasks with it."""
        self._end(CLOSED)
        self._answers.put(None)
        with suppress(Exception):  # it may have ended, or its cluster
            if self._actor is not None and self._ray.is_initialized():
                self._ray.kill(self._actor)
