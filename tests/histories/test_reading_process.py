"""A large reading runs in a process of its own: the index is the same, and the memory ends with the process."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_rank.histories import cached_backend
from recall_rank.histories.cache import reading_process
from recall_rank.histories.cache.reading_process import MODULE, refresh_in_process
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.loaders import open_sources
from recall_rank.model import Message, Part, Reading, Session, Source, Unit
from recall_rank.recall import Recall
from tests.support.histories.every_store import STORES
from tests.support.histories.machine import Machine
from tests.support.histories.rebuilt import ASKED
from tests.support.search.samples import ENOUGH_MS, NOW

UNKNOWN = "recall_rank.no_such_module"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Let every reading be a large one, and yield the processes that were started for it."""
    monkeypatch.setattr(cached_backend, "LARGE_BYTES", 1)
    found: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *given: object, **named: object) -> None:
            super().__init__(*given, **named)  # type: ignore[call-overload]
            if MODULE in self.args or UNKNOWN in self.args:  # type: ignore[operator]
                found.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    yield found
    assert all(each.poll() is not None for each in found), "no process remains"


def test_the_index_is_that_of_a_reading_in_this_process(tmp_path: Path, started: list[subprocess.Popen[bytes]]) -> None:
    machine = Machine(tmp_path / "home", 3)
    stages: set[str] = set()
    with Recall(machine.sources(), cache=tmp_path / "cache") as recall:
        recall.prepare(lambda stage, *_: stages.add(stage))
        for _ in range(3):
            memory = Recall(machine.sources())
            for text in ASKED:
                ours, theirs = (each.search(text, now=NOW, budget_ms=ENOUGH_MS) for each in (recall, memory))
                assert [(hit.part_id, hit.score) for hit in ours.results] == [
                    (hit.part_id, hit.score) for hit in theirs.results
                ]
            machine.change()
            report = recall.refresh()
            assert report.changed
            assert report.units
    assert len(started) == 4
    assert stages >= {"reading", "indexing"}


def test_what_progress_raises_ends_the_process(tmp_path: Path, started: list[subprocess.Popen[bytes]]) -> None:
    machine = Machine(tmp_path / "home", 3)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with Recall(machine.sources(), cache=tmp_path / "cache") as recall, pytest.raises(KeyboardInterrupt):
        recall.prepare(stop)
    assert len(started) == 1


def test_a_lost_process_is_told_and_the_old_index_answers(
    tmp_path: Path, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(tmp_path / "home", 3)
    with Recall(machine.sources(), cache=tmp_path / "cache") as recall:
        recall.prepare()
        machine.change()
        monkeypatch.setattr(reading_process, "MODULE", UNKNOWN)
        with pytest.raises(OSError, match="the process that read the histories ended with 1"):
            recall.refresh()
        answer = recall.search("lantern", budget_ms=ENOUGH_MS)
        assert "not_read_yet" in answer.coverage.limited_by
        monkeypatch.setattr(reading_process, "MODULE", MODULE)
        assert recall.refresh().changed
        assert recall.search("lantern").coverage.limited_by == ()
    assert len(started) >= 3


class Unsendable:
    """A source that no process can be sent."""

    name = "here"

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.location = str(folder)
        (folder / "one").write_text("the lantern", encoding="utf-8")

    def __reduce__(self) -> str:
        raise TypeError("not this one")

    def units(self) -> list[Unit]:
        return [Unit("one", f"{self.location}/one")]

    def signature(self, unit: Unit) -> bytes:
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        text = Path(unit.location).read_text(encoding="utf-8")
        return Reading([Session("one", (Message("m", "user", NOW, (Part("p", "text", text),)),))])


class Endless:
    """A source whose unit is never read to its end."""

    name = "endless"

    def __init__(self, location: str) -> None:
        self.location = location

    def units(self) -> list[Unit]:
        return [Unit("one", f"{self.location}/one")]

    def signature(self, unit: Unit) -> bytes:
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        time.sleep(60)
        return Reading([])


def test_a_source_that_cannot_be_sent_is_read_in_this_process(
    tmp_path: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    source: Source = Unsendable(tmp_path / "folder")
    with Recall([source], cache=tmp_path / "cache") as recall:
        assert recall.search("lantern").total == 1
    assert started == []


@pytest.mark.parametrize("store", STORES)
def test_sources_can_be_sent_to_a_process(tmp_path: Path, store: str) -> None:
    """Regression: no source with a database could be, since its connection has a lock."""
    STORES[store](tmp_path / "home")
    sources = open_sources(tmp_path / "home")
    for source in sources:
        again = pickle.loads(pickle.dumps(source))
        for unit in source.units():
            assert again.signature(unit) == source.signature(unit)
            assert again.read(unit).sessions == source.read(unit).sessions


def test_errors_of_the_refresh_are_raised_here(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "home", 2)
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "cache" / "index").write_text("no folder", encoding="utf-8")
    with pytest.raises(OSError, match="index"):
        refresh_in_process(tmp_path / "cache" / "index", machine.sources(), RefreshRules(), None)


@pytest.mark.posix
def test_the_process_ends_with_its_parent(tmp_path: Path) -> None:
    """Of a parent that was killed, too: it would write sessions that are forgotten meanwhile."""
    slow = Unsendable(tmp_path / "folder")
    job = pickle.dumps((tmp_path / "index", (Endless(slow.location),), RefreshRules()))
    process = subprocess.Popen([sys.executable, "-m", MODULE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(job)
        process.stdin.flush()
        assert pickle.load(process.stdout)[0] == "progress"
        process.stdin.close()
        assert process.wait(20) == 1
