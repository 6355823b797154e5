"""ReplicatedShard: a shard that several workers serve; the next is asked when one is late."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock, Timer
from time import monotonic_ns
from typing import Any, Final

from recall_rank.index.shards.questions import ShardReply, ShardRequest
from recall_rank.shards.contract import Shard, ShardContents, close_all, no_future, refused

REMEMBERED: Final = 200  # times of answers from which the patience is told
PATIENCE_MS: Final = 50.0  # until so many answers as TOLD have come
TOLD: Final = 20
SHARE: Final = 0.95


class ReplicatedShard:
    """Copies of one shard, of which the first that answers is taken.

    A request goes to the first replica. Where it has not answered after the 95th percentile of the last answers' times
    (PATIENCE_MS at first), or has answered with a problem, the next one is asked, too: a hedged request, as in Dean and
    Barroso, "The Tail at Scale" (2013). The replicas hold copies of one folder, of the same generation.
    """

    def __init__(self, replicas: Sequence[Shard], name: str = "") -> None:
        if not replicas:
            raise ValueError("a shard has at least one replica")
        self.name = name or replicas[0].name
        self._replicas = tuple(replicas)
        self._lock = Lock()
        self._times: deque[float] = deque(maxlen=REMEMBERED)  # in ms

    def contents(self) -> ShardContents:
        """Read all replicas at the same time, which starts their workers; return the state of the first that can be
        read. Raises the error of the last one.
        """
        with ThreadPoolExecutor(len(self._replicas)) as pool:
            read = [pool.submit(replica.contents) for replica in self._replicas]
        readable = (each for each in read[:-1] if not isinstance(each.exception(), OSError | ValueError))
        return next(readable, read[-1]).result()

    @property
    def patience_ms(self) -> float:
        """The time for which a replica is waited for before the next one is asked, in ms."""
        with self._lock:
            times = sorted(self._times)
        return times[int(SHARE * (len(times) - 1))] if len(times) >= TOLD else PATIENCE_MS

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        return _Hedged(self._replicas, request, self.patience_ms, self._note).future

    def _note(self, taken_ms: float) -> None:
        with self._lock:
            self._times.append(taken_ms)

    def close(self) -> None:
        close_all(self._replicas)


class _Hedged:
    """One request to several replicas. `future` gets the first answer, or the last problem.

    The state, which _advance() and _end() change under one lock: `_left` are the replicas that were not asked, `_owing`
    is the number of those that were and have not failed, from before their submit() on, and `_over` says that the
    future has its result or will get it.
    """

    def __init__(
        self, replicas: Sequence[Shard], request: ShardRequest, patience_ms: float, note: Callable[[float], None]
    ) -> None:
        self.future: Future[ShardReply] = Future()
        self._request = request
        self._patience = patience_ms / 1000
        self._note = note
        self._lock = Lock()
        self._left = list(replicas)
        self._owing = 0
        self._over = False
        self._asked: list[Future[ShardReply]] = []
        self._timer: Timer | None = None
        self.future.add_done_callback(lambda future: self._end() if future.cancelled() else None)
        self._advance()

    def _advance(self, failed: ShardReply | None = None) -> None:
        """Ask the next replica: at first, when one is late, and when one has failed with the reply `failed`. If all
        have failed, that is the result.
        """
        with self._lock:
            if failed is not None:
                self._owing -= 1
            if self._over:
                return
            replica = self._left.pop(0) if self._left else None
            if replica is not None:
                self._owing += 1
                self._wait_for_it()
            owing = self._owing
        if replica is not None:
            self._ask(replica)
        elif not owing:
            self._end(failed)

    def _wait_for_it(self) -> None:
        """Have the next replica asked, if there is one, after the patience. The caller holds the lock."""
        if self._timer is not None:
            self._timer.cancel()
        if self._left:
            self._timer = Timer(self._patience, self._advance)
            self._timer.daemon = True
            self._timer.start()

    def _ask(self, replica: Shard) -> None:
        begun = monotonic_ns()
        try:
            asked: Any = replica.submit(self._request)
        except Exception as error:  # noqa: BLE001 - the next replica may do better
            asked = Future()
            asked.set_exception(error)
        if not isinstance(asked, Future):
            asked = refused(self._request, no_future(asked))
        with self._lock:
            self._asked.append(asked)
            over = self._over
        if over:
            asked.cancel()
        asked.add_done_callback(lambda done: self._take(done, (monotonic_ns() - begun) / 1e6))

    def _take(self, done: Future[ShardReply], taken_ms: float) -> None:
        """Take the reply of a replica."""
        reply = self._reply_in(done)
        if reply.answer is None:
            self._advance(reply)
        elif self._end(reply):
            self._note(taken_ms)

    def _reply_in(self, done: Future[Any]) -> ShardReply:
        """Return the reply in a future that is done, or one that says why there is none."""
        if done.cancelled():
            problem = "the question was cancelled"
        elif (error := done.exception()) is not None:
            problem = f"{type(error).__name__}: {error}"
        elif isinstance(reply := done.result(), ShardReply):
            return reply
        else:
            problem = f"it answered with {reply!r:.80}"
        return ShardReply(self._request.generation, None, problem)

    def _end(self, reply: ShardReply | None = None) -> bool:
        """Give the reply to who asked, None where nobody waits, and cancel what is asked; return False if that was
        done before.
        """
        with self._lock:
            if self._over:
                return False
            self._over = True
            asked = list(self._asked)
            if self._timer is not None:
                self._timer.cancel()
        if reply is not None and self.future.set_running_or_notify_cancel():
            self.future.set_result(reply)
        for each in asked:
            each.cancel()  # nothing where it is done
        return True
