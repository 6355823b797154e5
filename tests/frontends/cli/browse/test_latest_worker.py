"""The last key wins: of several jobs only the answer of the newest one is delivered."""

from __future__ import annotations

import threading
import time

from recall_rank.frontends.cli.browse.latest_worker import LatestWorker


def until(is_so: object, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.002)


def test_the_answer_of_an_older_job_is_not_delivered() -> None:
    answers: list[str] = []
    errors: list[Exception] = []
    started, go = threading.Event(), threading.Event()
    cancelled: list[bool] = []

    def slow(cancel: threading.Event) -> str:
        started.set()
        assert go.wait(10)
        cancelled.append(cancel.is_set())
        return "old"

    worker: LatestWorker[str] = LatestWorker("test", answers.append, errors.append)
    worker.ask(slow)
    assert started.wait(10)
    worker.ask(lambda _: "never begun")
    worker.ask(lambda _: "new")
    go.set()
    until(lambda: answers)
    time.sleep(0.05)
    assert answers == ["new"]
    assert cancelled == [True]  # the older job could have ended early
    assert errors == []
    worker.close()


def test_errors_are_handed_over_and_the_thread_goes_on() -> None:
    answers: list[int] = []
    errors: list[Exception] = []
    worker: LatestWorker[int] = LatestWorker("test", answers.append, errors.append)
    worker.ask(lambda _: 1 // 0)
    until(lambda: errors)
    worker.ask(lambda _: 7)
    until(lambda: answers)
    assert isinstance(errors[0], ZeroDivisionError)
    worker.close()


def test_an_error_of_an_older_job_is_not_told() -> None:
    answers: list[int] = []
    errors: list[Exception] = []
    started, go = threading.Event(), threading.Event()

    def failing(_: threading.Event) -> int:
        started.set()
        go.wait(10)
        raise ValueError("old")

    worker: LatestWorker[int] = LatestWorker("test", answers.append, errors.append)
    worker.ask(failing)
    assert started.wait(10)
    worker.ask(lambda _: 1)
    go.set()
    until(lambda: answers)
    assert errors == []
    worker.close()


def test_a_closed_worker_delivers_nothing_and_its_thread_ends() -> None:
    answers: list[int] = []
    started, go = threading.Event(), threading.Event()

    def slow(_: threading.Event) -> int:
        started.set()
        go.wait(10)
        return 1

    worker: LatestWorker[int] = LatestWorker("closing", answers.append, lambda _: None)
    worker.ask(slow)
    assert started.wait(10)
    worker.close()
    worker.ask(lambda _: 2)
    go.set()
    until(lambda: not any(thread.name == "recall_rank closing" for thread in threading.enumerate()))
    assert answers == []
