"""Shards that tasks of Ray build. Skipped with one line where Ray is not installed."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from recall_rank.shards.building.build import build_shards
from recall_rank.shards.building.task_workers import RayWorkers, WorkersLostError
from recall_rank.shards.building.unit_tasks import MergeInput, MergeTask
from recall_rank.shards.shards import Shards
from tests.support.search.samples import ENOUGH_MS, NOW
from tests.support.shards.inline_workers import InlineWorkers
from tests.support.shards.small_histories import write_session

pytestmark = [pytest.mark.slow, pytest.mark.posix, pytest.mark.usefixtures("ray")]


def worker_pids() -> list[int]:
    """Return the processes that run tasks of a build."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ray::run_task" in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def test_tasks_of_ray_build_what_this_process_builds(tmp_path: Path) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    for number in range(12):
        write_session(folder / f"history{number}.jsonl", f"s{number}", f"the lantern {number}")
    killed: list[int] = []

    def kill() -> None:
        deadline = time.monotonic() + 120
        while not killed and time.monotonic() < deadline:
            for pid in worker_pids():
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                return
            time.sleep(0.001)

    killer = threading.Thread(target=kill)
    killer.start()
    report = build_shards([str(folder)], tmp_path / "out", 2, RayWorkers())
    killer.join()
    assert killed, "no worker was lost"
    assert (report.read, report.reused, report.sessions, report.failures) == (12, 0, 12, ())
    again = InlineWorkers()
    assert build_shards([str(folder)], tmp_path / "out", 2, again).shards == report.shards
    assert again.done == []
    with Shards.open(tmp_path / "out", workers="ray") as shards:
        response = shards.search("lantern", now=NOW, results=50, budget_ms=ENOUGH_MS)
        assert len(response.results) == 12
        assert response.coverage.not_reached == ()


def test_the_error_of_a_task_ends_the_build(tmp_path: Path) -> None:
    task = MergeTask(str(tmp_path / "out"), 5, (MergeInput(str(tmp_path), ()),))
    with pytest.raises(WorkersLostError, match=r"a task of Ray failed: .*MissingIndexError"):
        list(RayWorkers().run([task]))
