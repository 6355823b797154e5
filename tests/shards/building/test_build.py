"""Shards that a build makes of sources answer as an index of the sessions of these sources."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recall_rank.corpus import Index
from recall_rank.histories.ignore import Ignore
from recall_rank.index.errors import IndexFormatError, MissingIndexError
from recall_rank.index.segment.build import build
from recall_rank.index.storage.publish import save_all
from recall_rank.loaders import open_sources, read_all, registry
from recall_rank.loaders.history_jsonl import HistoryJsonl
from recall_rank.shards.building import build as building
from recall_rank.shards.building import unit_batches
from recall_rank.shards.building.build import build_shards
from recall_rank.shards.building.task_workers import ProcessWorkers, WorkersLostError
from recall_rank.shards.building.unit_tasks import Task, shard_of
from recall_rank.shards.manifest import NAME, read_manifest
from recall_rank.shards.shards import Shards
from tests.support.histories.every_store import STORES
from tests.support.index.system_calls import survives
from tests.support.search.responses import alike, told
from tests.support.search.samples import ENOUGH_MS, NOW
from tests.support.shards.inline_workers import InlineWorkers
from tests.support.shards.small_histories import write_session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[3]
QUERIES = ("rate limit", "the lantern", "umbrella hail", "limt", "error")


@pytest.fixture
def stores(tmp_path: Path) -> list[str]:
    """A folder with a store of every loader, some of which hold copies of one session, and a copy of one store."""
    for name, write in STORES.items():
        home = tmp_path / "stores" / name
        (home if name in ("opencode-export", "history") else home.parent).mkdir(parents=True, exist_ok=True)
        write(home)
    for name in ("claude-code", "history"):
        shutil.copytree(tmp_path / "stores" / name, tmp_path / "copies" / name)
    return [str(tmp_path / "stores"), str(tmp_path / "copies")]


def check_equal(shards: Shards, sources: Sequence[str]) -> None:
    sessions, _ = read_all([source for where in sources for source in open_sources(where)])
    one = Index.build(sessions)
    assert len(shards) == len(one) > 0
    for query in QUERIES:
        for match in ("smart", "literal", "fuzzy"):
            got = told(shards.search(query, now=NOW, budget_ms=ENOUGH_MS, match=match, results=50))
            assert alike(got, told(one.search(query, now=NOW, budget_ms=ENOUGH_MS, match=match, results=50)))


@pytest.mark.parametrize("count", [1, 3])
def test_shards_of_every_store_answer_as_one_index(
    stores: list[str], tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_batches, "CUT", 1)  # each unit is a batch: copies are resolved across them
    out = tmp_path / "out"
    report = build_shards(stores, out, count, InlineWorkers())
    assert report.linked > 0
    assert [shard.name for shard in report.shards] == [f"shard {n + 1} of {count}" for n in range(count)]
    with Shards.open(out) as shards:
        check_equal(shards, stores)
        assert report.sessions == sum(len(view.segment.sessions) for view in shards._opened().reader.views)
        for number, span in enumerate(shards._opened().reader.spans):
            for view in shards._opened().reader.views[span.first_view : span.last_view]:
                assert {shard_of(each.id, count) for each in view.segment.sessions} <= {number}


def test_a_batch_of_any_size_gives_equal_answers(
    stores: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most in (1, 2, 7):
        monkeypatch.setattr(unit_batches, "MOST_UNITS", most)
        monkeypatch.setattr(building, "MEMBERS", most)
        build_shards(stores, tmp_path / str(most), 2, InlineWorkers())
        with Shards.open(tmp_path / str(most)) as shards:
            check_equal(shards, stores)


def test_what_was_built_is_not_built_again(stores: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = build_shards(stores, out, 2, InlineWorkers())
    assert first.read > 0
    again = InlineWorkers()
    second = build_shards(stores, out, 2, again)
    assert again.done == []
    assert (second.read, second.reused, second.merged) == (0, first.read, 0)
    assert second.shards == first.shards


def test_a_build_that_was_interrupted_goes_on_where_it_was(stores: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    full = InlineWorkers()
    build_shards(stores, tmp_path / "other", 2, full)
    tries = 0
    while True:
        part = InlineWorkers(fail_after=3)
        tries += 1
        try:
            build_shards(stores, out, 2, part)
        except KeyboardInterrupt:
            assert not (out / NAME).exists()
            continue
        break
    assert tries == len(full.done) // 3 + 1
    with Shards.open(out) as shards:
        check_equal(shards, stores)


def test_a_unit_that_is_new_changes_few_batches(tmp_path: Path) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    for number in range(120):
        write_session(folder / f"history{number:03}.jsonl", f"s{number}", "a quiet morning")
    out = tmp_path / "out"
    first = build_shards([str(folder)], out, 2, InlineWorkers())
    assert first.read == 120
    write_session(folder / "history060b.jsonl", "new", "the lantern of the harbor")
    second = build_shards([str(folder)], out, 2, InlineWorkers())
    assert second.read + second.reused == 121
    assert second.read == 1  # each file is a source of its own
    assert second.sessions == 121
    with Shards.open(out) as shards:
        assert [each.session_id for each in shards.search("lantern", now=NOW).results] == ["new"]
    assert {each.folder for each in read_manifest(out)} == {each.folder for each in second.shards}


@pytest.mark.posix
def test_names_that_are_no_utf8_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "stores \udcff"
    folder.mkdir()
    write_session(folder / "one \udcfe.jsonl", "one", "the lantern of the harbor")
    for _ in range(2):
        report = build_shards([str(folder)], tmp_path / "out \udcff", 2, InlineWorkers())
        assert (report.sessions, report.failures) == (1, ())
    with Shards.open(tmp_path / "out \udcff") as shards:
        assert len(shards.search("lantern", now=NOW).results) == 1


def test_a_unit_that_changed_is_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    write_session(folder / "one.jsonl", "one", "a quiet morning")
    out = tmp_path / "out"
    build_shards([str(folder)], out, 2, InlineWorkers())
    write_session(folder / "one.jsonl", "one", "the lantern of the harbor in the evening")
    report = build_shards([str(folder)], out, 2, InlineWorkers())
    assert (report.read, report.reused) == (1, 0)
    with Shards.open(out) as shards:
        assert len(shards.search("lantern", now=NOW).results) == 1
        assert not shards.search("quiet", now=NOW, match="literal").results


def test_a_session_that_is_gone_or_ignored_is_in_no_shard(tmp_path: Path) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    for name in ("one", "two", "three"):
        write_session(folder / f"{name}.jsonl", name, f"the lantern of {name}")
    out = tmp_path / "out"
    build_shards([str(folder)], out, 2, InlineWorkers())
    (folder / "two.jsonl").unlink()
    build_shards([str(folder)], out, 2, InlineWorkers(), ignore=Ignore(sessions=("three",)))
    with Shards.open(out) as shards:
        assert [each.session_id for each in shards.search("lantern", now=NOW).results] == ["one"]
    left = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert b"of one" in left
    assert b"of two" not in left
    assert b"of three" not in left


def test_earlier_shards_can_be_searched_while_others_are_built(tmp_path: Path) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    write_session(folder / "one.jsonl", "one", "the lantern of one")
    out = tmp_path / "out"
    build_shards([str(folder)], out, 2, InlineWorkers())
    with Shards.open(out, workers="processes") as shards:
        write_session(folder / "two.jsonl", "two", "the lantern of two")
        build_shards([str(folder)], out, 3, InlineWorkers())
        assert [each.session_id for each in shards.search("lantern", now=NOW).results] == ["one"]
    with Shards.open(out) as shards:
        assert len(shards.names) == 3
        assert len(shards.search("lantern", now=NOW).results) == 2


def let_fail(patch: pytest.MonkeyPatch, name: str) -> None:
    """Let no history file of a name be read."""
    read = HistoryJsonl.read

    def failing(self: HistoryJsonl, unit: Any, since: bytes | None = None) -> Any:
        if unit.location.endswith(name):
            raise PermissionError(13, "Permission denied")
        return read(self, unit, since)

    patch.setattr(HistoryJsonl, "read", failing)


def test_a_unit_that_cannot_be_read_is_told_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    for name in ("one", "two"):
        write_session(folder / f"{name}.jsonl", name, f"the lantern of {name}")
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        let_fail(patch, "two.jsonl")
        report = build_shards([str(folder)], out, 2, InlineWorkers())
    assert [(Path(each.location).name, each.reason) for each in report.failures] == [("two.jsonl", "Permission denied")]
    assert report.sessions == 1
    report = build_shards([str(folder)], out, 2, InlineWorkers())
    assert report.failures == ()
    assert (report.read, report.reused, report.sessions) == (1, 1, 2)


@pytest.mark.slow
@pytest.mark.posix
def test_a_unit_that_was_not_read_is_tried_again_wherever_the_next_build_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    for name in ("one", "two"):
        write_session(folder / f"{name}.jsonl", name, f"the lantern of {name}")
    before, out = tmp_path / "before", tmp_path / "out"
    with monkeypatch.context() as patch:
        let_fail(patch, "two.jsonl")
        assert build_shards([str(folder)], out, 1, InlineWorkers()).sessions == 1
    shutil.copytree(out, before)
    for call in range(1, 1000):
        survived = survives(lambda: build_shards([str(folder)], out, 1, InlineWorkers()), call)
        report = build_shards([str(folder)], out, 1, InlineWorkers())
        assert (report.sessions, report.failures) == (2, ()), f"killed before its call {call}"
        if survived:
            break
        shutil.rmtree(out)
        shutil.copytree(before, out)
    assert call > 30


def test_an_index_that_is_not_that_of_its_reading_is_read_again(tmp_path: Path) -> None:
    write_session(tmp_path / "one.jsonl", "one", "the lantern")
    build_shards([str(tmp_path / "one.jsonl")], tmp_path / "out", 1, InlineWorkers())
    (unit,) = (path for path in (tmp_path / "out" / "units").iterdir() if path.is_dir())
    save_all([build([])], unit)  # as a task writes it that could read nothing, before it tells so
    report = build_shards([str(tmp_path / "one.jsonl")], tmp_path / "out", 1, InlineWorkers())
    assert (report.read, report.reused) == (1, 0)
    write_session(tmp_path / "two.jsonl", "two", "the lantern")
    assert build_shards([str(tmp_path)], tmp_path / "other", 1, InlineWorkers()).sessions == 2


# --- what vanishes during a build -------------------------------------------------------------------------


class Vanishing(InlineWorkers):
    """Workers before whose first task a file or folder vanishes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def run(self, tasks: Sequence[Task[Any]]) -> Iterator[tuple[int, Any]]:
        if self.path.is_dir():
            shutil.rmtree(self.path)
        else:
            self.path.unlink(missing_ok=True)
        return super().run(tasks)


@pytest.mark.parametrize("gone", ["a/one0.jsonl", "a", "."])
@pytest.mark.parametrize("named", [["."], ["a", "b"], ["a/one0.jsonl", "a/one1.jsonl", "b"]])
def test_what_vanishes_while_it_is_read_is_a_failure_of_its_units_alone(
    tmp_path: Path, gone: str, named: list[str]
) -> None:
    stores = tmp_path / "stores"
    names = [f"{folder}/one{number}" for folder in "ab" for number in range(2)]
    for name in names:
        path = stores / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_session(path, name, "the lantern of the harbor")
    report = build_shards([str(stores / each) for each in named], tmp_path / "out", 2, Vanishing(stores / gone))
    missing = {name for name in names if not (stores / f"{name}.jsonl").exists()}
    assert {Path(each.location).relative_to(stores).with_suffix("").as_posix() for each in report.failures} == missing
    assert len(report.failures) == len(missing) > 0
    with Shards.open(tmp_path / "out") as shards:
        found = {each.session_id for each in shards.search("lantern", now=NOW).results}
    assert found == set(names) - missing


def test_a_folder_that_vanishes_while_it_is_listed_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / "stores" / name).mkdir(parents=True)
        write_session(tmp_path / "stores" / name / "one.jsonl", name, "the lantern of the harbor")
    (tmp_path / "stores" / "a" / "one.jsonl").rename(tmp_path / "stores" / "a" / "notes.txt")
    scan = os.scandir

    def scanned(path: Any = ".") -> Any:
        if path == tmp_path / "stores" / "a" and sys._getframe(1).f_code.co_filename == registry.__file__:
            shutil.rmtree(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scanned)
    assert build_shards([str(tmp_path / "stores")], tmp_path / "out", 1, InlineWorkers()).sessions == 1


def test_a_place_that_vanishes_while_it_is_listed_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_session(tmp_path / name / "one.jsonl", name, "the lantern of the harbor")
    listed = unit_batches.sources_at

    def vanished(where: str, ignore: Ignore) -> Any:
        if where == str(tmp_path / "a"):
            shutil.rmtree(where)
        return listed(where, ignore)

    monkeypatch.setattr(unit_batches, "sources_at", vanished)
    report = build_shards([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "out", 1, InlineWorkers())
    assert report.sessions == 1
    assert [each.location for each in report.failures] == [str(tmp_path / "a")]


def test_two_builds_do_not_write_to_one_folder(tmp_path: Path) -> None:
    write_session(tmp_path / "one.jsonl", "one", "the lantern")

    class Nested(InlineWorkers):
        def run(self, tasks: Sequence[Task[Any]]) -> Iterator[tuple[int, Any]]:
            with pytest.raises(BlockingIOError, match="another build"):
                build_shards([str(tmp_path / "one.jsonl")], tmp_path / "out", 1, InlineWorkers())
            return super().run(tasks)

    build_shards([str(tmp_path / "one.jsonl")], tmp_path / "out", 1, Nested())


@pytest.mark.parametrize("count", [0, 4097])
def test_a_number_of_shards_that_makes_no_sense_is_refused(tmp_path: Path, count: int) -> None:
    with pytest.raises(ValueError, match="1 to 4096"):
        build_shards([], tmp_path, count, InlineWorkers())


def test_a_folder_without_a_manifest_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingIndexError, match="recall-rank build"):
        Shards.open(tmp_path)
    for wrong in ("[", "{}", '{"format": 2, "shards": []}', '{"format": 1, "shards": []}',
                  '{"format": 1, "shards": [{"name": "a", "folder": "../a", "sessions": 1, "parts": 1}]}'):  # fmt: skip
        (tmp_path / NAME).write_text(wrong, encoding="utf-8")
        with pytest.raises(IndexFormatError):
            Shards.open(tmp_path)


# --- processes --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_processes_build_equal_shards(stores: list[str], tmp_path: Path) -> None:
    workers = ProcessWorkers(2)
    try:
        report = build_shards(stores, tmp_path / "out", 2, workers)
    finally:
        workers.close()
    assert report.shards == build_shards(stores, tmp_path / "out", 2, InlineWorkers()).shards
    with Shards.open(tmp_path / "out") as shards:
        check_equal(shards, stores)


@pytest.mark.slow
@pytest.mark.posix
def test_a_process_that_is_killed_costs_its_task_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    for number in range(12):
        write_session(folder / f"history{number}.jsonl", f"s{number}", f"the lantern {number}")
    workers = ProcessWorkers(2)
    killed: list[int] = []

    def kill() -> None:
        deadline = time.monotonic() + 60
        while not killed and time.monotonic() < deadline:
            for slot in workers._slots:
                for pid in list(getattr(slot._pool, "_processes", None) or ()):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                    return
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        report = build_shards([str(folder)], tmp_path / "out", 2, workers)
    finally:
        killer.join()
        workers.close()
    assert killed
    assert (report.read, report.sessions, report.failures) == (12, 12, ())


@pytest.mark.slow
def test_a_task_that_kills_every_worker_is_given_up(tmp_path: Path) -> None:
    workers = ProcessWorkers(1)
    try:
        with pytest.raises(WorkersLostError, match="4 processes"):
            workers._slots[0].run(_Deadly())  # type: ignore[arg-type]
    finally:
        workers.close()


class _Deadly:
    """A task whose arrival ends the process."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (9,)


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize("by", ["SIGKILL", "SIGTERM"])
def test_workers_end_with_the_process_that_started_them(by: str) -> None:
    command = [sys.executable, "-m", "tests.support.shards.sleeping_task"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as building:
        assert building.stdout is not None
        worker = int(building.stdout.readline())
        building.send_signal(getattr(signal, by))
        try:
            building.communicate(timeout=30)  # the end of what the worker writes
        except subprocess.TimeoutExpired:
            os.kill(worker, signal.SIGKILL)
            raise


@pytest.mark.slow
def test_workers_import_nothing_from_the_working_folder(tmp_path: Path) -> None:
    write_session(tmp_path / "one.jsonl", "one", "the lantern")
    script = tmp_path / "bin" / "build.py"  # as an installed command is: its folder takes the place of the working one
    script.parent.mkdir()
    script.write_text(
        "from recall_rank.__main__ import main\n\nif __name__ == '__main__':\n    main()\n", encoding="utf-8"
    )
    there = tmp_path / "there"
    there.mkdir()
    for name in ("socket", "struct", "selectors", "tempfile", "queue", "orjson"):
        text = f"open({str(there / 'imported')!r}, 'a').write({name!r})\nraise ImportError\n"
        (there / f"{name}.py").write_text(text, encoding="utf-8")
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    command = [sys.executable, script, "build", tmp_path / "one.jsonl", "--out", tmp_path / "out", "--workers", "1"]
    done = subprocess.run(
        command, cwd=there, env={**environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert not (there / "imported").exists(), (there / "imported").read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 session in 1 shard")
