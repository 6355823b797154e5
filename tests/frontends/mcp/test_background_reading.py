"""BackgroundHistories: refreshes that many calls ask for at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recall_rank.frontends.mcp.background_reading import BackgroundHistories

PATIENCE = 30.0  # seconds for what takes milliseconds on a machine that does nothing else


class HeldRecall:
    """A Recall whose refreshes each wait until a test lets them end."""

    folder = None

    def __init__(self) -> None:
        self.began = threading.Semaphore(0)
        self.gate = threading.Semaphore(0)
        self.refreshes = 0
        self.problem: Exception | None = None

    def prepare(self, *_: Any, **__: Any) -> None:
        pass

    def refresh(self) -> None:
        self.refreshes += 1
        self.began.release()
        assert self.gate.acquire(timeout=PATIENCE)
        if self.problem is not None:
            raise self.problem


@pytest.fixture
def recall() -> Iterator[HeldRecall]:
    made = HeldRecall()
    yield made
    made.gate.release(100)


@pytest.fixture
def histories(recall: HeldRecall) -> BackgroundHistories:
    made = BackgroundHistories(recall)  # type: ignore[arg-type]
    assert made.wait(PATIENCE)
    return made


def soon(true: Callable[[], bool]) -> bool:
    """Whether something becomes true."""
    until = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < until:
        time.sleep(0.001)
    return true()


def refreshing() -> int:
    return sum(thread.name == "refresh" for thread in threading.enumerate())


def asked(histories: BackgroundHistories) -> threading.Thread:
    """A thread that waits for a refresh."""
    thread = threading.Thread(target=histories.refresh_within, args=(PATIENCE,), daemon=True)
    thread.start()
    return thread


def test_calls_that_come_during_a_refresh_share_the_next(recall: HeldRecall, histories: BackgroundHistories) -> None:
    """Regression: each call started a thread and a refresh of its own."""
    assert soon(lambda: refreshing() == 0)  # of other tests
    histories.refresh_within(0.0)
    assert recall.began.acquire(timeout=PATIENCE)
    for _ in range(8):
        histories.refresh_within(0.0)
    histories.keep_fresh()
    assert refreshing() == 1
    recall.gate.release(100)
    assert soon(lambda: refreshing() == 0)
    assert recall.refreshes == 2


def test_a_call_waits_for_a_refresh_that_began_after_it(recall: HeldRecall, histories: BackgroundHistories) -> None:
    first = asked(histories)
    assert recall.began.acquire(timeout=PATIENCE)
    second = asked(histories)
    assert soon(lambda: histories._wanted == 2)
    recall.gate.release()
    first.join(PATIENCE)
    assert not first.is_alive()
    assert recall.began.acquire(timeout=PATIENCE)
    assert second.is_alive()
    recall.gate.release()
    second.join(PATIENCE)
    assert not second.is_alive()
    assert recall.refreshes == 2


def test_a_refresh_that_fails_is_told_until_one_succeeds(recall: HeldRecall, histories: BackgroundHistories) -> None:
    recall.gate.release(2)
    recall.problem = OSError("the disk is gone")
    histories.refresh_within(PATIENCE)
    assert histories.problem == "the disk is gone"
    recall.problem = None
    histories.refresh_within(PATIENCE)
    assert histories.problem == ""


def test_a_refresh_that_cannot_be_started_is_told(
    recall: HeldRecall, histories: BackgroundHistories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine that has no thread left; the next call tries again."""

    def none_left(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    histories._next = 0.0
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", none_left)
        histories.keep_fresh()
        histories.refresh_within(PATIENCE)
    assert histories.problem == "can't start new thread"
    recall.gate.release()
    histories.refresh_within(PATIENCE)
    assert (histories.problem, recall.refreshes) == ("", 1)
