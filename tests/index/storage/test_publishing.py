"""A folder holds the old index or the new one, whole: killed writers, full disks, rivals, strangers."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.index.errors import DamagedIndexError, IndexFolderError, IndexNotSavedError, MissingIndexError
from recall_rank.index.storage import folder as folder_module
from recall_rank.index.storage import publish as publish_module
from recall_rank.index.storage.folder import LEFTOVER_SECONDS, Folder
from recall_rank.index.storage.format import FORMAT
from recall_rank.index.storage.manifest import MAX_ANCESTORS, ListedFile, Manifest, newest_manifest
from recall_rank.index.storage.publish import add, open_generation, publish
from tests.index.storage.test_damage import child, the
from tests.support.index.history import answers, history
from tests.support.index.system_calls import plant, refuse, watched
from tests.support.privileges import modes_bind
from tests.support.soak import LONG, first_seed, portion, tried

ASKED = ("lantern",)
KILLS = portion(30, 5_000)
OLD, NEW = Index.build(history(1)), Index.build(history(2))


def said(index: Index) -> list[dict[str, Any]]:
    return answers(index, ASKED, ("smart",))


def held(folder: Path) -> list[dict[str, Any]]:
    with Index.open(folder, verify=True) as opened:
        return said(opened)


@pytest.mark.posix
@pytest.mark.slow
def test_killed_at_any_call_a_saver_leaves_the_old_index_or_the_new(tmp_path: Path) -> None:
    assert int(child("index.kill_savers", tmp_path / "index")) > 20


@pytest.mark.posix
@pytest.mark.slow
def test_killed_at_any_moment_two_savers_leave_an_index(tmp_path: Path) -> None:
    checks, writing = map(int, child("index.kill_savers", tmp_path / "index", KILLS, 1 + first_seed()).split())
    tried(KILLS)
    assert checks == 2 * KILLS
    assert writing >= (KILLS // 5 if LONG else 1), "kills hit a save that had files half made"


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "for ever"])
def test_a_full_disk_leaves_the_old_index(tmp_path: Path, for_ever: bool) -> None:
    OLD.save(tmp_path)
    calls: list[int] = []
    with watched(lambda count, *_: calls.append(count)):
        OLD.save(tmp_path)
    refused = 0
    for number in calls:
        try:
            with watched(refuse(number, for_ever=for_ever)):
                NEW.save(tmp_path)
        except (IndexNotSavedError, IndexFolderError) as error:
            told = str(error)
            refused += 1
        else:
            told = ""  # only what was replaced could not be removed
        assert ("No space left on device" in told, held(tmp_path)) in ((True, said(OLD)), (False, said(NEW)))
        assert for_ever or told == "" or len(list(tmp_path.iterdir())) <= 3  # the removal may be what failed
        for path in tmp_path.iterdir():
            path.unlink()
        OLD.save(tmp_path)
    assert refused > len(calls) - 10


@pytest.mark.posix
def test_a_manifest_tells_of_durable_files_only(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    made: list[tuple[str, Any]] = []
    with watched(lambda _, name, arguments: made.append((name, arguments[0]))):
        NEW.save(tmp_path)
    names = [name for name, _ in made]
    folder = next(given for name, given in reversed(made) if name == "fsync")
    kept, linked = names.index("rename"), names.index("link")
    synced = [(at, given) for at, (name, given) in enumerate(made) if name == "fsync"]
    assert [given == folder for _, given in synced] == [False, True, False, True]
    segment, renamed, manifest, published = (at for at, _ in synced)
    assert segment < kept < renamed < manifest < linked < published
    written = [at for at, name in enumerate(names) if name == "write"]
    assert not [at for at in written if segment < at < renamed or manifest < at]
    gone = [given for at, (name, given) in enumerate(made) if name == "unlink" and at > published]
    assert [name.partition("-")[0] for name in gone] == ["segment", "vectors", "manifest"]  # vectors behind the segment
    assert not [at for at, name in enumerate(names) if name == "unlink" and linked + 1 < at < published]


@pytest.mark.posix
@pytest.mark.parametrize("umask", [0, 0o022, 0o777])
def test_others_may_neither_read_nor_write(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        OLD.save(tmp_path / "index")
    finally:
        os.umask(before)
    modes = {path.name.partition("-")[0]: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "index").iterdir()}
    assert modes == {"segment": 0o600, "manifest": 0o600}
    assert stat.S_IMODE((tmp_path / "index").stat().st_mode) == 0o700


def test_a_folder_of_an_index_alone_becomes_private(tmp_path: Path) -> None:
    for name, files in (("empty", []), ("index", ["manifest-0-1"]), ("mixed", ["notes.txt"])):
        (tmp_path / name).mkdir(mode=0o755)
        (tmp_path / name).chmod(0o755)
        for file in files:
            (tmp_path / name / file).touch()
        OLD.save(tmp_path / name)
        assert held(tmp_path / name) == said(OLD)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"empty": 0o700, "index": 0o700, "mixed": 0o755}


@pytest.mark.posix
def test_a_folder_that_its_owner_made_read_only_stays_so(tmp_path: Path) -> None:
    index = tmp_path / "index"
    OLD.save(index)
    for mode in (0o500, 0o555):
        index.chmod(mode)
        with modes_bind(), pytest.raises(IndexNotSavedError):
            NEW.save(index)
        assert stat.S_IMODE(index.stat().st_mode) == 0o500
        assert held(index) == said(OLD)
    index.chmod(0o700)


def no_folder(place: Path) -> None:
    place.write_text("a file", encoding="utf-8")


def a_link(place: Path) -> None:
    real = place.with_name("real")
    OLD.save(real)
    place.symlink_to(real, target_is_directory=True)


def for_all(place: Path) -> None:
    place.mkdir()
    (place / "theirs").touch()
    place.chmod(0o777)


@pytest.mark.posix
@pytest.mark.parametrize("make", [no_folder, a_link, for_all])
def test_a_place_that_is_not_ours_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "index")
    before = {str(path) for path in tmp_path.rglob("*")}
    for refused in (lambda: OLD.save(tmp_path / "index"), lambda: Index.open(tmp_path / "index")):
        with pytest.raises(IndexFolderError, match=r"not a folder|written to by others"):
            refused()
    with pytest.raises(IndexFolderError):
        Index.open(f"{tmp_path / 'index'}/")  # a slash behind a link would follow it
    assert {str(path) for path in tmp_path.rglob("*")} == before


@pytest.mark.posix
def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    OLD.save(tmp_path / "index")
    monkeypatch.setattr(folder_module.os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(IndexFolderError, match="belongs to another user"):
        Index.open(tmp_path / "index")


def test_where_nothing_is_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingIndexError, match="no folder"):
        Index.open(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="no index in"):
        Index.open(tmp_path)


@pytest.mark.posix
@pytest.mark.parametrize("planted", ["link", "pipe", "second name", "open to others"])
@pytest.mark.parametrize("kind", ["segment", "manifest"])
def test_planted_files_are_refused(tmp_path: Path, kind: str, planted: str) -> None:
    place = tmp_path / "index"
    OLD.save(place)
    victim = the(place, kind)
    other = tmp_path / "other"
    plant(victim, planted, other)
    with pytest.raises(DamagedIndexError):
        Index.open(place)


def test_planted_names_are_not_written_through(tmp_path: Path) -> None:
    place, other = tmp_path / "index", tmp_path / "precious"
    OLD.save(place)
    other.write_text("precious", encoding="utf-8")
    (place / f"manifest-{FORMAT}-2").symlink_to(other)
    NEW.save(place)
    assert held(place) == said(NEW)
    assert other.read_text(encoding="utf-8") == "precious"


def test_what_dead_writers_left_is_swept(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    name = the(tmp_path, "segment").name
    own = name.split("-")[2]
    dead = next(number for number in range(4_000_000, 5_000_000) if not folder_module._is_running(number))
    left = [f"{kind}-{FORMAT}-{own}-{dead}-{'a' * 16}" for kind in ("temporary", "segment")]
    busy = [f"{kind}-{FORMAT}-{own}-{os.getpid()}-{'b' * 16}" for kind in ("temporary", "segment")]
    fresh = f"temporary-{FORMAT}-{'0' * 8}-{dead}-{'c' * 16}"  # of another machine
    stale = f"temporary-{FORMAT}-{'0' * 8}-{dead}-{'d' * 16}"
    theirs = ["notes.txt", "temporary-", f"segment-{FORMAT + 1}-{own}-{dead}-{'e' * 16}"]
    for file in (*left, *busy, fresh, stale, *theirs):
        (tmp_path / file).touch()
    at = (tmp_path / stale).stat().st_mtime - LEFTOVER_SECONDS - 60
    os.utime(tmp_path / stale, (at, at))
    NEW.save(tmp_path)
    there = {path.name for path in tmp_path.iterdir()}
    assert there == {*busy, fresh, *theirs, the(tmp_path, "manifest").name, *segments(tmp_path)}
    assert held(tmp_path) == said(NEW)


def segments(folder: Path) -> set[str]:
    with Folder(folder) as opened:
        return {listed.name for listed in newest_manifest(opened).segments}


def test_on_windows_no_process_is_asked_by_a_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(os, "name", "nt")
        patch.setattr(os, "kill", lambda process, _: asked.append(process))
        running = folder_module._is_running(os.getpid())
    assert (running, asked) == (True, [])  # signal 0 is Ctrl-C there


def test_writers_in_threads_replace_each_other(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit((OLD, NEW)[number % 2].save, tmp_path) for number in range(16)]:
            done.result()
    assert open_generation(tmp_path).manifest.generation == 16
    assert len(list(tmp_path.iterdir())) == 2
    assert held(tmp_path) in (said(OLD), said(NEW))


def test_a_rival_is_not_overwritten(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    asked: list[int] = []

    def choose(before: Manifest) -> Any:
        asked.append(before.generation)
        if len(asked) == 1:
            NEW.save(tmp_path)  # a rival is faster
        return (*before.segments, added)

    with Folder(tmp_path) as folder:
        added = add(folder, OLD._merged())
        after = publish(folder, choose)
    assert asked == [1, 2]
    assert (after.generation, len(after.segments)) == (3, 2)
    found = open_generation(tmp_path)
    assert (found.manifest.generation, len(found.segments)) == (3, 2)
    with Index.open(tmp_path) as both:  # segments that were added one after the other are searched together
        assert len(both) == len(OLD) + len(NEW)


def test_a_writer_that_slept_starts_again(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    with Folder(tmp_path) as folder:
        asked: list[int] = []

        def choose(before: Manifest) -> tuple[ListedFile, ...]:
            asked.append(before.generation)
            if len(asked) == 1:
                NEW.save(tmp_path)
                NEW.save(tmp_path)  # the number that follows the one seen here is free again
            return (added,)

        added = add(folder, OLD._merged())
        assert publish(folder, choose).generation == 4
    assert asked == [1, 3]
    assert held(tmp_path) == said(OLD)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.posix
def test_a_writer_that_is_replaced_at_once_is_done(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    linked: list[str] = []

    def before(count: int, name: str, arguments: tuple[Any, ...]) -> None:
        linked.append(name)
        if linked[-2:] == ["link", "unlink"] and "replaced" not in linked:  # its manifest stands since a moment
            linked.append("replaced")
            OLD.save(tmp_path)

    with watched(before):
        NEW.save(tmp_path)
    assert linked.count("replaced") == 1
    assert held(tmp_path) == said(OLD)
    assert open_generation(tmp_path).manifest.generation == 3
    assert len(list(tmp_path.iterdir())) == 2


def test_an_index_that_comes_meanwhile_is_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = newest_manifest

    def slow(folder: Folder) -> Manifest:
        try:
            return given(folder)
        except MissingIndexError:
            monkeypatch.undo()
            OLD.save(tmp_path)  # it was not there a moment ago
            raise

    with Folder(tmp_path) as folder:
        added = add(folder, NEW._merged())
        monkeypatch.setattr(publish_module, "newest_manifest", slow)
        publish(folder, lambda _: (added,))
    assert held(tmp_path) == said(NEW)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_segment_that_goes_while_it_is_opened_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its writer removes the last name of a file between two looks at it: a newer generation is there."""
    OLD.save(tmp_path)
    given, known = Folder.open, segments(tmp_path)

    def replaced(folder: Folder, name: str) -> int:
        descriptor = given(folder, name)
        if name in known:
            monkeypatch.undo()
            NEW.save(tmp_path)
        return descriptor

    monkeypatch.setattr(Folder, "open", replaced)
    assert held(tmp_path) == said(NEW)


def test_what_is_too_long_ago_is_told_by_what_is_there() -> None:
    first = Manifest(0, ()).next(())
    last = first
    for _ in range(MAX_ANCESTORS):
        last = last.next(())
    other = Manifest(0, ()).next(())
    assert (last.descends_from(first), last.descends_from(other)) == (True, False)
    assert (last.next(()).descends_from(first), first.descends_from(last)) == (None, False)


@pytest.mark.posix
def test_without_hard_links_an_index_is_saved_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object, **__: object) -> None:
        raise PermissionError(1, "not here")

    monkeypatch.setattr(folder_module.os, "link", link)
    for number, index in enumerate((OLD, NEW, OLD), 1):
        index.save(tmp_path)
        assert held(tmp_path) == said(index)
        assert open_generation(tmp_path).manifest.generation == number
    assert len(list(tmp_path.iterdir())) == 2


def test_a_segment_whose_vectors_cannot_be_written_does_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    OLD.save(tmp_path)
    before = segments(tmp_path)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(publish_module, "carry_vectors", full)
    with pytest.raises(IndexNotSavedError, match="no space"):
        NEW.save(tmp_path)
    assert segments(tmp_path) == before
    assert len(list(tmp_path.iterdir())) == 2
    assert held(tmp_path) == said(OLD)


def test_a_damaged_index_is_replaced(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    the(tmp_path, "manifest").write_bytes(b"nothing")
    NEW.save(tmp_path)
    assert held(tmp_path) == said(NEW)
    assert open_generation(tmp_path).manifest.generation == 2


def test_an_open_index_stays_as_it_was(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    with Index.open(tmp_path) as opened:
        NEW.save(tmp_path)
        assert said(opened) == said(OLD)
    assert held(tmp_path) == said(NEW)
