"""Workers that run the tasks of a build: processes of this machine, or tasks of Ray."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

from recall_rank.shards.building.unit_tasks import Task, run_task
from recall_rank.shards.ray_cluster import connected, placement, reason

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

TRIES: Final = 4  # of one task whose worker is lost
SAFE_PATH: Final = "PYTHONSAFEPATH"  # the variable by which Python does not look for modules in the working folder

T = TypeVar("T")
_starting: Final = threading.Lock()  # held while a process starts, since the variables are those of all threads


class WorkersLostError(RuntimeError):
    """A task was given up, because the workers that ran it were lost, one after the other, or Ray gave it up."""


class TaskWorkers(Protocol):
    """Runs tasks at the same time."""

    def run(self, tasks: Sequence[Task[T]]) -> Iterator[tuple[int, T]]:
        """Yield the number of each task and its result, in the order in which they end.

        A worker that is lost costs its own task only, which is run again. Raises the error of a task, and
        WorkersLostError; the tasks that ended before are done.
        """

    def close(self) -> None:
        """End the workers."""


class ProcessWorkers:
    """Processes of this machine. Each has a pool of its own: where one ends, the pool breaks with all that it ran."""

    def __init__(self, count: int) -> None:
        self._slots = [_OneProcess() for _ in range(count)]
        self._free: queue.SimpleQueue[_OneProcess] = queue.SimpleQueue()
        for slot in self._slots:
            self._free.put(slot)

    def run(self, tasks: Sequence[Task[T]]) -> Iterator[tuple[int, T]]:
        with ThreadPoolExecutor(len(self._slots)) as threads:
            numbers = {threads.submit(self._run, task): number for number, task in enumerate(tasks)}
            try:
                for done in as_completed(numbers):
                    yield numbers[done], done.result()
            finally:
                for future in numbers:
                    future.cancel()

    def _run(self, task: Task[T]) -> T:
        slot = self._free.get()
        try:
            return slot.run(task)
        finally:
            self._free.put(slot)

    def close(self) -> None:
        for slot in self._slots:
            slot.close()


class _OneProcess:
    """A process that is started with the first task, and again after it was lost."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def run(self, task: Task[T]) -> T:
        for _ in range(TRIES):
            try:
                with _safe_path():
                    if self._pool is None:
                        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)
                    result = self._pool.submit(run_task, task)  # which starts the process
                return result.result()
            except BrokenProcessPool:
                self.close()
        raise WorkersLostError(f"{TRIES} processes that ran the same task ended, perhaps because memory was short")

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let processes that start meanwhile import nothing from the working folder, which may hold any file."""
    with _starting:
        before = os.environ.get(SAFE_PATH)
        os.environ[SAFE_PATH] = "1"
        try:
            yield
        finally:
            if before is None:
                del os.environ[SAFE_PATH]
            else:
                os.environ[SAFE_PATH] = before


def _begin() -> None:
    """Begin the process of a worker: it ends with the process that started it, however that ends."""
    # Ctrl-C is meant for who waits: the task goes on to its end, which the next build finds
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    cast("BaseProcess", multiprocessing.parent_process()).join()
    os._exit(1)


class RayWorkers:
    """Tasks of Ray. The sources and the folder must be in reach under their paths on every node."""

    def __init__(self, address: str = "") -> None:
        """Connect to Ray; see connected()."""
        self._ray = connected(address)

    def run(self, tasks: Sequence[Task[T]]) -> Iterator[tuple[int, T]]:
        options = {"num_cpus": 1, "max_retries": TRIES - 1, **placement(self._ray, "", {})}
        remote = self._ray.remote(**options)(run_task).remote
        numbers = {remote(task): number for number, task in enumerate(tasks)}
        left = list(numbers)
        try:
            while left:
                (done, *_), left = self._ray.wait(left, num_returns=1)
                yield numbers[done], self._ray.get(done)
        except self._ray.exceptions.RayError as error:
            raise WorkersLostError(f"a task of Ray failed: {reason(error)}") from error
        finally:
            for each in left:
                self._ray.cancel(each)

    def close(self) -> None:
        """Leave Ray as it is: who connected to it ends it, or the end of this process."""
