"""An index in a store answers as a local one does, fetches what it needs once, and never trusts what it has cached."""

from __future__ import annotations

import errno
import gc
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from bench.datasets import generate
from bench.datasets.random_searches import ENOUGH_MS, RandomSearches
from recall_rank.corpus import Index, index_of_segments
from recall_rank.index.errors import (
    DamagedIndexError,
    IndexFormatError,
    MissingIndexError,
    ReplacedIndexError,
    StoreError,
)
from recall_rank.index.remote.block_cache import BlockCache, RemoteFile
from recall_rank.index.remote.object_store import ObjectStore
from recall_rank.index.remote.remote_folder import RemoteFolder
from recall_rank.index.remote.remote_index import RemoteIndex, publish_segments
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.manifest import ListedFile
from recall_rank.index.storage.publish import add, add_table, publish
from recall_rank.index.storage.table_file import DEAD, dead_section
from recall_rank.model import Session
from tests.support.index.damage import manifest_for
from tests.support.index.history import history
from tests.support.index.stores import contents, lasting, memory, new_url, objects, poison_holes, put
from tests.support.search.samples import message, session
from tests.support.soak import first_seed, portion, tried

PARTS = 1_500
SEARCHES = portion(40, 20_000, 200)


@pytest.fixture
def url() -> str:
    return new_url()


def publish_with_dead(segments: Sequence[Segment], dead: Sequence[frozenset[int]], url: str) -> None:
    with RemoteFolder(ObjectStore(url)) as folder:
        files = [add(folder, segment) for segment in segments]
        files.append(add_table(folder, {DEAD: dead_section(dead)}))
        publish(folder, lambda _: tuple(files))


def some_segments(chance: Random) -> tuple[list[Session], list[Segment], list[frozenset[int]]]:
    """Return sessions, and segments of them, of whose sessions some are deleted."""
    sessions = list(generate.sessions(PARTS, chance.randrange(2**30)))
    chance.shuffle(sessions)
    cuts = sorted(chance.sample(range(1, len(sessions)), chance.choice((0, 0, 1, 2))))
    groups = [sessions[a:b] for a, b in zip([0, *cuts], [*cuts, len(sessions)], strict=True)]
    dead = [
        frozenset(chance.sample(range(len(group)), chance.choice((0, 0, min(2, len(group) - 1))))) for group in groups
    ]
    return sessions, [build(group) for group in groups], dead


@pytest.mark.parametrize("cache_bytes", [None, 0, 300_000], ids=["ample", "no room", "too little room"])
def test_it_answers_as_the_local_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_bytes: int | None
) -> None:
    poison_holes(monkeypatch)
    done = 0
    for seed in range(first_seed(), first_seed() + max(1, SEARCHES // 20)):
        sessions, segments, dead = some_segments(Random(seed))
        url = new_url()
        publish_with_dead(segments, dead, url)
        local = index_of_segments(segments, dead)
        searches = RandomSearches(sessions, seed)
        with Index.open(url, cache=tmp_path, cache_bytes=cache_bytes) as remote:
            assert len(remote) == len(local)
            for number in range(20):
                asked, again = searches.draw(number), searches.draw(number)  # a signal of one is used up
                found = lasting(remote.search(asked.query, **asked.options))
                assert found == lasting(local.search(again.query, **again.options)), f"seed {seed} {asked}"
                done += 1
    tried(done)


def test_its_columns_scores_and_copies_are_those_of_the_local_index(url: str, tmp_path: Path) -> None:
    _, segments, dead = some_segments(Random(4))
    publish_with_dead(segments, dead, url)
    local = index_of_segments(segments, dead)
    with Index.open(url, cache=tmp_path / "cache") as remote:
        assert remote.part_ids == local.part_ids
        assert remote.session_ids == local.session_ids
        assert remote.scores("the lantern of it").tolist() == local.scores("the lantern of it").tolist()
        assert {name: column.tolist() for name, column in remote.columns.items()} == {
            name: column.tolist() for name, column in local.columns.items()
        }
        remote.save(tmp_path / "copy")
    local.save(tmp_path / "own")
    segment, own = (next((tmp_path / name).glob("segment-*")).read_bytes() for name in ("copy", "own"))
    assert segment == own


def test_what_was_searched_once_is_not_fetched_again(url: str, tmp_path: Path) -> None:
    Index.build(generate.sessions(PARTS, 7), folder=url).close()
    with Index.open(url, cache=tmp_path) as cold:
        assert cold.fetched is not None
        opened = cold.fetched
        answer = lasting(cold.search("error cannot find", budget_ms=ENOUGH_MS))
        searched = cold.fetched
        assert searched.bytes > opened.bytes
        assert lasting(cold.search("error cannot find", budget_ms=ENOUGH_MS)) == answer
        assert cold.fetched == searched
    with Index.open(url, cache=tmp_path) as warm:
        assert warm.fetched == opened._replace(requests=2, bytes=warm.fetched.bytes)  # a listing and the manifest
        assert warm.fetched.bytes < 300
        before = warm.fetched
        assert lasting(warm.search("error cannot find", budget_ms=ENOUGH_MS)) == answer
        assert warm.fetched == before


def test_a_warm_search_needs_no_store(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Index.build(history(1), folder=url).close()
    index = Index.open(url, cache=tmp_path)
    answer = lasting(index.search("lantern"))

    def offline(*_: Any, **__: Any) -> None:
        raise ConnectionError("no route to host")

    for name in ("cat_ranges", "cat_file", "ls"):
        monkeypatch.setattr(type(memory()), name, offline)
    assert lasting(index.search("lantern")) == answer
    with pytest.raises(StoreError, match="no route to host"):
        Index.open(url, cache=tmp_path)


def test_a_search_reads_a_part_of_the_index(url: str, tmp_path: Path) -> None:
    Index.build(generate.sessions(20_000, 3), folder=url).close()
    (segment,) = objects(url, "segment")
    with Index.open(url, cache=tmp_path) as index:
        assert index.search("typeerror undefined", budget_ms=60_000).results
        assert index.fetched is not None
        assert index.fetched.bytes < 0.15 * memory().size(segment)
        assert index.fetched.requests < 200


# --- damage ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["text", "term_arena", "posting_frames", "posting_pointers", "doc_words"])
def test_a_damaged_object_is_an_error_and_no_answer(url: str, tmp_path: Path, column: str) -> None:
    Index.build(history(1), folder=url).close()
    (path,) = objects(url, "segment")
    with Index.open(url, cache=tmp_path) as sound:
        (view,) = sound._reader.views
        start, size, *_ = view.segment._file._places[column]
        answer = lasting(sound.search("lantern"))
    data = bytearray(contents(url)[path])
    data[start : start + size] = bytes(each ^ 0x40 for each in data[start : start + size])
    put(path, bytes(data))
    with Index.open(url, cache=tmp_path) as cached:  # which needs the object no more
        assert lasting(cached.search("lantern")) == answer
    with Index.open(url, cache=tmp_path / "other") as damaged, pytest.raises(DamagedIndexError, match=re.escape(url)):
        damaged.search("lantern")
    with pytest.raises(DamagedIndexError):
        Index.open(url, cache=tmp_path / "third", verify=True)


def test_a_damaged_cache_is_fetched_again(url: str, tmp_path: Path) -> None:
    Index.build(history(1), folder=url).close()
    with Index.open(url, cache=tmp_path) as index:
        answer = lasting(index.search("lantern"))
    chance = Random(5)
    (cached,) = tmp_path.glob("*/segment-*")
    for _ in range(20):
        data = bytearray(cached.read_bytes())
        for _ in range(chance.choice((1, 5, 200))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        cached.write_bytes(data)
        with Index.open(url, cache=tmp_path) as index:
            assert lasting(index.search("lantern")) == answer


def test_the_cache_may_be_deleted_cut_or_replaced_at_any_time(url: str, tmp_path: Path) -> None:
    Index.build(generate.sessions(PARTS, 2), folder=url).close()
    index = Index.open(url, cache=tmp_path)
    first = lasting(index.search("error cannot find", budget_ms=ENOUGH_MS))
    (cached,) = tmp_path.glob("*/segment-*")
    size = cached.stat().st_size
    cached.unlink()
    assert lasting(index.search("error cannot find", budget_ms=ENOUGH_MS)) == first
    assert index.search("undefined typeerror", budget_ms=ENOUGH_MS).results
    for content in (b"", b"short", bytes(size)):
        cached.write_bytes(content)
        with Index.open(url, cache=tmp_path) as again:
            assert lasting(again.search("error cannot find", budget_ms=ENOUGH_MS)) == first


def test_an_object_that_is_cut_is_an_error(url: str, tmp_path: Path) -> None:
    Index.build(history(1), folder=url).close()
    (path,) = objects(url, "segment")
    data = contents(url)[path]
    with Index.open(url, cache=tmp_path) as index:
        put(path, data[: len(data) // 2])
        with pytest.raises(DamagedIndexError, match="fewer than"):
            index.search("lantern")
    with pytest.raises(DamagedIndexError, match="fewer than"):
        Index.open(url, cache=tmp_path / "other")


@pytest.mark.parametrize("how", ["short", "long", "other bytes", "gone"])
def test_one_wrong_answer_of_a_store_costs_a_fetch(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    Index.build(history(1)).save(url)
    wanted = lasting(Index.build(history(1)).search("lantern"))
    answers, wrong = 0, 0

    def changed(data: bytes) -> bytes:
        nonlocal answers
        answers += 1
        if answers != wrong:
            return data
        if how == "gone":
            raise FileNotFoundError(url)
        return {"short": data[:-1], "long": data + b"more"}.get(how, bytes(each ^ 0x40 for each in data))

    read, read_ranges = ObjectStore.read, ObjectStore.read_ranges
    monkeypatch.setattr(ObjectStore, "read", lambda *given: changed(read(*given)))
    monkeypatch.setattr(ObjectStore, "read_ranges", lambda *given: [changed(data) for data in read_ranges(*given)])
    while answers >= wrong:
        answers, wrong = 0, wrong + 1
        with Index.open(url, cache=tmp_path / str(wrong)) as index:
            assert lasting(index.search("lantern")) == wanted
    assert wrong > 10


def test_a_store_that_sends_more_than_it_is_asked_for_is_an_error_of_the_store(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Index.build(history(1)).save(url)
    monkeypatch.setattr(ObjectStore, "read_ranges", lambda self, name, ranges: [self.read(name)] * len(ranges))
    with pytest.raises(StoreError, match=r"asked for \d+ bytes, the store sent \d+"):
        Index.open(url, cache=tmp_path)


def test_one_wrong_answer_while_the_files_of_a_manifest_are_opened_costs_a_fetch(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RemoteFolder(ObjectStore(url)) as folder:
        table = {"first": bytes(4096), DEAD: dead_section([frozenset({0})])}  # which is not fetched with the header
        files = (add(folder, build(history(1))), add_table(folder, table))
        manifest = publish(folder, lambda _: files)
    answers, wrong = 0, 0
    read_ranges = ObjectStore.read_ranges

    def changed(*given: Any) -> list[bytes]:
        nonlocal answers
        answers += 1
        found = read_ranges(*given)
        return [bytes(each ^ 0x40 for each in data) for data in found] if answers == wrong else found

    monkeypatch.setattr(ObjectStore, "read_ranges", changed)
    while answers >= wrong:
        answers, wrong = 0, wrong + 1
        found = RemoteIndex(url, cache=tmp_path / str(wrong)).opened(manifest)
        assert found.dead == (frozenset({0}),)
    assert wrong > 3


@pytest.mark.posix
@pytest.mark.parametrize("size", [0, 1000])
def test_a_cached_copy_that_is_cut_while_it_is_open_is_made_anew(url: str, tmp_path: Path, size: int) -> None:
    Index.build(generate.sessions(PARTS, 2), folder=url).close()
    queries = ("error cannot find", "undefined typeerror", "keyerror")
    with Index.open(url, cache=tmp_path / "sound") as sound:
        wanted = [lasting(sound.search(query, budget_ms=ENOUGH_MS)) for query in queries]
    with Index.open(url, cache=tmp_path / "cut") as index:
        for _ in range(2):
            for query, answer in zip(queries, wanted, strict=True):
                assert lasting(index.search(query, budget_ms=ENOUGH_MS)) == answer
                (cached,) = (tmp_path / "cut").glob("*/segment-*")
                os.truncate(cached, size)
                with Index.open(url, cache=tmp_path / "cut") as other:  # which makes a copy of its own
                    assert lasting(other.search(query, budget_ms=ENOUGH_MS)) == answer


@pytest.mark.posix
def test_a_segment_whose_cached_copy_was_cut_is_not_opened_again_by_its_manifest(url: str, tmp_path: Path) -> None:
    with RemoteFolder(ObjectStore(url)) as folder:
        files = tuple(add(folder, build(history(number))) for number in (1, 2))
        manifest = publish(folder, lambda _: files)
    index = RemoteIndex(url, cache=tmp_path)
    first = index.opened(manifest)
    (cached,) = tmp_path.glob(f"*/{files[0].name}-*")
    os.truncate(cached, 1000)
    with pytest.raises(ReplacedIndexError, match="cached copy was cut"):
        first.segments[0].check()
    again = index.opened(manifest)
    again.segments[0].check()
    assert again.segments[0] is not first.segments[0]
    assert again.segments[1] is first.segments[1]


@pytest.mark.posix
def test_a_cached_copy_that_is_cut_without_a_store_is_made_anew_later(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Index.build(history(1), folder=url).close()
    index = Index.open(url, cache=tmp_path)
    answer = lasting(index.search("lantern"))
    (cached,) = tmp_path.glob("*/segment-*")
    os.truncate(cached, 1000)

    def offline(*_: Any, **__: Any) -> None:
        raise ConnectionError("no route to host")

    with monkeypatch.context() as patch:
        for name in ("cat_ranges", "cat_file", "ls"):
            patch.setattr(type(memory()), name, offline)
        for _ in range(2):
            with pytest.raises(StoreError, match="no route to host"):
                index.search("lantern")
    assert lasting(index.search("lantern")) == answer


def test_an_object_that_is_gone_is_an_error(url: str, tmp_path: Path) -> None:
    Index.build(history(1), folder=url).close()
    (path,) = objects(url, "segment")
    index = Index.open(url, cache=tmp_path)
    memory().rm_file(path)
    with pytest.raises(DamagedIndexError, match="is gone"):
        index.search("lantern")
    with pytest.raises(DamagedIndexError, match="names a segment that is gone"):
        Index.open(url, cache=tmp_path / "other")
    for each in objects(url):
        memory().rm_file(each)
    with pytest.raises(DamagedIndexError, match="no index is left there"):
        index.search("lantern")


def test_a_manifest_that_is_damaged_or_of_another_format_is_an_error(url: str, tmp_path: Path) -> None:
    with pytest.raises(MissingIndexError, match=re.escape(url)):
        Index.open(url, cache=tmp_path)
    Index.build(history(1), folder=url).close()
    (path,) = objects(url, "manifest")
    put(path, contents(url)[path][:-5])
    with pytest.raises(DamagedIndexError, match="is not what was written"):
        Index.open(url, cache=tmp_path)
    memory().rm_file(path)
    put(path.replace("manifest-", "manifest-9"), b"")
    with pytest.raises(IndexFormatError, match="format 9"):
        Index.open(url, cache=tmp_path)


# --- generations -------------------------------------------------------------------------------------------------


def test_an_index_that_was_replaced_is_read_anew(url: str, tmp_path: Path) -> None:
    Index.build(history(1)).save(url)
    index = Index.open(url, cache=tmp_path)
    wanted = Index.build(history(2))
    wanted.save(url)
    assert lasting(index.search("lantern")) == lasting(wanted.search("lantern"))
    Index.build(history(3)).save(url)
    assert lasting(index.search("lantern")) == lasting(wanted.search("lantern")), "it reads what it has opened"


def test_both_tries_of_a_search_of_a_replaced_index_count_in_one_budget(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Index.build(history(1)).save(url)
    index = Index.open(url, cache=tmp_path)
    Index.build(history(2)).save(url)
    read = Index._read_anew

    def slowly(self: Index, *given: Any, **named: Any) -> None:
        time.sleep(0.2)
        read(self, *given, **named)

    monkeypatch.setattr(Index, "_read_anew", slowly)
    response = index.search("lantern", budget_ms=100)
    assert response.elapsed_ms >= 200
    assert response.degrade_kind == "time"


def test_a_reader_that_is_used_directly_is_told_of_a_newer_index(url: str, tmp_path: Path) -> None:
    Index.build(history(1)).save(url)
    index = Index.open(url, cache=tmp_path)
    Index.build(history(2)).save(url)
    with pytest.raises(ReplacedIndexError, match="a newer index was published"):
        index.scores("lantern")


def test_nothing_of_an_older_index_is_served_or_stays_in_the_cache(url: str, tmp_path: Path) -> None:
    secret, kept = (
        session("s1", message("m1", "the quokka-4711 word")),
        session("s2", message("m2", "the lantern word")),
    )
    Index.build([secret, kept], folder=url).close()
    with Index.open(url, cache=tmp_path, verify=True) as index:
        assert index.search("quokka-4711").results
    assert any(b"quokka" in path.read_bytes() for path in tmp_path.glob("*/*"))
    Index.build([kept], folder=url).close()
    assert not any(b"quokka" in data for data in contents(url).values())
    with Index.open(url, cache=tmp_path) as index:
        assert not index.search("quokka-4711").results
        assert not any(b"quokka" in path.read_bytes() for path in tmp_path.glob("*/*"))
        assert index.search("lantern").results


def test_equal_names_with_other_content_share_nothing(url: str, tmp_path: Path) -> None:
    """An object store may be restored from a copy: what the manifest names decides, not the name of an object."""
    Index.build(history(1), folder=url).close()
    first = Index.open(url, cache=tmp_path, verify=True)
    answer = lasting(first.search("lantern"))
    old, before = contents(url), {path.name for path in tmp_path.glob("*/*")}
    (segment,), (manifest,) = objects(url, "segment"), objects(url, "manifest")
    Index.build(history(2), folder=url).close()
    (newer,) = objects(url, "segment")
    data = memory().cat_file(newer)
    put(segment, data)
    put(manifest, manifest_for(old[manifest], data))
    memory().rm_file(newer)
    memory().rm_file(next(each for each in objects(url, "manifest") if each != manifest))
    with Index.open(url, cache=tmp_path) as index:
        assert lasting(index.search("lantern")) == lasting(Index.build(history(2)).search("lantern"))
        assert lasting(first.search("lantern")) == answer
        assert not before & {path.name for path in tmp_path.glob("*/*")}


# --- the cache ---------------------------------------------------------------------------------------------------


def cached_bytes(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.glob("*/*"))


@pytest.mark.parametrize("wanted", ["a folder", "a store", "nothing"])
def test_an_index_is_saved_while_its_cache_is_full(url: str, tmp_path: Path, wanted: str) -> None:
    Index.build(history(1), folder=url).close()
    index = Index.open(url, cache=tmp_path / "cache", cache_bytes=1)
    answer = lasting(index.search("lantern"))
    assert index._remote is not None
    assert index._remote.spent
    places = {"a folder": str(tmp_path / "copy"), "a store": new_url(), "nothing": None}
    place = places[wanted]
    raised: list[ValueError] = []

    def save() -> None:
        try:
            index.save(place)
        except ValueError as error:
            raised.append(error)

    saving = threading.Thread(target=save, daemon=True)  # a test that fails ends, too
    saving.start()
    saving.join(30)
    assert not saving.is_alive(), "it waits for itself"
    if place is None:
        assert "was not opened from a folder" in str(raised)
        return
    with Index.open(place) if wanted == "a folder" else Index.open(place, cache=tmp_path / "other") as saved:
        assert lasting(saved.search("lantern")) == answer


@pytest.mark.posix
def test_the_cache_is_private(url: str, tmp_path: Path) -> None:
    Index.build(history(1), folder=url).close()
    before = os.umask(0)
    try:
        Index.open(url, cache=tmp_path / "a" / "cache").close()
    finally:
        os.umask(before)
    found = [tmp_path / "a" / "cache", *(tmp_path / "a" / "cache").rglob("*")]
    assert {path.stat().st_mode & 0o077 for path in found} == {0}
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "notes.txt").write_text("mine")
    (tmp_path / "open").chmod(0o755)
    with pytest.raises(OSError, match="may be read by others"):
        Index.open(url, cache=tmp_path / "open")


def test_indexes_share_a_bounded_cache(tmp_path: Path) -> None:
    urls = [new_url() for _ in range(4)]
    for at, url in enumerate(urls):
        Index.build(generate.sessions(PARTS, at), folder=url).close()
    most = 900_000
    for url in [*urls, urls[0]]:
        with Index.open(url, cache=tmp_path, cache_bytes=most) as index:
            for query in ("error cannot find", "typeerror undefined", "keyerror"):
                index.search(query, budget_ms=ENOUGH_MS)
        assert cached_bytes(tmp_path) <= most + 400_000  # what one search adds before the next one looks
    assert len(list(tmp_path.iterdir())) < 4


def test_threads_fill_one_cache(url: str, tmp_path: Path) -> None:
    sessions = list(generate.sessions(PARTS, 1))
    Index.build(sessions, folder=url).close()
    local = Index.build(sessions)
    searches = RandomSearches(sessions, 1)
    drawn = [searches.draw(number) for number in range(16)]
    wanted = [lasting(local.search(each.query, **{**each.options, "budget_ms": ENOUGH_MS})) for each in drawn]
    drawn = [searches.draw(number) for number in range(16)]
    wrong: list[str] = []
    with Index.open(url, cache=tmp_path, cache_bytes=1_500_000) as index:

        def work(first: int) -> None:
            for at in (*range(first, 16), *range(first)):
                each = drawn[at]
                if "cancel" in each.options:
                    continue
                got = lasting(index.search(each.query, **{**each.options, "budget_ms": ENOUGH_MS}))
                if got != wanted[at]:
                    wrong.append(str(each))

        threads = [threading.Thread(target=work, args=(4 * number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_a_cache_of_another_kind_is_refused(url: str, tmp_path: Path) -> None:
    Index.build(history(1), folder=url).close()
    for most in (-1, 1.5, True):
        with pytest.raises(ValueError, match="cache_bytes"):
            Index.open(url, cache=tmp_path, cache_bytes=most)  # type: ignore[arg-type]
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        Index.open(url, cache=tmp_path / "file")
    assert BlockCache(tmp_path / "sub", "key", 5).most == 5


def test_a_cache_removes_only_what_it_has_cached(url: str, tmp_path: Path) -> None:
    """The folder of a cache is named by its user, who may keep other files there."""
    Index.build(history(1), folder=url).close()
    Index.open(url, cache=tmp_path).close()
    (own,) = (path for path in tmp_path.iterdir() if path.is_dir())
    (cached,) = own.glob("segment-*")
    other = tmp_path / ("0" * 32) / cached.name  # of an index that was opened earlier
    foreign = [tmp_path / "letters" / "thesis.txt", other.parent / "thesis.txt", own / "thesis.txt",
               tmp_path / "letters" / cached.name]  # fmt: skip
    for path in (other, *foreign):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(8192))
        os.utime(path, (1, 1))
    with Index.open(url, cache=tmp_path, cache_bytes=0) as index:
        assert index.search("lantern").results
    assert [path for path in foreign if not path.exists()] == []
    assert not other.exists()


# --- what an index in a store does not do ------------------------------------------------------------------------


def test_it_is_only_read(url: str, tmp_path: Path) -> None:
    Index.build(history(1), folder=url).close()
    with Index.open(url, cache=tmp_path) as index:
        before = contents(url)
        for change in (
            lambda: index.add(history(2)),
            lambda: index.append("s1", []),
            lambda: index.remove(["s1"]),
            lambda: index.refresh([]),
        ):
            with pytest.raises(ValueError, match="only read"):
                change()
        with pytest.raises(ValueError, match="not opened from a folder"):
            index.save()
        assert contents(url) == before
    for refused in ({"create": True}, {"embedder": object()}):
        with pytest.raises(ValueError, match="an index in a store"):
            Index.open(url, cache=tmp_path, **refused)  # type: ignore[arg-type]


def test_options_of_stores_are_for_urls(tmp_path: Path) -> None:
    Index.build(history(1), folder=tmp_path).close()
    for option in ({"cache": tmp_path}, {"cache_bytes": 1}, {"storage": {"a": 1}}):
        with pytest.raises(ValueError, match="no URL"):
            Index.open(tmp_path, **option)  # type: ignore[arg-type]
    with Index.open(tmp_path) as index:
        assert index.fetched is None


def test_an_unknown_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nosuch"):
        Index.open("nosuch://a/b", cache=tmp_path)


def test_a_folder_by_its_url_is_an_index_in_a_store(tmp_path: Path) -> None:
    memory()
    Index.build(history(1), folder=tmp_path / "index").close()
    local = Index.build(history(1))
    with Index.open(f"file://{tmp_path}/index", cache=tmp_path / "cache") as index:
        assert lasting(index.search("lantern")) == lasting(local.search("lantern"))
    publish_segments([build(history(2))], f"file://{tmp_path}/index")
    with Index.open(tmp_path / "index") as index:
        assert lasting(index.search("lantern")) == lasting(Index.build(history(2)).search("lantern"))


def some_texts(count: int) -> list[dict[str, str]]:
    return [{"id": f"s{at}", "text": f"lantern word-{at} harbor"} for at in range(count)]


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_folders_of_the_cache_that_are_removed_are_made_again_private(url: str, tmp_path: Path) -> None:
    """As `forget` and `purge` do, while a process has the index open."""
    place = tmp_path / "cache" / "stores"
    Index.from_texts(some_texts(400)).save(url)
    with Index.open(url, cache=place) as index:
        index.search("lantern")
        shutil.rmtree(place)
        Index.from_texts(some_texts(401)).save(url)
        assert index.search("word-400").results[0].session_id == "s400"
        assert [path.stat().st_mode & 0o077 for path in (place, *place.iterdir())] == [0, 0]
        Index.open(url, cache=place).close()


@pytest.mark.parametrize("what", ["the copy", "the folder"])
def test_what_another_process_removes_while_it_is_opened_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    cache = BlockCache(tmp_path / "cache", "memory://one", 1 << 20)
    listed = ListedFile("segment-1-0000abcd-1-0123456789abcdef", 4096, "0" * 32)
    os.close(cache.open(listed))
    (copy,) = (tmp_path / "cache").glob("*/*")
    real, opened = os.open, []

    def removed_after(path: object, flags: int, mode: int = 0o777, **more: Any) -> int:
        if path == copy:
            opened.append(path)
            if what == "the folder" and len(opened) == 1:
                copy.unlink()
                copy.parent.rmdir()
        descriptor = real(path, flags, mode, **more)  # type: ignore[call-overload]
        if path == copy and what == "the copy" and len(opened) == 1:
            copy.unlink()
        return int(descriptor)

    monkeypatch.setattr(os, "open", removed_after)
    descriptor = cache.open(listed)
    try:
        assert (os.fstat(descriptor).st_size, os.fstat(descriptor).st_nlink) == (4096, 1)
        assert os.path.samestat(os.fstat(descriptor), copy.stat())
    finally:
        os.close(descriptor)


def test_a_cached_copy_that_cannot_be_opened_is_all_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no room")

    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    with pytest.raises(OSError, match="no room"):
        RemoteFile(SimpleNamespace(), SimpleNamespace(open=refused), SimpleNamespace())  # type: ignore[arg-type]
    gc.collect()
    assert told == []
