"""A shard that is slow, gone or wrong is left out and named; what the others found is the answer."""

from __future__ import annotations

import os
import signal
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recall_rank.corpus import Index
from recall_rank.index.errors import MissingIndexError
from recall_rank.index.shards.questions import (
    EvidenceQuestion,
    NearAnswer,
    ShardReply,
    ShardRequest,
)
from recall_rank.shards.local_shard import LocalShard
from recall_rank.shards.process_shard import ProcessShard
from recall_rank.shards.shards import Shards
from tests.support.search.responses import told
from tests.support.search.samples import ENOUGH_MS, NOW
from tests.support.shards.broken_shard import BrokenShard, changed, done, segments_shard
from tests.support.shards.lanterns import BUDGET_MS, check_others_stand, history, wait_until_reached
from tests.support.shards.wire_shard import WireShard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def raising(*_: object) -> Future[Any]:
    raise OSError("no route")


def no_future(*_: object) -> Any:
    return {"hits": []}


WRONG: dict[str, tuple[Callable[[WireShard, ShardRequest], Future[Any]], str]] = {
    "silent": (lambda *_: Future(), "did not answer within"),
    "raises": (raising, "cannot be asked: no route"),
    "fails": (lambda *_: done(RuntimeError("oom")), "RuntimeError: oom"),
    "no future": (no_future, "its submit() returned an object of the class dict, no Future"),
    "no reply": (lambda *_: done({"hits": []}), "it answered with {'hits': []}"),
    "no answer": (lambda _, request: done(ShardReply(request.generation, None, "disk is gone")), "disk is gone"),
    "another answer": (
        lambda _, request: done(ShardReply(request.generation, NearAnswer([]))),
        "it answered with NearAnswer",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_the_others_found_stands(kind: str) -> None:
    broken, why = WRONG[kind]
    shards = Shards([segments_shard("a"), BrokenShard("b", broken), segments_shard("c")])
    begun = time.monotonic()
    response = shards.search("lantern", now=NOW, budget_ms=BUDGET_MS, results=50)
    assert time.monotonic() - begun < 5 * BUDGET_MS / 1000
    check_others_stand(response, "b", why)


def test_a_shard_that_is_gone_before_its_hits_are_read_loses_its_own_only() -> None:
    """In the order of time hits are counted first, then those of the page are read."""

    def answer(shard: WireShard, request: ShardRequest) -> Future[Any]:
        reading = isinstance(request.question, EvidenceQuestion) and request.question.wanted == "among"
        return done(OSError("gone")) if reading else WireShard.submit(shard, request)

    shards = Shards([segments_shard("a"), BrokenShard("b", answer), segments_shard("c")])
    response = shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, results=50, order="time")
    assert {result.session_id[0] for result in response.results} == {"a", "c"}
    assert response.coverage.not_reached == ("b",)


def test_a_shard_that_is_asked_at_the_last_moment_has_a_deadline() -> None:
    asked: list[int] = []

    def answer(shard: WireShard, request: ShardRequest) -> Future[Any]:
        asked.append(request.budget_ns)
        return WireShard.submit(shard, request)

    shards = Shards([BrokenShard("b", answer)])
    shards.search("lantern", now=NOW, budget_ms=0.001)
    assert asked
    assert 0 not in asked


@pytest.mark.parametrize("match", ["literal", "regex"])
def test_a_scan_stands_without_a_shard(match: str) -> None:
    if match == "regex":
        pytest.importorskip("re2")
    broken = BrokenShard("b", lambda *_: done(RuntimeError("oom")))
    shards = Shards([segments_shard("a"), broken, segments_shard("c")])
    response = shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, match=match, results=50)  # type: ignore[arg-type]
    assert {result.session_id[0] for result in response.results} == {"a", "c"}
    assert response.coverage.not_reached == ("b",)


def test_a_shard_that_ran_out_of_time_keeps_its_hits_and_is_named() -> None:
    def half(shard: WireShard, request: ShardRequest) -> Future[Any]:
        return changed(shard, request, complete=False)

    shards = Shards([segments_shard("a"), BrokenShard("b", half)])
    for match in ("smart", "literal"):
        response = shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, match=match, results=50)
        assert {result.session_id[0] for result in response.results} == {"a", "b"}
        assert response.coverage.not_reached == ("b",)
        assert response.coverage.parts.searched == 6


def test_a_shard_that_comes_back_is_searched_again() -> None:
    answers: list[bool] = []

    def sometimes(shard: WireShard, request: ShardRequest) -> Future[Any]:
        return WireShard.submit(shard, request) if answers else done(RuntimeError("oom"))

    shards = Shards([segments_shard("a"), BrokenShard("b", sometimes)])
    assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).coverage.not_reached == ("b",)
    answers.append(True)
    assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).coverage.not_reached == ()


def test_a_filtered_search_counts_what_it_did_not_reach() -> None:
    shards = Shards([segments_shard("a"), BrokenShard("b", raising), segments_shard("c")])
    response = shards.search(
        "lantern", now=NOW, budget_ms=ENOUGH_MS, exclude_session_ids=["a0", "b0", "b1", "b2"], results=50
    )
    assert response.coverage.sessions.eligible == 14
    assert response.coverage.sessions.not_reached == response.coverage.messages.not_reached == 3
    assert response.coverage.parts.not_reached == 3


# --- folders ----------------------------------------------------------------------------------------------


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    for name in ("a", "b", "c"):
        Index.build(history(name), folder=tmp_path / name).close()
    return {name: tmp_path / name for name in ("a", "b", "c")}


@pytest.fixture
def processes(folders: dict[str, Path]) -> Iterator[tuple[Shards, list[ProcessShard]]]:
    each = [ProcessShard(folder, name) for name, folder in folders.items()]
    with Shards(each) as shards:
        yield shards, each


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_folders_answer_as_one_index(folders: dict[str, Path], workers: Any) -> None:
    one = Index.build([each for name in folders for each in history(name)])
    with Shards.open(folders, workers=workers) as shards:
        assert shards.names == ("a", "b", "c")
        assert len(shards) == len(one) == 18
        for query in ("lantern", "lantrn rope", "number 3", "the tide"):
            assert told(shards.search(query, now=NOW, budget_ms=ENOUGH_MS)) == told(
                one.search(query, now=NOW, budget_ms=ENOUGH_MS)
            )
        with ThreadPoolExecutor(8) as pool:
            answers = pool.map(lambda _: told(shards.search("lantern rope", now=NOW, budget_ms=ENOUGH_MS)), range(64))
            assert all(answer == told(one.search("lantern rope", now=NOW, budget_ms=ENOUGH_MS)) for answer in answers)
    with pytest.raises(ValueError, match="closed"):
        shards.search("lantern")


def test_a_process_that_is_killed_is_named_and_started_again(
    processes: tuple[Shards, list[ProcessShard]],
) -> None:
    shards, (_, gone, _) = processes
    assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).coverage.not_reached == ()
    assert gone.pid is not None
    os.kill(gone.pid, signal.SIGKILL)
    check_others_stand(shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, results=50), "b", "its worker ")
    wait_until_reached(shards)


def test_a_process_finds_a_relative_folder_again_from_elsewhere(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(folders["a"].parent)
    with Shards([ProcessShard(folders["a"].name)]) as shards:
        assert shards.names == (folders["a"].name,)
        assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).coverage.not_reached == ()
        (elsewhere := tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(elsewhere)
        (shard,) = shards._current.group.shards
        assert isinstance(shard, ProcessShard)
        assert shard.pid is not None
        os.kill(shard.pid, signal.SIGKILL)
        shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS)
        wait_until_reached(shards)
        assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).total


def test_a_process_imports_nothing_of_the_working_folder(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "orjson.py").write_text("raise SystemExit('a module of the working folder')")
    monkeypatch.chdir(tmp_path)
    with Shards.open([folders["a"]], workers="processes") as shards:
        assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).coverage.not_reached == ()


@pytest.mark.posix
def test_a_process_that_stands_still_costs_half_of_one_budget(
    processes: tuple[Shards, list[ProcessShard]],
) -> None:
    shards, (_, still, _) = processes
    assert still.pid is not None
    shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS)
    os.kill(still.pid, signal.SIGSTOP)
    try:
        check_others_stand(
            shards.search("lantern", now=NOW, budget_ms=BUDGET_MS, results=50), "b", "did not answer within"
        )
        response = shards.search("lantern", now=NOW, budget_ms=60_000, results=50)
        check_others_stand(response, "b", "has not answered an earlier question yet")
        assert response.elapsed_ms < 10_000
    finally:
        os.kill(still.pid, signal.SIGCONT)
    wait_until_reached(shards)


def test_a_shard_with_a_damaged_row_is_left_out_until_reload(folders: dict[str, Path]) -> None:
    """Who asks reads rows of all shards, some of them only when they are shown."""
    with Shards.open(folders, workers="processes") as shards:
        whole = told(shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS))
        (segment,) = folders["b"].glob("segment-*")
        sound = segment.read_bytes()
        left_out = 0
        for at in range(0, len(sound), 512):
            damaged = bytearray(sound)
            damaged[at : at + 512] = bytes(len(damaged[at : at + 512]))
            segment.chmod(0o600)
            segment.write_bytes(damaged)
            with Shards.open(folders) as again:
                response = again.search("lantern", now=NOW, budget_ms=ENOUGH_MS, results=50)
                if told(response) == whole:
                    continue
                assert response.coverage.not_reached == ("b",)
                left_out += "its index is damaged" in response.warnings[0]
            assert again.names == ("a", "b", "c")
        assert left_out
        segment.write_bytes(sound)


def test_a_folder_that_is_missing_is_named_until_it_is_there(folders: dict[str, Path], tmp_path: Path) -> None:
    named = {**folders, "b": tmp_path / "later"}
    with Shards.open(named) as shards:
        response = shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, results=50)
        assert response.coverage.not_reached == ("b",)
        assert {result.session_id[0] for result in response.results} == {"a", "c"}
        Index.build(history("b"), folder=tmp_path / "later").close()
        shards.reload()
        assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).coverage.not_reached == ()
    with pytest.raises(MissingIndexError):
        Shards.open([tmp_path / "nowhere"])


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_an_index_that_changed_is_read_after_reload(folders: dict[str, Path], workers: Any) -> None:
    with Shards.open(folders, workers=workers) as shards:
        before = told(shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS))
        Index.build(history("b", 9), folder=folders["b"]).close()
        assert told(shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS)) == before
        shards.reload()
        one = Index.build([*history("a"), *history("b", 9), *history("c")])
        assert told(shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS)) == told(
            one.search("lantern", now=NOW, budget_ms=ENOUGH_MS)
        )


def test_a_worker_that_has_a_newer_state_makes_a_search_read_it(
    folders: dict[str, Path], processes: tuple[Shards, list[ProcessShard]]
) -> None:
    shards, (_, other, _) = processes
    Index.build(history("b", 9), folder=folders["b"]).close()
    assert other.pid is not None
    os.kill(other.pid, signal.SIGKILL)  # the next one opens the newer state
    wait_until_reached(shards)
    one = Index.build([*history("a"), *history("b", 9), *history("c")])
    assert told(shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS)) == told(
        one.search("lantern", now=NOW, budget_ms=ENOUGH_MS)
    )


def test_shards_have_different_names_and_known_workers(folders: dict[str, Path]) -> None:
    with pytest.raises(ValueError, match="different names"):
        Shards([segments_shard("a"), segments_shard("a")])
    with pytest.raises(ValueError, match="at least one"):
        Shards([])
    with pytest.raises(ValueError, match="'threads', 'processes' or 'ray'"):
        Shards.open(folders, workers="machines")  # type: ignore[arg-type]


def test_workers_of_ray_need_its_extra(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(RuntimeError, match=r"pip install 'recall-rank\[ray\]'"):
        Shards.open(folders, workers="ray")


def test_an_executor_of_the_caller_works_for_shards() -> None:
    with ThreadPoolExecutor(2) as pool:
        shards = Shards([LocalShard.of_sessions(name, history(name), pool) for name in ("a", "b")])
        assert len(shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS, results=50).results) == 12
