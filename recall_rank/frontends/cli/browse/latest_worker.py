"""A thread that does the newest of the jobs it is given: the last key wins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_Answer = TypeVar("_Answer")


class LatestWorker(Generic[_Answer]):
    """Runs one job at a time in a thread of its own. A job that is given while another one runs cancels that, and
    replaces one that waits; the answer of a job that is not the newest is never delivered.
    """

    def __init__(self, name: str, deliver: Callable[[_Answer], None], failed: Callable[[Exception], None]) -> None:
        """Call `deliver` in the thread with the answer of a job, or `failed` with its exception."""
        self._name = name
        self._deliver = deliver
        self._failed = failed
        self._lock = threading.Condition()
        self._serial = 0  # of the newest job
        self._waiting: Callable[[threading.Event], _Answer] | None = None
        self._cancel = threading.Event()  # of the newest job
        self._thread: threading.Thread | None = None
        self._closed = False

    def ask(self, job: Callable[[threading.Event], _Answer]) -> None:
        """Run `job` as soon as the thread is free. Its argument is set when the answer is no longer wanted. Returns at
        once.
        """
        with self._lock:
            if self._closed:
                return
            self._cancel.set()
            self._cancel = threading.Event()
            self._serial += 1
            self._waiting = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=f"recall_rank {self._name}", daemon=True)
                self._thread.start()
            self._lock.notify_all()

    def close(self) -> None:
        """Cancel what runs and end the thread after it; nothing is delivered any more. Does not wait."""
        with self._lock:
            self._closed = True
            self._waiting = None
            self._cancel.set()
            self._lock.notify_all()

    def _run(self) -> None:
        while True:
            with self._lock:
                while self._waiting is None and not self._closed:
                    self._lock.wait()
                if self._waiting is None or self._closed:
                    return
                job, cancel, done = self._waiting, self._cancel, self._serial
                self._waiting = None
            try:
                answer = job(cancel)
            except Exception as error:  # noqa: BLE001 - a thread has nobody to raise to; the picker shows it
                if self._is_newest(done):
                    self._failed(error)
                continue
            if self._is_newest(done):
                self._deliver(answer)

    def _is_newest(self, serial: int) -> bool:
        with self._lock:
            return serial == self._serial and not self._closed
