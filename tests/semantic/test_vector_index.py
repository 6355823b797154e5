"""Vectors are made once for each text: incrementally, resumably, in the background, by one process a folder."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from recall_rank.corpus import Index
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.folder import Folder
from recall_rank.index.storage.vector_file import load_vectors
from recall_rank.model import Session
from recall_rank.semantic import nearest, vector_index
from recall_rank.semantic.vector_index import VectorIndex
from tests.support.search.samples import NOW, session
from tests.support.semantic.word_embedder import WordEmbedder


def said(number: int) -> str:
    return f"we talked of subject{number} at the harbour of town{number}"


def sessions(count: int, first: int = 0) -> list[Session]:
    """Sessions of one message each, the first of them the newest."""
    return [session(f"s{at}", said(at), updated=NOW - at) for at in range(first, first + count)]


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the background still."""
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 3600.0)


def wait_for(done: Callable[[], bool], seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until
        time.sleep(0.01)


def with_vector(index: Index) -> int:
    count = index.search("harbour").coverage.vectors
    assert count is not None
    return count.with_vector


@pytest.mark.usefixtures("still")
def test_only_new_texts_are_embedded() -> None:
    embedder = WordEmbedder()
    with Index.build(sessions(3), embedder=embedder) as index:
        assert index.embed().made == 3
        index.add(sessions(2, first=3))
        assert index.embed().made == 2
        index.append("s0", [{"role": "user", "content": "and then we came back to the harbour"}])
        assert index.embed().made == 1
        assert index.embed().made == 0
        assert with_vector(index) == 6
        assert len(embedder.texts) == len(set(embedder.texts)) == 6
        index.remove(["s1"])
        assert index.embed().made == 0
        assert with_vector(index) == 5


@pytest.mark.usefixtures("still")
def test_a_search_counts_the_vectors_of_a_segment_only_when_they_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    looked, given = [0], nearest.said_marks

    def counted(segment: Segment) -> npt.NDArray[np.bool_]:
        looked[0] += 1
        return given(segment)

    monkeypatch.setattr(nearest, "said_marks", counted)
    with Index.build(sessions(3), embedder=WordEmbedder()) as index:
        assert [with_vector(index) for _ in range(3)] == [0, 0, 0]
        assert looked == [1]
        index.embed()
        assert [with_vector(index) for _ in range(3)] == [3, 3, 3]
        assert looked == [2]
        index.add(sessions(1, first=3))
        assert with_vector(index) == 3
        before = looked[0]
        index.add(sessions(1, first=4))
        assert [with_vector(index) for _ in range(3)] == [3, 3, 3]
        assert looked == [before + 1], "the other segments stayed as they were"
        index.remove(["s1"])
        assert [with_vector(index) for _ in range(3)] == [2, 2, 2]


@pytest.mark.usefixtures("still")
def test_equal_texts_share_a_vector() -> None:
    embedder = WordEmbedder()
    twice = [session("a", said(1), said(2)), session("b", said(1), said(1))]
    with Index.build(twice, embedder=embedder) as index:
        assert index.embed().made == 2
        assert with_vector(index) == 4
        assert index.embed().made == 0


@pytest.mark.usefixtures("still")
def test_many_small_additions_that_are_merged_keep_their_vectors() -> None:
    embedder = WordEmbedder()
    with Index.build([], embedder=embedder) as index:
        for at in range(40):
            index.add(sessions(1, first=at))
            index.embed()
        assert len(embedder.texts) == 40
        assert with_vector(index) == 40


@pytest.mark.usefixtures("still")
def test_the_newest_sessions_come_first() -> None:
    embedder = WordEmbedder()
    with Index.build(sessions(3, first=5), embedder=embedder) as index:
        index.add(sessions(2))
        index.embed()
    newest = embedder.texts[:2]
    assert sorted(newest) == [said(0), said(1)]


@pytest.mark.usefixtures("still")
def test_vectors_lie_in_the_folder_and_are_found_again(tmp_path: Path) -> None:
    first, later = WordEmbedder(), WordEmbedder()
    with Index.build(sessions(4), folder=tmp_path, embedder=first) as index:
        index.embed()
    with Index.open(tmp_path, embedder=later) as index:
        assert with_vector(index) == 4
        assert index.embed().made == 0
        index.add(sessions(1, first=4))
        index.embed()
    assert later.texts == [said(4)]
    with Index.open(tmp_path, embedder=WordEmbedder()) as index:
        assert with_vector(index) == 5
    assert len(list(tmp_path.glob("vectors-*"))) == len(list(tmp_path.glob("segment-*")))


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("opened", [False, True])
def test_a_copy_of_an_index_has_its_vectors(tmp_path: Path, opened: bool) -> None:
    embedder = WordEmbedder()
    with Index.build(sessions(3), embedder=embedder) as index:
        index.embed()
        index.save(tmp_path / "first")
        index.save(tmp_path / "copy")
    if opened:
        with Index.open(tmp_path / "first", embedder=embedder) as index:
            index.add(sessions(1, first=3))
            index.embed()
            index.save(tmp_path / "copy")
            assert with_vector(index) == 4
    with Index.open(tmp_path / "copy", embedder=embedder) as copy:
        assert with_vector(copy) == (4 if opened else 3)
        assert copy.embed().made == 0


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("other", [WordEmbedder("others"), WordEmbedder(dimension=32)])
def test_vectors_of_two_embedders_never_mix(tmp_path: Path, other: WordEmbedder) -> None:
    with Index.build(sessions(4), folder=tmp_path, embedder=WordEmbedder()) as index:
        index.embed()
    with Index.open(tmp_path, embedder=other) as index:
        assert other.dimension == 32 or "near in meaning" not in " ".join(index.search("harbour", explain=True).trace)
        assert all(result.explain is None for result in index.search("harbour").results)
        assert index.embed().made == 4
        assert with_vector(index) == 4
        segment = index._reader.views[0].segment
    stored = load_vectors(segment)
    assert stored is not None
    assert (stored.model, stored.dimension) == (other.name, other.dimension)


class Interrupted(WordEmbedder):
    """Fails after some calls."""

    def __init__(self, calls: int, error: type[BaseException] = OSError) -> None:
        super().__init__()
        self.calls, self.error = calls, error

    def __call__(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        self.calls -= 1
        if self.calls < 0:
            raise self.error("the model is gone")
        return super().__call__(texts, query=query)


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, MemoryError])
def test_what_was_made_before_an_interruption_is_kept(tmp_path: Path, error: type[BaseException]) -> None:
    first, later = Interrupted(3, error), WordEmbedder()
    with Index.build(sessions(60), folder=tmp_path, embedder=first) as index, pytest.raises(error):
        index.embed()
    assert len(first.texts) == 3 * vector_index.BATCH
    seen: list[tuple[str, int, int | None]] = []
    with Index.open(tmp_path, embedder=later) as index:
        assert with_vector(index) == 48
        index.embed(lambda *step: seen.append(step))
    assert len(later.texts) == 12
    assert not set(later.texts) & set(first.texts)
    assert seen == [("embedding", 12, 12)]


@pytest.mark.usefixtures("still")
def test_long_work_is_stored_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(vector_index, "CHUNK", 16)
    stored: list[int] = []

    def look(stage: str, done: int, of: int | None) -> None:
        with Folder(tmp_path) as folder:
            (name,) = [name for name in folder.names() if name.startswith("segment-")]
        found = vector_index.load_vectors(index._reader.views[0].segment)
        assert name
        stored.append(0 if found is None else len(found))

    with Index.build(sessions(64), folder=tmp_path, embedder=WordEmbedder()) as index:
        index.embed(look)
    assert stored == [0, 16, 32, 48]


# --- the background -------------------------------------------------------------------------------------------


def test_vectors_are_made_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 0.0)
    with Index.build(sessions(40), embedder=WordEmbedder()) as index:
        wait_for(lambda: with_vector(index) == 40)
        index.add(sessions(3, first=40))
        wait_for(lambda: with_vector(index) == 43)


def test_the_background_rests_while_searches_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 0.5)
    embedder = WordEmbedder()
    with Index.build(sessions(40), embedder=embedder) as index:
        until = time.monotonic() + 1.2
        while time.monotonic() < until:
            index.search("harbour")
        assert embedder.texts == []
        wait_for(lambda: len(embedder.texts) == 40)


def test_an_error_in_the_background_stops_no_search_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(vector_index, "RETRY_SECONDS", 0.05)
    embedder = Interrupted(0)
    with Index.build(sessions(3), embedder=embedder) as index:
        vectors = index._vectors
        assert vectors is not None
        wait_for(lambda: vectors.problem == "OSError: the model is gone")
        assert len(index.search("harbour").results) == 3
        embedder.calls = 100
        wait_for(lambda: with_vector(index) == 3)
        wait_for(lambda: vectors.problem is None)


def test_embed_does_not_wait_for_the_background_to_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 0.0)

    class Counting(WordEmbedder):
        def __call__(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
            threads.append(threading.current_thread().name)
            time.sleep(0.02)
            return super().__call__(texts, query=query)

    threads: list[str] = []
    with Index.build(sessions(800), embedder=Counting()) as index:
        wait_for(lambda: len(threads) >= 2)
        assert index.embed().with_vector == 800
    assert threads.count("MainThread") > 30


def test_close_ends_the_background_and_keeps_what_it_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 0.0)

    class Lazy(WordEmbedder):
        def __call__(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
            time.sleep(0.05)
            return super().__call__(texts, query=query)

    embedder, before = Lazy(), set(threading.enumerate())
    index = Index.build(sessions(800), folder=tmp_path, embedder=embedder)
    wait_for(lambda: len(embedder.texts) >= 32)
    index.close()
    made = len(embedder.texts)
    assert made < 800
    assert not set(threading.enumerate()) - before
    with Index.open(tmp_path) as again:
        stored = load_vectors(again._reader.views[0].segment)
    assert stored is not None
    assert len(stored) == made


def test_one_process_makes_the_vectors_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(vector_index, "OTHER_SECONDS", 0.05)
    embedder = WordEmbedder()
    Index.build(sessions(4), folder=tmp_path).close()
    with Folder(tmp_path) as other:
        assert other.try_lock()
        index = Index.open(tmp_path, embedder=embedder)
        time.sleep(0.4)
        assert embedder.texts == []
    wait_for(lambda: with_vector(index) == 4)
    index.close()


# --- embed() makes room -------------------------------------------------------------------------------------------


class Gated(WordEmbedder):
    """Makes a batch for each permit."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.permits = threading.Semaphore(0)

    def __call__(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        self.asked += 1
        assert self.permits.acquire(timeout=60)
        return super().__call__(texts, query=query)


class Running(threading.Thread):
    """A thread that keeps what its work returned or raised, and does not outlive a test that fails."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.work = work
        self.done: object = None
        self.start()

    def run(self) -> None:
        try:
            self.done = self.work()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.done = error

    def ended(self) -> object:
        self.join(20)
        assert not self.is_alive(), "it waits"
        return self.done


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("place", ["its folder", "a copy"])
def test_a_save_waits_for_no_more_than_a_batch_of_embed(tmp_path: Path, place: str) -> None:
    embedder = Gated()
    steps: list[tuple[str, int, int | None]] = []
    with Index.build(sessions(100), folder=tmp_path / "index", embedder=embedder) as index:
        vectors = index._vectors
        assert vectors is not None
        index.add(sessions(20, first=100))
        embedding = Running(lambda: index.embed(lambda *step: steps.append(step)))
        wait_for(lambda: embedder.asked == 1)
        saving = Running(index.save if place == "its folder" else lambda: index.save(tmp_path / "copy"))
        wait_for(lambda: vectors._waiting == 2)
        embedder.permits.release()
        assert saving.ended() is None
        wait_for(lambda: embedder.asked == 2)  # it goes on, with the sessions that there are
        adding = Running(lambda: index.add(sessions(1, first=120)))
        assert adding.ended() is None
        assert embedding.is_alive()
        embedder.permits.release(1000)
        report = embedding.ended()
        assert isinstance(report, vector_index.EmbedReport)
        assert report.made == report.with_vector == report.passages == 120
        assert len(embedder.texts) == len(set(embedder.texts)) == 120
        assert [made for _, made, _ in steps] == sorted(made for _, made, _ in steps)
        assert steps[-1] == ("embedding", 120, 120)
        assert with_vector(index) == 120
        assert index.embed().made == 1
    with Index.open(tmp_path / ("index" if place == "its folder" else "copy")) as saved:
        stored = [load_vectors(view.segment) for view in saved._reader.views]
    assert sum(len(each) for each in stored if each is not None) >= vector_index.BATCH


def test_a_save_does_not_wait_for_searches_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The background has begun to make vectors, and rests while searches run."""
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 0.0)
    embedder, ended = Gated(), threading.Event()
    with Index.build(sessions(100), folder=tmp_path / "index", embedder=embedder) as index:
        wait_for(lambda: embedder.asked == 1)
        monkeypatch.setattr(vector_index, "QUIET_SECONDS", 0.5)

        def search() -> None:
            while not ended.wait(0.01):
                index.search("harbour", match="literal")
                index._vectors.ask(index._reader, "harbour")  # type: ignore[union-attr]

        searching = Running(search)
        embedder.permits.release()
        wait_for(lambda: len(embedder.texts) == vector_index.BATCH)
        try:
            assert Running(lambda: index.save(tmp_path / "copy")).ended() is None
        finally:
            ended.set()
            embedder.permits.release(1000)
        assert searching.ended() is None


@pytest.mark.usefixtures("still")
def test_close_ends_embed_after_its_batch(tmp_path: Path) -> None:
    embedder = Gated()
    index = Index.build(sessions(100), folder=tmp_path, embedder=embedder)
    embedding = Running(index.embed)
    wait_for(lambda: embedder.asked == 1)
    index.close()
    embedder.permits.release(1000)
    assert "closed" in str(embedding.ended())
    assert len(embedder.texts) == vector_index.BATCH
    with Index.open(tmp_path) as again:
        stored = load_vectors(again._reader.views[0].segment)
    assert stored is not None
    assert len(stored) == vector_index.BATCH


@pytest.mark.usefixtures("still")
def test_while_another_process_makes_the_vectors_an_index_is_saved_and_closed(tmp_path: Path) -> None:
    index = Index.build(sessions(4), folder=tmp_path / "index", embedder=WordEmbedder())
    vectors = index._vectors
    assert vectors is not None
    with Folder(tmp_path / "index") as other:
        assert other.try_lock()
        embedding = Running(index.embed)
        wait_for(lambda: vectors._waiting == 1)
        assert Running(lambda: index.save(tmp_path / "copy")).ended() is None
        assert embedding.is_alive()
        assert Running(index.close).ended() is None
        assert "closed" in str(embedding.ended())


@pytest.mark.usefixtures("still")
def test_vectors_that_another_process_stored_are_taken(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    with Index.build(sessions(4), folder=tmp_path, embedder=embedder) as early:
        with Index.open(tmp_path, embedder=WordEmbedder()) as late:
            late.embed()
        assert with_vector(early) == 0
        assert early.embed().made == 0
        assert with_vector(early) == 4
    assert embedder.texts == []


@pytest.mark.usefixtures("still")
def test_a_folder_that_vanished_stops_nothing(tmp_path: Path) -> None:
    with Index.build(sessions(4), folder=tmp_path / "index", embedder=WordEmbedder()) as index:
        (tmp_path / "index").rename(tmp_path / "gone")
        assert len(index.search("harbour").results) == 4
        with pytest.raises(OSError, match="index"):
            index.embed()


def test_a_vector_index_of_no_embedder_is_refused() -> None:
    with pytest.raises(TypeError, match="FunctionEmbedder"):
        VectorIndex(len)  # type: ignore[arg-type]
