"""OwedAnswers: the questions that a worker has not answered yet, and the reasons why it is asked no more."""

from __future__ import annotations

import itertools
from concurrent.futures import Future
from threading import Event, Lock
from time import monotonic_ns
from typing import Final, NamedTuple

from recall_rank.index.shards.questions import ShardReply, ShardRequest

STARTING: Final = "its worker was started and is not ready yet"
BUSY: Final = "it has not answered an earlier question yet"


class OwedAnswer(NamedTuple):
    """A question to a worker: its number, from 1, the time.monotonic_ns() until which the answer is wanted, 0 for any
    time, and the future of the reply.
    """

    number: int
    end_ns: int
    future: Future[ShardReply]


class OwedAnswers:
    """The questions of one worker without an answer, in their order. Thread-safe.

    `ready` is set when the worker can be asked, and when it has ended; `problem` is the reason why it has ended, until
    then empty. While an answer is owed whose time is over, add() refuses further questions, so that a worker which
    hangs costs no search its time twice.
    """

    def __init__(self) -> None:
        self.ready = Event()
        self.problem = ""
        self._numbers = itertools.count(1)
        self._lock = Lock()
        self._waiting: dict[int, OwedAnswer] = {}

    def add(self, request: ShardRequest) -> OwedAnswer | str:
        """Return what is owed for a request now, or the reason why the worker cannot be asked."""
        now = monotonic_ns()
        with self._lock:
            if self.problem or not self.ready.is_set():
                return self.problem or STARTING
            if any(0 < each.end_ns < now for each in self._waiting.values()):
                return BUSY
            owed = OwedAnswer(next(self._numbers), now + request.budget_ns if request.budget_ns else 0, Future())
            self._waiting[owed.number] = owed
            return owed

    def deliver(self, number: int, reply: ShardReply) -> None:
        """Give the reply to who asked the question with this number, unless nobody waits for it."""
        with self._lock:
            owed = self._waiting.pop(number, None)
        if owed is not None and owed.future.set_running_or_notify_cancel():
            owed.future.set_result(reply)

    def end(self, problem: str) -> None:
        """Answer every question by the problem for which the worker ended; the first problem stays."""
        with self._lock:
            self.problem = self.problem or problem
            left = list(self._waiting)
        for number in left:
            self.deliver(number, ShardReply("", None, problem))
        self.ready.set()
