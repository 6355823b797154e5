"""An index in a server that speaks S3, on loopback: published with conditional puts, read by ranges."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.index.errors import IndexNotSavedError, MissingIndexError, StoreError
from recall_rank.index.remote.object_store import ObjectStore
from recall_rank.index.remote.remote_folder import RemoteFolder
from recall_rank.index.segment.build import build
from recall_rank.index.storage.manifest import newest_manifest
from recall_rank.index.storage.publish import add, publish
from tests.support.index.history import history
from tests.support.index.stores import lasting

pytest.importorskip("s3fs", reason="needs the extra remote")
moto_server = pytest.importorskip("moto.server", reason="needs moto[server], a server that speaks S3")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def storage() -> Iterator[dict[str, Any]]:
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = {"endpoint_url": f"http://{host}:{port}", "key": "test", "secret": "test"}
    import s3fs

    s3fs.S3FileSystem(**options).mkdir("bucket")
    yield options
    server.stop()


def test_it_is_published_opened_and_searched(storage: dict[str, Any], tmp_path: Path) -> None:
    local = Index.build(history(1))
    Index.build(history(1), folder="s3://bucket/a", storage=storage).close()
    with Index.open("s3://bucket/a", storage=storage, cache=tmp_path) as remote:
        assert lasting(remote.search("lantern")) == lasting(local.search("lantern"))
        assert remote.fetched is not None
        before = remote.fetched
        assert lasting(remote.search("lantern")) == lasting(local.search("lantern"))
        assert remote.fetched == before
        newer = Index.build(history(2))
        newer.save("s3://bucket/a", storage=storage)
        found = lasting(remote.search("quay rudder"))  # of what it has opened, or of the newer index
        assert found in [lasting(each.search("quay rudder")) for each in (local, newer)]
    assert len(ObjectStore("s3://bucket/a", storage).names()) == 2
    with Index.open("s3://bucket/a", storage=storage, cache=tmp_path, verify=True) as remote:
        assert lasting(remote.search("lantern")) == lasting(newer.search("lantern"))


def test_a_place_without_an_index_and_a_server_that_is_gone(storage: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(MissingIndexError):
        Index.open("s3://bucket/nothing", storage=storage, cache=tmp_path)
    gone = {**storage, "endpoint_url": "http://127.0.0.1:9", "config_kwargs": {"retries": {"max_attempts": 0}}}
    with pytest.raises(StoreError):
        Index.open("s3://bucket/a", storage=gone, cache=tmp_path)


def at_once(work: Callable[[int], None], count: int) -> None:
    """Call work(0) to work(count - 1) in threads of their own, and wait for all."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_two_writers_at_once(storage: dict[str, Any], tmp_path: Path) -> None:
    url = "s3://bucket/two"
    Index.build(history(1)).save(url, storage=storage)
    new = [Index.build(history(2)), Index.build(history(3))]
    told: list[tuple[int, str]] = []
    begun = threading.Barrier(2)

    def save(number: int) -> None:
        begun.wait(30)
        try:
            new[number].save(url, storage=storage)
        except IndexNotSavedError as error:
            told.append((number, str(error)))

    for generation in range(2, 6):
        told.clear()
        at_once(save, 2)
        with RemoteFolder(ObjectStore(url, storage)) as folder:
            manifest = newest_manifest(folder)
            assert sorted(folder.names()) == sorted([manifest.name, *(file.name for file in manifest.files)])
        with Index.open(url, storage=storage, cache=tmp_path, verify=True) as index:
            found = lasting(index.search("lantern"))
        winners = [lasting(each.search("lantern")) for number, each in enumerate(new) if number not in dict(told)]
        assert found in winners, generation
        assert len(told) <= 1
        assert all("changed since it was opened" in message for _, message in told)


def test_a_manifest_is_never_written_over(storage: dict[str, Any]) -> None:
    store = ObjectStore("s3://bucket/one", storage)
    store.put_new(b"first", "manifest")
    with pytest.raises(FileExistsError):
        store.put_new(b"second", "manifest")
    assert store.read("manifest") == b"first"
    results: list[str] = []
    begun = threading.Barrier(6)

    def write(number: int) -> None:
        begun.wait(30)
        try:
            store.put_new(b"%d" % number, "raced")
            results.append(str(number))
        except FileExistsError:
            pass

    at_once(write, 6)
    assert [store.read("raced").decode()] == results


def test_writers_that_add_lose_nothing(storage: dict[str, Any]) -> None:
    url = "s3://bucket/adds"
    segments = [build([each]) for each in history(1)[:3]]

    def work(number: int) -> None:
        for _ in range(3):
            with RemoteFolder(ObjectStore(url, storage)) as folder:
                own = add(folder, segments[number])
                publish(folder, lambda before, own=own: (*before.segments, own))  # type: ignore[misc]

    at_once(work, 3)
    with RemoteFolder(ObjectStore(url, storage)) as folder:
        manifest = newest_manifest(folder)
        assert manifest.generation == len(set(manifest.segments)) == 9
        assert len(folder.names()) == 10
