"""The cache is safe to lose and never lies: killed writers, full disks, damage, strangers, other versions, rivals."""

from __future__ import annotations

import ast
import os
import random
import stat
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recall_rank import Recall
from recall_rank.corpus import Index
from recall_rank.histories.cache import store as store_module
from recall_rank.histories.cache.location import index_folder
from recall_rank.histories.cache.purge import purge
from recall_rank.histories.cache.refresh import refresh
from recall_rank.histories.cache.store import find
from recall_rank.histories.records.forgotten import forget, forgotten
from recall_rank.histories.records.left_out import session_digest
from recall_rank.index.errors import IndexFolderError, UnusableIndexError
from recall_rank.index.storage.format import FORMAT
from recall_rank.loaders import open_sources
from tests.histories.test_refresh import Shelf, talk
from tests.support.histories.kill_refreshers import store
from tests.support.histories.rebuilt import ASKED, check, ids, refreshed
from tests.support.index.system_calls import plant, refuse, watched
from tests.support.privileges import modes_bind
from tests.support.soak import LONG, first_seed, portion, tried

ROOT = Path(__file__).resolve().parents[2]
KILLS = portion(25, 5_000)
DAMAGES = portion(300, 3_000)


def child(script: str, *words: object) -> str:
    """The output of a script of tests/support, which must end well."""
    command = [sys.executable, "-m", f"tests.support.{script}", *(str(word) for word in words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = None if LONG else subprocess.PIPE  # a long run tells how far it is
    patience = None if LONG else 500
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=told,
        text=True,
        check=False,
        timeout=patience,
    )
    assert done.returncode == 0, done.stdout + (done.stderr or "")
    return done.stdout


def shelves() -> tuple[Shelf, Shelf]:
    """A source as it was, and as it is now: a session more, one less, one that grew."""
    old, new = Shelf(), Shelf()
    for number in range(5):
        old.put(f"u{number}", talk(f"s{number}", "the lantern is lit"))
        new.put(f"u{number}", talk(f"s{number}", "the lantern is lit"))
    new.put("u1", talk("s1", "the lantern is lit", "and out"))
    new.put("u5", talk("s5", "a gull"))
    del new.held["u4"]
    return old, new


# --- killed ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_killed_at_any_call_a_refresh_leaves_the_old_index_or_the_new(tmp_path: Path) -> None:
    assert int(child("histories.kill_refreshers", tmp_path)) > 20


@pytest.mark.slow
def test_killed_at_any_moment_two_refreshers_leave_an_index(tmp_path: Path) -> None:
    checks, writing = map(int, child("histories.kill_refreshers", tmp_path, KILLS, 1 + first_seed()).split())
    tried(KILLS)
    assert checks == 2 * KILLS
    assert writing >= (KILLS // 5 if LONG else 1), "kills hit a refresh that had files half made"


def test_a_manifest_tells_of_a_durable_table(tmp_path: Path) -> None:
    old, new = shelves()
    refreshed(tmp_path, [old])
    made: list[str] = []
    with watched(lambda _, name, __: made.append(name)):
        refreshed(tmp_path, [new])
    calls = [name for name in made if name in ("fsync", "rename", "link", "unlink")]
    # segment, table, their names, manifest, its name; only then what was replaced goes
    assert calls[:7] == ["fsync", "rename", "fsync", "rename", "fsync", "fsync", "link"]
    assert calls[7:9] == ["unlink", "fsync"]
    assert set(calls[9:]) == {"unlink"}


def test_a_refresh_that_another_process_overtook_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = shelves()
    refreshed(tmp_path, [old])
    other = Shelf("other")
    other.put("u", talk("elsewhere", "the lantern"))
    given = store_module.add_table
    overtaken: list[int] = []

    def add_table(folder: Any, table: Any) -> Any:
        overtaken.append(1)
        if len(overtaken) == 1:
            refreshed(tmp_path, [other])  # it was faster
        return given(folder, table)

    monkeypatch.setattr(store_module, "add_table", add_table)
    done = refreshed(tmp_path, [new])
    assert len(overtaken) == 3
    check(done, [new])
    state = find(tmp_path).state
    assert state is not None
    assert ids(state) == ids(done.state)
    assert len(list(tmp_path.iterdir())) == len(state.segments) + 2


# --- no room, no home ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "for ever"])
def test_a_full_disk_leaves_the_old_index_and_an_answer(tmp_path: Path, for_ever: bool) -> None:
    old, new = shelves()
    calls: list[int] = []
    refreshed(tmp_path / "probe", [old])
    with watched(lambda count, *_: calls.append(count)):
        refreshed(tmp_path / "probe", [new])
    failed = 0
    for number in calls:
        folder = tmp_path / str(number)
        refreshed(folder, [old])
        with watched(refuse(number, for_ever=for_ever)):
            done = refresh(folder, [new])
        check(done, [new])
        failed += done.problem is not None
        state = find(folder).state
        assert state is not None
        assert ids(state) == {f"s{n}" for n in range(5)} or ids(state) == ids(done.state)
    assert failed > len(calls) - 14


def test_a_cache_that_cannot_be_written_is_replaced_by_memory(tmp_path: Path) -> None:
    old, _ = shelves()
    blocked = tmp_path / "file"
    blocked.write_text("no folder", encoding="utf-8")
    with Recall([old], cache=blocked) as recall:
        answer = recall.search("lantern")
        assert answer.total == 5
        assert [warning for warning in answer.warnings if "not kept" in warning] == list(answer.warnings)
        assert len(answer.warnings) == 1
        recall.refresh()
        assert old.read_units == [f"u{number}" for number in range(5)]  # the memory is refreshed, too
    assert blocked.read_text(encoding="utf-8") == "no folder"


def test_without_a_home_answers_come_from_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_rank.histories.cache.location.default_cache", lambda: None)
    old, _ = shelves()
    with Recall([old], cache=True) as recall:
        answer = recall.search("lantern")
        assert answer.total == 5
        assert answer.warnings[0].startswith("there is no home")
        assert recall.folder is None


def test_a_read_only_cache_still_answers(tmp_path: Path) -> None:
    old, new = shelves()
    refreshed(tmp_path, [old])
    tmp_path.chmod(0o500)
    try:
        with modes_bind():
            done = refresh(tmp_path, [new])
        assert isinstance(done.problem, PermissionError)
        check(done, [new])
    finally:
        tmp_path.chmod(0o700)


# --- damage and other versions --------------------------------------------------------------------------


def test_damage_is_noticed_and_the_index_built_again(tmp_path: Path) -> None:
    tried(DAMAGES)
    chance = random.Random(5 + first_seed())
    old, new = shelves()
    rebuilt = 0
    right = hits(Recall([new]))
    for number in range(DAMAGES):
        folder = tmp_path / "damaged"
        for path in folder.glob("*"):
            path.unlink()
        refreshed(folder, [old])
        victim = chance.choice(sorted(folder.iterdir()))
        data = bytearray(victim.read_bytes())
        at = chance.choice((chance.randrange(len(data)), chance.randrange(min(len(data), 600))))
        if number % 3:
            data[at] ^= 1 << chance.randrange(8)
        else:
            del data[at:]
        victim.write_bytes(data)
        before = find(folder)
        done = refreshed(folder, [new])
        rebuilt += done.report.units == 5
        if before.state is not None:  # the damage lies where nothing was read yet
            recall = Recall([new], cache=tmp_path / "unused")
            recall._backend.folder = folder  # type: ignore[misc]
            assert hits(recall) == right
        else:
            check(done, [new])
    assert rebuilt > DAMAGES // 10


def hits(recall: Recall) -> list[Any]:
    return [[(hit.session_id, hit.part_id, hit.score, hit.snippet) for hit in recall.search(q).results] for q in ASKED]


@pytest.mark.parametrize("section", ["head", "units", "sessions", "keys", "dead"])
def test_a_changed_byte_of_a_table_is_noticed(tmp_path: Path, section: str) -> None:
    old, new = shelves()
    refreshed(tmp_path, [old])
    (table,) = tmp_path.glob("table-*")
    data = bytearray(table.read_bytes())
    at = data.index(section.encode() + b"\0")
    place = struct.unpack_from("<Q", data, at + 16)[0]
    data[place + 2] ^= 1
    table.write_bytes(data)
    found = find(tmp_path)
    if found.state is not None:
        with pytest.raises(UnusableIndexError, match="not what was written"):
            found.state.view.table()
    with Recall([old], cache=tmp_path / "unused") as recall:
        recall._backend.folder = tmp_path  # type: ignore[misc]
        assert len(recall.sessions()) == 5
    check(refreshed(tmp_path, [new]), [new])


def test_an_index_of_another_version_is_left_beside_ours(tmp_path: Path) -> None:
    old, new = shelves()
    for other in (FORMAT - 1, FORMAT + 1):
        name = f"manifest-{other}-7"
        (tmp_path / name).write_bytes(b"of another version")
        (tmp_path / name).chmod(0o600)
        assert "format" in (find(tmp_path).problem or "") or find(tmp_path).state is not None
        check(refreshed(tmp_path, [old]), [old])
        check(refreshed(tmp_path, [new]), [new])
        assert (tmp_path / name).read_bytes() == b"of another version"


def test_a_table_of_other_fields_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, _ = shelves()
    monkeypatch.setattr("recall_rank.histories.cache.table_codec._REPORT", ("agent", "location"))
    refreshed(tmp_path, [old])
    monkeypatch.undo()
    assert "another version" in (find(tmp_path).problem or "")
    check(refreshed(tmp_path, [old]), [old])


def test_an_index_that_was_saved_is_replaced(tmp_path: Path) -> None:
    old, _ = shelves()
    Index.build([talk("other", "a lantern")]).save(tmp_path)
    check(refreshed(tmp_path, [old]), [old])
    Index.build([talk("other", "a lantern")]).save(tmp_path)
    assert [path.name.partition("-")[0] for path in sorted(tmp_path.iterdir())] == ["manifest", "segment"]


@pytest.mark.parametrize("claim", ["dead", "sizes", "text"])
def test_a_forged_table_is_refused(tmp_path: Path, claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old, _ = shelves()
    made = store_module.add_table

    def forged(folder: Any, table: Any) -> Any:
        if claim == "dead":
            table["dead"] = struct.pack("<2I", 1, 77)
        elif claim == "sizes":
            table["dead"] = struct.pack("<2I", 2**32 - 1, 1)
        else:
            table["sessions"] = b'o[1,[["no","table"]]]'
        return made(folder, table)

    monkeypatch.setattr(store_module, "add_table", forged)
    refresh(tmp_path, [old])
    found = find(tmp_path)
    if claim == "text":
        assert found.state is not None
        with pytest.raises(UnusableIndexError):
            found.state.view.table()
    else:
        assert found.state is None
    monkeypatch.undo()
    old.put("u9", talk("s9", "a gull"))
    check(refreshed(tmp_path, [old]), [old])


def test_no_code_is_loaded_from_the_cache() -> None:
    for path in [*(ROOT / "recall_rank" / "histories").rglob("*.py"), *(ROOT / "recall_rank" / "index").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__"), path


# --- strangers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("planted", ["link", "pipe", "second name", "open to others"])
def test_a_planted_table_is_refused(tmp_path: Path, planted: str) -> None:
    old, _ = shelves()
    folder, other = tmp_path / "index", tmp_path / "other"
    refreshed(folder, [old])
    (victim,) = folder.glob("table-*")
    plant(victim, planted, other)
    assert find(folder).state is None
    check(refreshed(folder, [old]), [old])


def test_only_this_user_may_read_the_cache(tmp_path: Path) -> None:
    old, _ = shelves()
    before = os.umask(0)
    try:
        with Recall([old], cache=tmp_path / "deep" / "cache") as recall:
            recall.search("lantern")
        forget(tmp_path / "deep" / "cache", "s0")
    finally:
        os.umask(before)
    for path in (tmp_path / "deep" / "cache").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert stat.S_IMODE((tmp_path / "deep" / "cache").stat().st_mode) == 0o700


def for_all(folder: Path) -> None:
    folder.mkdir()
    (folder / "theirs").touch()
    folder.chmod(0o777)


def a_link(folder: Path) -> None:
    folder.with_name("real").mkdir(mode=0o700)
    folder.symlink_to(folder.with_name("real"))


@pytest.mark.parametrize("make", [for_all, a_link])
def test_a_folder_that_could_be_anybodys_is_not_used(tmp_path: Path, make: Callable[[Path], None]) -> None:
    old, _ = shelves()
    cache = tmp_path / "cache"
    make(cache)
    with Recall([old], cache=cache) as recall:
        answer = recall.search("lantern")
        assert answer.total == 5
        assert "not kept" in answer.warnings[0]
    assert {path.name for path in cache.iterdir()} <= {"theirs"}
    with pytest.raises(IndexFolderError):
        purge(cache)
    with pytest.raises(IndexFolderError):
        forget(cache, "s1")


# --- purge and forget -------------------------------------------------------------------------------------


def test_purge_removes_what_is_ours_and_nothing_else(tmp_path: Path) -> None:
    old, _ = shelves()
    cache, precious = tmp_path / "cache", tmp_path / "precious"
    precious.write_text("precious", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "segment-1-00000000-1-0000000000000000").write_text("not in the cache", encoding="utf-8")
    with Recall([old], cache=cache) as recall:
        assert recall.search("lantern").total == 5
        index = index_folder(cache, [old], discovered=False)
        forget(cache, "s9")
        theirs = ["notes.txt", "segment-notes", "manifest-1-x", "table-1-00000000-1-00000000000000001"]
        for name in theirs:
            (index / name).write_text("theirs", encoding="utf-8")
        (index / f"temporary-9-{'0' * 8}-1-{'a' * 16}").symlink_to(precious)
        (index / f"segment-1-{'0' * 8}-1-{'b' * 16}").mkdir()
        (cache / f"index-{'0' * 16}").symlink_to(tmp_path / "folder")
        done = purge(cache)
        assert sorted(path.name for path in index.iterdir()) == sorted([*theirs, f"segment-1-{'0' * 8}-1-{'b' * 16}"])
        assert done.files == 4
        assert precious.read_text(encoding="utf-8") == "precious"
        assert len(list((tmp_path / "folder").iterdir())) == 1
        assert recall.search("lantern").total == 5  # who reads can go on
    assert forgotten(cache) == {session_digest("s9")}
    for name in theirs:
        (index / name).unlink()
    (index / f"segment-1-{'0' * 8}-1-{'b' * 16}").rmdir()
    (cache / f"index-{'0' * 16}").unlink()
    purge(cache, everything=True)
    assert not cache.exists()
    assert purge(cache).files == 0


@pytest.mark.slow
def test_purge_while_others_refresh_and_search(tmp_path: Path) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    store(home, 0)
    ended = threading.Event()
    failed: list[BaseException] = []

    def use() -> None:
        try:
            while not ended.is_set():
                with Recall(open_sources(home), cache=cache) as recall:
                    assert recall.search("lantern").total <= 8  # files come and go while they are read
                    recall.refresh()
        except BaseException as error:  # noqa: BLE001 - told in the other thread
            failed.append(error)

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    for version in range(12):
        store(home, version)
        purge(cache)
    ended.set()
    for thread in threads:
        thread.join()
    assert failed == []
    index = index_folder(cache, open_sources(home), discovered=False)
    check(refreshed(index, open_sources(home)), open_sources(home))


def test_what_is_forgotten_is_gone_and_stays_away(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put("u", talk("s0", "the lantern walrus7351"), talk("s1", "the lantern"))
    with Recall([shelf], cache=tmp_path) as recall:
        assert recall.search("lantern").total == 2
    forget(tmp_path, "s0")
    with Recall([shelf], cache=tmp_path) as recall:
        assert [hit.session_id for hit in recall.search("lantern").results] == ["s1"]
        assert [session.id for session in recall.sessions()] == ["s1"]
        shelf.put("u", talk("s0", "the lantern walrus7351"), talk("s1", "the lantern"))
        recall.refresh()
        assert recall.search("lantern").total == 1
    assert b"walrus7351" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["", "two\nlines"])
def test_only_an_id_can_be_forgotten(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        forget(tmp_path, name)
