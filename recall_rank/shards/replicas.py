"""ReplicatedShard: a shard that several workers serve; the next is asked when one is late."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock, Timer
from time import monotonic_ns
from typing import Final

from recall_rank.index.shards.questions import ShardReply, ShardRequest
from recall_rank.shards.contract import Shard, ShardContents

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
        """Return the newest state of the first replica that can be read. Raises the error of the last one."""
        for replica in self._replicas[:-1]:
            try:
                return replica.contents()
            except (OSError, ValueError):
                continue
        return self._replicas[-1].contents()

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
        for replica in self._replicas:
            replica.close()


class _Hedged:
    """One request to several replicas. `future` gets the first answer, or the last problem."""

    def __init__(
        self, replicas: Sequence[Shard], request: ShardRequest, patience_ms: float, note: Callable[[float], None]
    ) -> None:
        self.future: Future[ShardReply] = Future()
        self._left = list(replicas)
        self._request = request
        self._patience = patience_ms / 1000
        self._note = note
        self._lock = Lock()
        self._asked: list[Future[ShardReply]] = []
        self._timer: Timer | None = None
        self.future.add_done_callback(self._give_up)
        self._ask_next()

    def _give_up(self, future: Future[ShardReply]) -> None:
        """Cancel what was asked when the caller waits no more."""
        if future.cancelled():
            with self._lock:
                self._left.clear()
                asked = list(self._asked)
            for each in asked:
                each.cancel()

    def _ask_next(self) -> None:
        with self._lock:
            if not self._left or self.future.done():
                return
            replica = self._left.pop(0)
            if self._timer is not None:
                self._timer.cancel()
            self._timer = Timer(self._patience, self._ask_next) if self._left else None
            if self._timer is not None:
                self._timer.daemon = True
                self._timer.start()
        begun = monotonic_ns()
        try:
            asked = replica.submit(self._request)
        except Exception as error:  # noqa: BLE001 - the next replica may do better
            asked = Future()
            asked.set_exception(error)
        with self._lock:
            self._asked.append(asked)
        asked.add_done_callback(lambda done: self._ended(done, (monotonic_ns() - begun) / 1e6))

    def _ended(self, done: Future[ShardReply], taken_ms: float) -> None:
        if done.cancelled():
            return
        error = done.exception()
        reply = ShardReply(self._request.generation, None, str(error)) if error is not None else done.result()
        if reply.answer is None:
            with self._lock:
                last = not self._left and all(each.done() for each in self._asked)
            if not last:
                self._ask_next()
                return
        with self._lock:
            if self.future.done():
                return
            self.future.set_result(reply)
            if self._timer is not None:
                self._timer.cancel()
            others = [each for each in self._asked if each is not done]
        if reply.answer is not None:
            self._note(taken_ms)
        for other in others:
            other.cancel()
