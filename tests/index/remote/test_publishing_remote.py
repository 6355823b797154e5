"""A store holds the old index or the new one, whole: two writers, killed writers, readers in between."""

from __future__ import annotations

import errno
import os
import stat
import threading
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.index.errors import DamagedIndexError, IndexNotSavedError, StoreError
from recall_rank.index.remote import object_store
from recall_rank.index.remote.object_store import READ_WHOLE, ObjectStore
from recall_rank.index.remote.remote_folder import RemoteFolder
from recall_rank.index.remote.store_url import is_store_url
from recall_rank.index.segment.build import build
from recall_rank.index.storage import folder as folder_module
from recall_rank.index.storage.folder import LEFTOVER_SECONDS
from recall_rank.index.storage.manifest import LAST_GENERATION, MAX_BYTES, ListedFile, Manifest, newest_manifest
from recall_rank.index.storage.publish import add, publish, publish_after
from tests.support.index.history import history
from tests.support.index.stores import contents, lasting, memory, new_url, objects, put

OLD, NEW, OTHER = (Index.build(history(seed)) for seed in (1, 2, 3))


@pytest.fixture
def url() -> str:
    return new_url()


def held(url: str, cache: Path) -> dict[str, Any]:
    with Index.open(url, cache=cache, verify=True) as opened:
        return lasting(opened.search("lantern"))


def said(index: Index) -> dict[str, Any]:
    return lasting(index.search("lantern"))


def newest(url: str) -> Manifest:
    with RemoteFolder(ObjectStore(url)) as folder:
        return newest_manifest(folder)


def test_each_save_is_a_generation_and_removes_the_one_before(url: str, tmp_path: Path) -> None:
    for generation, index in enumerate((OLD, NEW, OTHER), 1):
        index.save(url)
        assert newest(url).generation == generation
        assert len(objects(url, "segment")) == len(objects(url, "manifest")) == 1
        assert len(objects(url)) == 2
        assert held(url, tmp_path) == said(index)


@pytest.mark.parametrize("place", ["memory", "file"])
def test_of_two_writers_at_once_one_wins_and_the_other_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Both have written their segments before either publishes."""
    url = new_url() if place == "memory" else f"file://{tmp_path}/index"
    OLD.save(url)
    both = threading.Barrier(2)
    put_new = ObjectStore.put_new
    first: set[int] = set()

    def together(self: ObjectStore, data: bytes, name: str) -> None:
        if threading.get_ident() not in first:
            first.add(threading.get_ident())
            both.wait(30)
        put_new(self, data, name)

    monkeypatch.setattr(ObjectStore, "put_new", together)
    told: dict[int, str] = {}

    def save(number: int, index: Index) -> None:
        try:
            index.save(url)
        except IndexNotSavedError as error:
            told[number] = str(error)

    threads = [threading.Thread(target=save, args=each) for each in ((0, NEW), (1, OTHER))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (loser,) = told
    assert "changed since it was opened" in told[loser]
    assert newest(url).generation == 2
    assert held(url, tmp_path / "cache") == said((OTHER, NEW)[loser])
    assert len(ObjectStore(url).names()) == 2, "what the loser wrote is gone"


@pytest.mark.parametrize("place", ["memory", "file"])
def test_an_object_is_put_only_where_none_is(tmp_path: Path, place: str) -> None:
    store = ObjectStore(new_url() if place == "memory" else f"file://{tmp_path}/index")
    store.put_new(b"first", "manifest")
    with pytest.raises(FileExistsError):
        store.put_new(b"second", "manifest")
    assert store.read("manifest") == b"first"
    assert store.names() == ["manifest"]


def test_a_writer_that_adds_starts_again_from_the_newer_index(url: str) -> None:
    """publish() is called with what to do to the newest generation, and is asked again after another writer."""
    lists: list[tuple[ListedFile, ...]] = []
    with RemoteFolder(ObjectStore(url)) as one, RemoteFolder(ObjectStore(url)) as other:
        own, others = add(one, build(history(1))), add(other, build(history(2)))

        def choose(before: Manifest) -> tuple[ListedFile, ...]:
            if not lists:
                publish(other, lambda newer: (*newer.segments, others))
            lists.append((*before.segments, own))
            return lists[-1]

        made = publish(one, choose)
    assert [len(each) for each in lists] == [1, 2]
    assert made.generation == 2
    assert newest(url).segments == (others, own)
    assert len(objects(url, "segment")) == 2


def test_writers_that_add_lose_nothing(url: str) -> None:
    """Eight writers at once add a segment each, again and again."""
    segments = [build([each]) for each in history(1)[:4]]
    wrong: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(4):
                with RemoteFolder(ObjectStore(url)) as folder:
                    own = add(folder, segments[number])
                    publish(folder, lambda before, own=own: (*before.segments, own))  # type: ignore[misc]
        except BaseException as error:  # noqa: BLE001 - told by the assertion below
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    manifest = newest(url)
    assert manifest.generation == 16
    assert len(set(manifest.segments)) == 16
    assert {path.rsplit("/", 1)[-1] for path in objects(url)} == {
        manifest.name, *(file.name for file in manifest.files)
    }  # fmt: skip


class KilledError(BaseException):
    """A writer ends at a request, and does nothing afterwards."""


def requests_of(save: Callable[[], None], monkeypatch: pytest.MonkeyPatch, killed_at: int) -> int:
    """Return how many requests that change a store save() makes; it is killed before number `killed_at`."""
    made = 0
    with monkeypatch.context() as patch:
        for name in ("put", "put_new", "delete"):
            sound = getattr(ObjectStore, name)

            def asked(*arguments: Any, sound: Callable[..., None] = sound) -> None:
                nonlocal made
                if made >= killed_at:
                    made = killed_at  # dead: it asks for nothing more
                    raise KilledError
                made += 1
                sound(*arguments)

            patch.setattr(ObjectStore, name, asked)
        with suppress(KilledError):
            save()
    return made


def test_killed_at_any_request_a_writer_leaves_the_old_index_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_of_it = requests_of(lambda: NEW.save(new_url()), monkeypatch, 99)
    seen = []
    for killed_at in range(all_of_it + 3):
        url = new_url()
        OLD.save(url)
        requests_of(lambda url=url: NEW.save(url), monkeypatch, killed_at)  # type: ignore[misc]
        found = held(url, tmp_path)
        assert found in (said(OLD), said(NEW))
        seen.append(found == said(NEW))
        OTHER.save(url)
        assert held(url, tmp_path) == said(OTHER)
    assert seen == sorted(seen)
    assert set(seen) == {False, True}


@pytest.mark.posix
def test_in_a_folder_a_generation_is_durable_before_the_one_before_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory()  # or there is no fsspec
    url = f"file://{tmp_path}/index"
    OLD.save(url)
    done: list[str] = []
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            done.append("names synced")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    for name in ("put", "put_new", "delete"):
        sound = getattr(ObjectStore, name)

        def noted(*arguments: Any, sound: Callable[..., Any] = sound, name: str = name) -> Any:
            done.append(name)
            return sound(*arguments)

        monkeypatch.setattr(ObjectStore, name, noted)
    NEW.save(url)
    assert done[:5] == ["put", "names synced", "put_new", "names synced", "delete"]
    assert set(done[5:]) == {"delete"}


def test_a_large_file_is_put_into_a_folder_piece_by_piece(tmp_path: Path) -> None:
    memory()
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(40 << 20)
        file.seek(39 << 20)
        file.write(b"the end")
    store = ObjectStore(f"file://{tmp_path}/store")
    tracemalloc.start()
    try:
        store.put(large, "large")
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert (tmp_path / "store" / "large").read_bytes() == large.read_bytes()


@pytest.mark.posix
@pytest.mark.parametrize("failing", range(5))
def test_what_could_not_be_made_durable_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """The segment here, in the store, its name, the manifest here, in the store: each is synced."""
    memory()
    url = f"file://{tmp_path}/index"
    OLD.save(url)
    before = set(ObjectStore(url).names())
    synced = 0
    sync = os.fsync

    def full(descriptor: int) -> None:
        nonlocal synced
        synced += 1
        if synced == failing + 1:
            raise OSError(errno.ENOSPC, "no space")
        sync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(IndexNotSavedError, match="no space"):
            NEW.save(url)
    assert set(ObjectStore(url).names()) == before
    assert held(url, tmp_path / "cache") == said(OLD)


def test_what_a_killed_writer_left_is_removed_when_it_is_old(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    OLD.save(url)
    requests_of(lambda: NEW.save(url), monkeypatch, 1)
    (left,) = {path.rsplit("/", 1)[-1] for path in objects(url, "segment")} - {newest(url).segments[0].name}
    OTHER.save(url)
    assert left in ObjectStore(url).names(), "its writer may still run"
    then = datetime.now(UTC) + timedelta(seconds=LEFTOVER_SECONDS + 60)
    monkeypatch.setattr(object_store.time, "time", then.timestamp)
    NEW.save(url)
    assert left not in ObjectStore(url).names()
    assert len(objects(url)) == 2
    assert held(url, tmp_path) == said(NEW)


def test_what_a_dead_writer_of_this_machine_left_is_removed_at_once(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And not what one of another machine has written, even one of an equal host name."""
    dead = next(number for number in range(4_000_000, 5_000_000) if not folder_module._is_running(number))
    monkeypatch.setattr(folder_module.os, "getpid", lambda: dead)
    store = ObjectStore(url)

    def left() -> str:
        with RemoteFolder(store) as folder:
            return add(folder, build(history(2))).name

    own = left()
    folder_module.system_id.cache_clear()
    (tmp_path / "boot_id").write_text("of another machine")
    with monkeypatch.context() as patch:
        patch.setattr(folder_module, "_BOOT", tmp_path / "boot_id")
        other = left()
        folder_module.system_id.cache_clear()
        patch.setattr(folder_module, "_BOOT", tmp_path / "unknown")
        unknown = left()
    folder_module.system_id.cache_clear()
    monkeypatch.setattr(folder_module.os, "getpid", lambda: 1)
    OLD.save(url)
    assert {other, unknown} <= set(store.names())
    assert own not in store.names()


def test_an_object_that_is_no_manifest_is_not_read_whole(url: str) -> None:
    OLD.save(url)
    (path,) = objects(url, "manifest")
    put(path, contents(url)[path] + bytes(3 * READ_WHOLE))
    assert len(ObjectStore(url).read(path.rsplit("/", 1)[-1])) == READ_WHOLE > MAX_BYTES
    with pytest.raises(DamagedIndexError):
        newest(url)


def test_a_save_tells_what_could_not_be_deleted(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    OLD.save(url)
    (segment,) = objects(url, "segment")

    def delete(self: ObjectStore, name: str) -> None:
        raise StoreError("refused")

    monkeypatch.setattr(ObjectStore, "delete", delete)
    with pytest.raises(StoreError, match=f"are still there: {Path(segment).name}"):
        NEW.save(url)
    assert held(url, tmp_path) == said(NEW)


@pytest.mark.parametrize("size", [10**13, 10**18 - 1])
def test_a_file_of_an_absurd_size_is_told_by_its_name(url: str, tmp_path: Path, size: int) -> None:
    OLD.save(url)
    manifest = newest(url)
    (path,) = objects(url, "manifest")
    put(path, replace(manifest, segments=(replace(manifest.segments[0], size=size),)).encode())
    with pytest.raises((StoreError, DamagedIndexError), match=manifest.segments[0].name):
        Index.open(url, cache=tmp_path)


def test_no_generation_follows_the_last_one(url: str) -> None:
    OLD.save(url)
    manifest = replace(newest(url), generation=LAST_GENERATION)
    before = objects(url)
    with RemoteFolder(ObjectStore(url)) as folder, pytest.raises(IndexNotSavedError, match="none can follow"):
        publish_after(folder, manifest, manifest.segments)
    assert objects(url) == before


def test_a_writer_that_is_always_overtaken_gives_up(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def put_new(self: ObjectStore, data: bytes, name: str) -> None:
        raise FileExistsError(name)

    monkeypatch.setattr(ObjectStore, "put_new", put_new)
    with pytest.raises(IndexNotSavedError, match="publish all the time"):
        OLD.save(url)
    assert objects(url) == []


def test_a_writer_that_slept_does_not_publish_an_old_number(url: str, tmp_path: Path) -> None:
    """Its number has become free again, because two newer generations were published."""
    OLD.save(url)
    with RemoteFolder(ObjectStore(url)) as folder:
        own = add(folder, build(history(2)))

        def choose(before: Manifest) -> tuple[ListedFile, ...]:
            if before.generation == 1:
                NEW.save(url)
                OTHER.save(url)
            return (own,)

        assert publish(folder, choose).generation == 4
    assert held(url, tmp_path) == said(NEW)
    assert len(objects(url, "manifest")) == 1


def test_a_store_without_a_conditional_put_is_not_written_to(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(memory()), "protocol", ("odd",))
    with pytest.raises(IndexNotSavedError, match="no conditional put"):
        OLD.save(url)
    assert objects(url) == []


def test_a_refused_put_whose_object_is_ours_has_succeeded(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to the first try was lost, and the client of the store has tried again."""
    store = ObjectStore(url)
    monkeypatch.setattr(store, "_protocols", ("s3",))
    sound = type(memory()).pipe_file

    def twice(self: Any, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        if mode == "create" and self.exists(path):
            raise OSError("PreconditionFailed")
        sound(self, path, value)
        if mode == "create":
            raise OSError("PreconditionFailed")

    monkeypatch.setattr(type(memory()), "pipe_file", twice)
    store.put_new(b"ours", "manifest")
    with pytest.raises(FileExistsError):
        store.put_new(b"theirs", "manifest")
    assert list(contents(url).values()) == [b"ours"]


def test_errors_of_a_store_are_store_errors(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise RuntimeError("Access Denied")

    for name in ("put_file", "ls"):
        with monkeypatch.context() as patch:
            patch.setattr(type(memory()), name, refused)
            with pytest.raises(IndexNotSavedError, match="Access Denied"):
                OLD.save(url)
    OLD.save(url)
    monkeypatch.setattr(type(memory()), "cat_file", refused)
    with pytest.raises(StoreError, match="Access Denied"):
        Index.open(url)


def test_what_is_a_url() -> None:
    assert is_store_url("s3://bucket/prefix")
    assert is_store_url("memory://a")
    assert not any(map(is_store_url, ("/srv/index", "C:\\index", "c://x", "index", Path("s3:/bucket"), None)))
