"""What is closed starts nothing any more, a worker that ended is not waited for, and a search has one budget."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from recall_rank.corpus import Index
from recall_rank.index.errors import MissingIndexError
from recall_rank.index.segment.build import build
from recall_rank.index.shards.questions import ScanQuestion, ShardReply, ShardRequest
from recall_rank.shards import ray_shard, shard_folders
from recall_rank.shards.local_shard import LocalShard
from recall_rank.shards.process_shard import ProcessShard, _ServingProcess
from recall_rank.shards.replicas import ReplicatedShard
from recall_rank.shards.shards import Shards
from recall_rank.shards.worker import CHANGED
from tests.support.search.samples import ENOUGH_MS, NOW
from tests.support.shards.lanterns import BUDGET_MS, check_others_stand, history
from tests.support.shards.wire_shard import WireShard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recall_rank.shards.contract import ShardContents

QUESTION = ShardRequest("", ScanQuestion("lantern", False, None))


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[ProcessShard]:
    Index.build(history("a"), folder=tmp_path / "a").close()
    made = ProcessShard(tmp_path / "a")
    made.contents()
    yield made
    made.close()


class ChangedShard(WireShard):
    """A shard that says to its first question that its index has changed, after `before` was called."""

    def __init__(self, name: str, before: Callable[[], None] = lambda: None) -> None:
        super().__init__(name, [build(history(name))], [frozenset()])
        self.before = before
        self.reload: Callable[[], object] = lambda: None
        self.asked: list[ShardRequest] = []

    def contents(self) -> ShardContents:
        self.reload()
        return super().contents()

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        self.asked.append(request)
        if len(self.asked) > 1:
            return super().submit(request)
        self.before()
        future: Future[ShardReply] = Future()
        future.set_result(ShardReply("another", None, CHANGED))
        return future


def steady(name: str) -> WireShard:
    return WireShard(name, [build(history(name))], [frozenset()])


# --- closing ----------------------------------------------------------------------------------------------


def test_a_process_is_not_started_again_after_its_shard_was_closed(shard: ProcessShard) -> None:
    assert shard.pid is not None
    shard.close()
    shard._started_ns = -(10**18)  # it may be started again, as far as its last start tells
    reply = shard.submit(QUESTION).result(30)
    assert (reply.answer, reply.problem) == (None, "it was closed")
    shard.start()
    assert shard.contents().segments
    assert shard.pid is None


def test_a_thread_opens_nothing_after_its_shard_was_closed() -> None:
    with ThreadPoolExecutor(1) as pool:
        shard = LocalShard.of_sessions("a", history("a"), pool)
        shard.close()
        assert shard.submit(QUESTION).result(30).problem == "it was closed"
        assert shard._worker is None


def test_shards_that_were_closed_stay_closed() -> None:
    shards = Shards([steady("a")])
    shards.close()
    with pytest.raises(ValueError, match="closed"):
        shards.reload()
    with pytest.raises(ValueError, match="closed"):
        shards.search("lantern")


def test_a_search_that_runs_while_shards_are_closed_opens_none_of_them_again() -> None:
    changed = ChangedShard("b")
    shards = Shards([steady("a"), changed, steady("c")])
    changed.before = shards.close
    check_others_stand(
        shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, results=50), "b", "its index is in another state"
    )
    with pytest.raises(ValueError, match="closed"):
        shards.search("lantern")


@pytest.mark.parametrize("workers", ["threads", "ray"])
def test_all_workers_end_when_no_shard_can_be_opened(
    tmp_path: Path, workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []

    class Actor:
        def __init__(self, folder: str, name: str) -> None:
            self.folder, self.name = folder, name

        def start(self) -> None:
            pass

        def contents(self) -> None:
            raise MissingIndexError("no index")

        def close(self) -> None:
            ended.append(self.name)

    pools: list[ThreadPoolExecutor] = []

    def pool(*given: Any, **named: Any) -> ThreadPoolExecutor:
        pools.append(ThreadPoolExecutor(*given, **named))
        return pools[-1]

    monkeypatch.setattr(ray_shard, "RayShard", Actor)
    monkeypatch.setattr(shard_folders, "ThreadPoolExecutor", pool)
    with pytest.raises(MissingIndexError):
        Shards.open({"a": tmp_path / "a", "b": tmp_path / "b"}, workers=workers)
    if workers == "ray":
        assert sorted(ended) == ["a", "b"]
    else:
        with pytest.raises(RuntimeError, match="shutdown"):
            pools[0].submit(int)


# --- a worker that ended ----------------------------------------------------------------------------------


@pytest.mark.posix
def test_a_worker_that_ended_is_not_waited_for(shard: ProcessShard, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands still here, as one does that ends slowly; what it has sent was no answer."""
    assert shard.pid is not None
    assert shard._connection is not None
    process = shard._connection._process
    os.kill(shard.pid, signal.SIGSTOP)
    shard._connection.owed.end("its worker sent what is no answer")

    def waiting(_: object) -> None:
        raise AssertionError("it waits for the process")

    with monkeypatch.context() as patch:
        patch.setattr(_ServingProcess, "close", waiting)
        assert shard.submit(QUESTION).result(30).answer is None
    deadline = time.monotonic() + 30
    while process.returncode is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert process.returncode == -signal.SIGKILL, "it was killed and reaped by nobody's call"


# --- one budget -------------------------------------------------------------------------------------------


def test_a_shard_that_is_read_again_too_slowly_costs_one_budget() -> None:
    changed, may_go_on, read = ChangedShard("b"), Event(), Event()
    shards = Shards([steady("a"), changed, steady("c")])
    first = shards._current

    def slow() -> None:
        may_go_on.wait(30)
        read.set()

    changed.reload = slow
    response = shards.search("lantern", now=NOW, budget_ms=BUDGET_MS, results=50)
    assert not read.is_set(), "the search ended before the shard was read"
    check_others_stand(response, "b", "its index is in another state")
    may_go_on.set()
    deadline = time.monotonic() + 30
    while shards._current is first and time.monotonic() < deadline:
        time.sleep(0.01)
    assert shards._current is not first, "later searches read the newest state"


def test_a_search_of_shards_that_were_read_again_has_what_is_left_of_its_budget() -> None:
    changed = ChangedShard("a")
    shards = Shards([changed])
    changed.reload = lambda: time.sleep(0.3)
    response = shards.search("lantern", now=NOW, budget_ms=20_000)
    assert response.results
    assert response.elapsed_ms >= 300
    first, second = changed.asked[0].budget_ns, max(request.budget_ns for request in changed.asked[1:])
    assert second < first - 100_000_000  # a question gets .45 of the time that is left


def test_a_shard_that_cannot_be_read_again_stays_as_it_was() -> None:
    """One that has changed makes a search read all again; another that cannot be read then is searched nevertheless."""
    changed, kept = ChangedShard("b"), steady("a")
    shards = Shards([kept, changed, steady("c")])
    kept.contents = _unreadable  # type: ignore[method-assign]
    for _ in range(2):
        response = shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, results=50)
        assert response.coverage.not_reached == ()
        assert {result.session_id[0] for result in response.results} == {"a", "b", "c"}
    shards.reload()
    assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).coverage.not_reached == ("a",)


def _unreadable() -> ShardContents:
    raise OSError("the disk is gone")


# --- shards of others ---------------------------------------------------------------------------------------


def test_an_error_of_one_close_leaves_no_shard_open() -> None:
    closed: list[str] = []

    class Failing(WireShard):
        def close(self) -> None:
            closed.append(self.name)
            raise RuntimeError(f"{self.name} does not end")

    def made(name: str) -> WireShard:
        return Failing(name, [build(history(name))], [frozenset()])

    with ThreadPoolExecutor(1) as pool:
        shards = Shards([made("a"), ReplicatedShard([made("b"), made("c")], "copies"), made("d")], executor=pool)
        with pytest.raises(RuntimeError, match="does not end"):
            shards.close()
        assert sorted(closed) == ["a", "b", "c", "d"]
        with pytest.raises(RuntimeError, match="shutdown"):
            pool.submit(int)


@pytest.mark.posix
@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_shards_say_in_a_forked_process_that_they_cannot_be_searched(tmp_path: Path, workers: Any) -> None:
    Index.build(history("a"), folder=tmp_path / "a").close()
    with Shards.open([tmp_path / "a"], workers=workers) as shards:
        assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).total
        child = os.fork()
        if not child:
            status = 1
            try:
                shards.search("lantern")
            except RuntimeError as error:
                shards.close()  # which leaves the workers of the parent alone
                status = 0 if "open them again here" in str(error) else 2
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).coverage.not_reached == ()
