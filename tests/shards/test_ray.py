"""Shards for which actors of Ray work: a real Ray on this machine. Skipped with one line where Ray is not installed."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recall_rank.corpus import Index
from recall_rank.index.shards.questions import ScanAnswer, ScanQuestion, ShardRequest
from recall_rank.shards.owed_answers import BUSY
from recall_rank.shards.ray_cluster import NOT_CONNECTED
from recall_rank.shards.ray_shard import RayShard
from recall_rank.shards.replicas import ReplicatedShard
from recall_rank.shards.restarted_shard import ENDED
from recall_rank.shards.shards import Shards
from tests.support.search.responses import told
from tests.support.search.samples import NOW
from tests.support.shards.lanterns import check_others_stand, history, wait_until_reached
from tests.support.shards.sleepy_shard import SLEEP, SleepyShard

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.posix, pytest.mark.usefixtures("ray")]

NAMES = ("a", "b", "c")
BUDGET_MS = 8_000.0  # of a search on a busy machine: actors share two processors with what else runs


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    for name in NAMES:
        Index.build(history(name), folder=tmp_path / name / "index").close()
    return {name: tmp_path / name / "index" for name in NAMES}


@pytest.fixture
def actors(folders: dict[str, Path]) -> Iterator[tuple[Shards, list[RayShard]]]:
    each: list[RayShard] = [SleepyShard(folder, name) for name, folder in folders.items()]
    with Shards(each) as shards:
        yield shards, each


def request_of(shard: RayShard, seconds: float = 20) -> ShardRequest:
    return ShardRequest(shard.contents().generation, ScanQuestion("lantern", False, None), int(seconds * 1e9))


def test_actors_answer_as_one_index(folders: dict[str, Path]) -> None:
    one = Index.build([each for name in NAMES for each in history(name)])
    with Shards.open(folders, workers="ray") as shards:
        assert len(shards) == len(one) == 18
        for query in ("lantern", "lantrn rope", "number 3", "the tide"):
            for match in ("smart", "literal", "fuzzy"):
                response = shards.search(query, now=NOW, match=match, budget_ms=BUDGET_MS)
                assert response.coverage.not_reached == ()
                assert told(response) == told(one.search(query, now=NOW, match=match))
        with ThreadPoolExecutor(8) as pool:
            answers = pool.map(lambda _: told(shards.search("lantern rope", now=NOW, budget_ms=BUDGET_MS)), range(64))
            assert all(answer == told(one.search("lantern rope", now=NOW)) for answer in answers)
    with pytest.raises(ValueError, match="closed"):
        shards.search("lantern")


def test_an_actor_that_is_killed_is_named_and_started_again(actors: tuple[Shards, list[RayShard]], ray: Any) -> None:
    shards, (_, gone, _) = actors
    assert shards.search("lantern", now=NOW, budget_ms=BUDGET_MS).coverage.not_reached == ()
    first = gone.pid
    assert gone._connection is not None
    ray.kill(gone._connection._actor)
    begun = time.monotonic()
    response = shards.search("lantern", now=NOW, results=50, budget_ms=BUDGET_MS)
    assert time.monotonic() - begun < BUDGET_MS / 1000
    check_others_stand(response, "b", ENDED)
    wait_until_reached(shards)
    assert gone.pid not in (None, first)


def test_a_process_of_an_actor_that_is_killed_is_started_again(actors: tuple[Shards, list[RayShard]]) -> None:
    shards, (_, gone, _) = actors
    assert gone.pid is not None
    os.kill(gone.pid, signal.SIGKILL)
    check_others_stand(shards.search("lantern", now=NOW, results=50, budget_ms=BUDGET_MS), "b", "its worker ")
    wait_until_reached(shards)


def test_an_actor_that_sleeps_costs_half_of_one_budget(
    actors: tuple[Shards, list[RayShard]], folders: dict[str, Path]
) -> None:
    shards, _ = actors
    sign = folders["b"].parent / SLEEP
    sign.touch()
    check_others_stand(shards.search("lantern", now=NOW, budget_ms=BUDGET_MS, results=50), "b", "did not answer within")
    sign.unlink()
    response = shards.search("lantern", now=NOW, budget_ms=60_000, results=50)
    check_others_stand(response, "b", BUSY)
    assert response.elapsed_ms < 5_000
    wait_until_reached(shards)


def test_a_task_that_is_cancelled_before_it_begins_never_begins(
    actors: tuple[Shards, list[RayShard]], folders: dict[str, Path]
) -> None:
    _, (_, shard, _) = actors
    request = request_of(shard)
    sign = folders["b"].parent / SLEEP
    sign.touch()
    running = shard.submit(request)
    waiting = [shard.submit(request) for _ in range(3)]
    assert all(each.cancel() for each in waiting)
    with pytest.raises(CancelledError):
        waiting[0].result(1)
    answer = running.result(30).answer
    assert isinstance(answer, ScanAnswer)
    assert len(answer.parts) == 6
    sign.unlink()
    last = shard.submit(request)  # behind the cancelled ones
    assert last.result(30).answer == answer
    assert (sign.parent / "asked").read_text(encoding="utf-8").splitlines() == ["asked"]


def test_tasks_that_are_cancelled_at_once_hold_nobody_up(folders: dict[str, Path]) -> None:
    shard = RayShard(folders["a"])
    request = request_of(shard, 60)
    for number in range(60):
        asked = [shard.submit(request) for _ in range(1 + number % 4)]
        time.sleep((number % 3) / 1000)
        for each in asked[1:]:
            each.cancel()
        assert asked[0].result(30).answer is not None
    shard.close()


def test_without_a_connection_nothing_is_started(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, ray: Any
) -> None:
    shard = RayShard(folders["a"])
    request = request_of(shard)
    with monkeypatch.context() as patch:
        patch.setattr(ray, "is_initialized", lambda: False)
        assert shard.submit(request).result(0).problem == NOT_CONNECTED
    shard.close()


def test_the_other_replica_answers_for_one_that_sleeps_or_is_gone(tmp_path: Path, folders: dict[str, Path]) -> None:
    Index.build(history("b"), folder=tmp_path / "copy" / "index").close()
    one = Index.build([each for name in NAMES for each in history(name)])
    first, second = SleepyShard(folders["b"], "first"), SleepyShard(folders["b"], "second")
    replicated = ReplicatedShard([first, second], "b")
    second.start()
    with Shards([RayShard(folders["a"], "a"), replicated, RayShard(folders["c"], "c")]) as shards:
        second.contents()  # waits until it is ready
        assert first.pid != second.pid
        os.kill(first.pid or 0, signal.SIGSTOP)
        try:
            response = shards.search("lantern rope", now=NOW, budget_ms=BUDGET_MS)
        finally:
            os.kill(first.pid or 0, signal.SIGCONT)
        assert response.coverage.not_reached == ()
        assert told(response) == told(one.search("lantern rope", now=NOW, budget_ms=BUDGET_MS))
        os.kill(first.pid or 0, signal.SIGKILL)
        response = shards.search("lantern rope", now=NOW, budget_ms=BUDGET_MS)
        assert response.coverage.not_reached == ()


def test_an_actor_runs_on_the_node_that_was_named(folders: dict[str, Path], ray: Any) -> None:
    (node,) = ray.nodes()
    for shard in (
        RayShard(folders["a"], node_id=node["NodeID"]),
        RayShard(folders["b"], resources={"shard-b": 0.01}),
    ):
        shard.contents()
        assert shard.node_id == node["NodeID"]
        assert shard.submit(request_of(shard)).result(30).answer is not None
        shard.close()


def test_an_actor_whose_node_does_not_exist_is_named(folders: dict[str, Path]) -> None:
    lost = RayShard(folders["b"], "b", node_id="ab" * 28)
    with Shards([RayShard(folders["a"], "a"), lost, RayShard(folders["c"], "c")]) as shards:
        check_others_stand(shards.search("lantern", now=NOW, results=50, budget_ms=BUDGET_MS), "b", "its worker ")
        assert lost.pid is None


def test_a_folder_that_is_missing_is_named_until_it_is_there(folders: dict[str, Path], tmp_path: Path) -> None:
    named = {**folders, "b": tmp_path / "later"}
    with Shards.open(named, workers="ray") as shards:
        assert shards.search("lantern", now=NOW, results=50, budget_ms=BUDGET_MS).coverage.not_reached == ("b",)
        Index.build(history("b"), folder=tmp_path / "later").close()
        time.sleep(1.1)  # the actor failed to open it, and is not started twice in a second
        shards.reload()
        wait_until_reached(shards)


def test_a_relative_folder_is_one_of_who_asks(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folders["a"].parent.parent)  # not where the actors work
    with Shards.open([Path(name, "index") for name in folders], workers="ray") as shards:
        assert shards.names == tuple(str(Path(name, "index")) for name in folders)
        assert shards.search("lantern", now=NOW, budget_ms=BUDGET_MS).coverage.not_reached == ()


def test_an_index_that_changed_is_read_after_reload(folders: dict[str, Path]) -> None:
    with Shards.open(folders, workers="ray") as shards:
        before = told(shards.search("lantern", now=NOW, budget_ms=BUDGET_MS))
        Index.build(history("b", 9), folder=folders["b"]).close()
        assert told(shards.search("lantern", now=NOW, budget_ms=BUDGET_MS)) == before
        shards.reload()
        one = Index.build([*history("a"), *history("b", 9), *history("c")])
        assert told(shards.search("lantern", now=NOW, budget_ms=BUDGET_MS)) == told(one.search("lantern", now=NOW))


def test_a_closed_shard_answers_no_more(folders: dict[str, Path]) -> None:
    shard = RayShard(folders["a"])
    request = request_of(shard)
    pid = shard.pid
    assert pid is not None
    (folders["a"].parent / SLEEP).touch()
    shard.close()
    shard.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and Path(f"/proc/{pid}").exists():
        time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert request.question == ScanQuestion("lantern", False, None)
