"""A Recall with a cache answers as one without, at once, and says how old its answer is."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recall_rank import Context, Index, Recall, RefreshReport
from recall_rank.frontends.transcripts.gather import find_session
from recall_rank.histories import cached_backend
from recall_rank.histories.cache import refresh as refreshing
from recall_rank.histories.cache.location import MACHINE, default_cache
from recall_rank.histories.cached_backend import CachedBackend
from recall_rank.histories.ignore import Ignore
from recall_rank.histories.transcript import UnknownSession
from recall_rank.index.errors import MissingIndexError
from recall_rank.loaders import open_sources
from recall_rank.model import Flag, Session, Unit
from recall_rank.recall import MISS_SECONDS
from tests.histories.test_refresh import Shelf, talk
from tests.support.histories.every_store import STORES
from tests.support.histories.machine import Machine
from tests.support.histories.rebuilt import ASKED
from tests.support.search.samples import ENOUGH_MS, NOW

TIMED = ("elapsed_ms", "cpu_ms")


def told(recall: Recall, text: str, **options: Any) -> dict[str, Any]:
    answer = recall.search(text, now=NOW, budget_ms=ENOUGH_MS, explain=True, results=30, **options).to_dict()
    answer["coverage"].pop("stale_ms")
    return {name: value for name, value in answer.items() if name not in TIMED}


def test_answers_are_those_of_memory_cold_warm_and_without_the_cache(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "home", 3)
    memory = Recall(machine.sources())
    for _ in range(2):
        with Recall(machine.sources(), cache=tmp_path / "cache") as recall:
            for text in ASKED:
                assert told(recall, text) == told(memory, text)
            assert recall.sessions() == memory.sessions()
            assert recall.sources() == memory.sources()
            for session in recall.sessions():
                assert recall.transcript(session.id) == memory.transcript(session.id)
    with Recall(machine.sources(), cache=tmp_path / "cache") as recall:
        recall.prepare()
        for path in (tmp_path / "cache").rglob("*-*-*"):
            if path.is_file():
                path.unlink()
        for text in ASKED:
            assert told(recall, text) == told(memory, text)


@pytest.mark.parametrize("store", STORES)
def test_a_transcript_is_whole_before_and_after_anything_is_indexed(tmp_path: Path, store: str) -> None:
    """Regression: without a cache and before a search, a fork lacked the messages that count in another session."""
    STORES[store](tmp_path / "home")
    read, indexed = (Recall(open_sources(tmp_path / "home")) for _ in range(2))
    indexed.prepare()
    with Recall(open_sources(tmp_path / "home"), cache=tmp_path / "cache") as cached:
        for session in cached.sessions():
            whole = cached.transcript(session.id)
            assert read.transcript(session.id) == whole
            assert indexed.transcript(session.id) == whole


@pytest.mark.parametrize("cached", [True, False])
def test_a_view_of_one_project_shows_what_one_without_a_cache_shows(tmp_path: Path, cached: bool) -> None:
    """And what it would show if the other projects were not there."""
    shelf, own = Shelf(), Shelf()
    for number in range(6):
        words = ("the lantern is lit", f"codename walrus{number}")
        said = talk(f"s{number}", *words, project=("quay", "harbor")[number % 2], parent="s0")
        for each in (shelf, own) if number in (0, 1, 2, 4) else (shelf,):
            each.put(f"u{number}", said)
    here = Context(project="quay", session_id="s1")
    memory, alone = Recall([shelf]).only(here), Recall([own])
    with Recall([shelf], cache=tmp_path if cached else None) as recall:
        view = recall.only(here)
        assert view.sessions() == memory.sessions() == alone.sessions()
        for text in ("lantern", "walrus3", "walrus2", "walrsu5", "nothing of that"):
            for scope in ("global", "project"):
                found = told(view, text, scope=scope)
                assert found == told(memory, text, scope=scope)
                expected = told(alone, text, scope=scope, context=here)
                for answer in (found, expected):
                    answer["coverage"].pop("per_source")  # a view tells no bytes and parts
                assert found == expected
        assert view.sources() == memory.sources()
        for session in alone.sessions():
            assert view.transcript(session.id) == alone.transcript(session.id)
        with pytest.raises(LookupError):
            view.session("s3")
        shelf.put("u8", talk("s8", "the lantern again", project="quay"))
        shelf.put("u9", talk("s9", "the lantern again", project="harbor"))
        assert view.refresh().sources == ()
        assert {session.id for session in view.sessions()} == {"s0", "s1", "s2", "s4", "s8"}
        assert view.search("lantern").coverage.sessions.known == 5
        assert view.only(Context(project="harbor")).search("lantern").coverage.sessions.known == 4


@pytest.mark.parametrize("cached", [True, False])
def test_views_show_what_a_refresh_found_and_read_nothing_again(tmp_path: Path, cached: bool) -> None:
    """Regression: in memory, each view read all sources itself, and showed what it had read first for ever."""
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern is lit", project="quay"))
    shelf.put("u1", talk("s1", "the lantern is lit", project="harbor"))
    with Recall([shelf], cache=tmp_path if cached else None) as recall:
        quay, harbor = recall.only(Context(project="quay")), recall.only(Context(project="harbor"))
        recall.refresh()
        shelf.read_units.clear()
        for view, own in ((quay, "s0"), (harbor, "s1")):
            assert [session.id for session in view.sessions()] == [own]
            assert {result.session_id for result in view.search("lantern").results} == {own}
            assert [report.sessions for report in view.sources()] == [1]
        assert shelf.read_units == []
        shelf.put("u2", talk("s2", "a pelican", project="quay"))
        shelf.put("u1", talk("s1", "a heron", project="harbor"))
        recall.refresh()
        assert {result.session_id for result in quay.search("pelican").results} == {"s2"}
        assert {session.id for session in quay.sessions()} == {"s0", "s2"}
        assert {result.session_id for result in harbor.search("heron").results} == {"s1"}
        assert not harbor.search("pelican").results
        assert not harbor.search("lantern").results
        assert recall.search("lantern").coverage.sessions.known == 3


def test_a_view_in_memory_shows_a_session_that_its_source_has_lost() -> None:
    """As the Recall itself does before the first search; and with no link to another project."""
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern is lit", project="quay", parent="s1"))
    shelf.put("u1", talk("s1", "the heron", project="harbor"))
    view = Recall([shelf]).only(Context(project="quay"))
    assert view.sessions()
    shelf.put("u0")
    found = view.transcript("s0")
    assert (found.parent, len(found.messages)) == (None, 1)


def test_a_close_while_a_refresh_shows_what_it_made_is_not_undone(tmp_path: Path) -> None:
    """Regression: between asking whether the backend is closed and showing the new state, it could be closed."""
    closing: list[threading.Thread] = []

    class Overtaken(CachedBackend):
        armed = False
        ended = False

        @property
        def _closed(self) -> bool:  # type: ignore[override]
            before = self.ended
            if self.armed:
                self.armed = False
                closing.append(threading.Thread(target=self.close))
                closing[0].start()
                closing[0].join(0.1)  # it ends only where it is not made to wait
            return before

        @_closed.setter
        def _closed(self, value: bool) -> None:
            self.ended = value

    shelf = Shelf()
    shelf.put("u", talk("s", "the lantern is lit"))
    recall = Recall([shelf], tmp_path)
    recall.search("lantern")
    backend: Any = recall._backend
    backend.__class__ = Overtaken
    made = backend.factory.of_segments

    def of_segments(*given: Any) -> Any:
        index = made(*given)
        backend.armed = True
        return index

    backend.factory.of_segments = of_segments
    shelf.put("u", talk("s", "the lantern is out"))
    recall.refresh()
    closing[0].join()
    assert backend._state is backend._snapshot is None
    with pytest.raises(ValueError, match="closed"):
        recall.search("lantern")


@pytest.mark.parametrize("cached", [True, False])
def test_a_closed_view_of_a_project_refuses_what_its_recall_still_answers(tmp_path: Path, cached: bool) -> None:
    shelf = Shelf()
    shelf.put("u", talk("s", "the lantern is lit", project="harbor"))
    with Recall([shelf], tmp_path / "cache" if cached else None) as recall:
        view = recall.only(Context(project="harbor"))
        assert view.search("lantern").results
        view.close()
        with pytest.raises(ValueError, match="closed"):
            view.search("lantern")
        with pytest.raises(ValueError, match="closed"):
            view.sources()
        assert recall.search("lantern").results


class Slow(Shelf):
    """A source that waits until it may be listed."""

    def __init__(self) -> None:
        super().__init__()
        self.may = threading.Event()
        self.may.set()

    def units(self) -> Iterable[Unit]:
        assert self.may.wait(30)
        return super().units()


def test_a_search_does_not_wait_for_a_slow_refresh(tmp_path: Path) -> None:
    slow = Slow()
    slow.put("u0", talk("s0", "the lantern"))
    Recall([slow], cache=tmp_path).prepare()
    slow.put("u1", talk("s1", "the lantern"))
    slow.may.clear()
    with Recall([slow], cache=tmp_path) as recall:
        time.sleep(0.01)
        answer = recall.search("lantern", budget_ms=20_000)
        assert (answer.total, recall.wait(0)) == (1, False)
        assert answer.coverage.stale_ms >= 10
        slow.may.set()
        assert recall.wait()
        assert recall.search("lantern").total == 2


def is_long(seconds: float | None) -> bool:
    """Return whether somebody waits as long for a refresh as a look-up of a session does."""
    return seconds is not None and MISS_SECONDS - 5 < seconds <= MISS_SECONDS


class Late(Slow):
    """A source that may be listed once somebody waits for the refresh of an index."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.waits: list[float | None] = []
        wait = CachedBackend.wait

        def release(backend: CachedBackend, seconds: float | None) -> bool:
            self.waits.append(seconds)
            if is_long(seconds):
                self.may.set()
                return wait(backend, 30)
            return wait(backend, 0)

        monkeypatch.setattr(CachedBackend, "wait", release)


@pytest.mark.parametrize(
    "look",
    [
        lambda recall: recall.session("new-session").id,
        lambda recall: recall.session("new-s").id,
        lambda recall: recall.transcript("new-session").id,
        lambda recall: recall.messages("new-session").session.id,
        lambda recall: recall.chain("new-session").nodes[0].session.id,
        lambda recall: find_session(recall, "new-s").id,
        lambda recall: find_session(recall, "The new lantern").id,
        lambda recall: recall.only(Context(session_id="new-session")).session("new-session").id,
    ],
)
def test_a_session_that_is_not_in_the_old_index_is_looked_for_in_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look: Callable[[Recall], str]
) -> None:
    late = Late(monkeypatch)
    late.put("u0", talk("old-session", "the lantern"))
    Recall([late], cache=tmp_path).prepare()
    late.put("u1", replace(talk("new-session", "the lantern"), title="The new lantern"))
    late.may.clear()
    with Recall([late], cache=tmp_path) as recall:
        recall.sources()
        assert [session.id for session in recall.sessions()] == ["old-session"]
        assert recall.session("old-session").id == find_session(recall, "old-s").id == "old-session"
        assert not any(map(is_long, late.waits)), "what the old index has needs no wait"
        assert look(recall) == "new-session"


def test_a_session_that_is_in_no_index_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late = Late(monkeypatch)
    late.put("u0", talk("old-session", "the lantern"))
    Recall([late], cache=tmp_path).prepare()
    late.may.clear()
    with Recall([late], cache=tmp_path) as recall:
        with pytest.raises(UnknownSession) as raised:
            recall.session("nowhere")
        assert str(raised.value) == "no session 'nowhere'"
        assert any(map(is_long, late.waits))


def test_an_error_says_that_the_histories_are_still_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    slow.put("u0", talk("old-session", "the lantern"))
    Recall([slow], cache=tmp_path).prepare()
    slow.may.clear()
    monkeypatch.setattr("recall_rank.recall.MISS_SECONDS", 0.01)
    with Recall([slow], cache=tmp_path) as recall:
        words = r"; the index is as of \d+ s ago, and what is newer is still being read$"
        with pytest.raises(UnknownSession, match=rf"^no session 'nowhere'{words}"):
            recall.session("nowhere")
        with pytest.raises(UnknownSession, match=rf"^no session has an id or title like 'nowhere'{words}"):
            find_session(recall, "nowhere")
        slow.may.set()
        assert recall.wait()


def test_what_is_new_is_found_at_once(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern"))
    for number in range(1, 4):
        with Recall([shelf], cache=tmp_path) as recall:
            recall.prepare()
            assert recall.search("lantern").total == number
        shelf.put(f"u{number}", talk(f"s{number}", "the lantern"))


def test_a_refresh_that_fails_is_told_and_the_old_index_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern"))
    Recall([shelf], cache=tmp_path).prepare()

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr("recall_rank.histories.cached_backend.refresh", fail)
    with Recall([shelf], cache=tmp_path) as recall:
        recall.search("lantern")
        recall.wait()
        answer = recall.search("lantern")
        assert answer.warnings[1:] == ("the index could not be brought up to date: no luck",)
        assert answer.coverage.limited_by == ("not_read_yet",), "what could not be read may hold more"


def test_other_patterns_are_heeded_before_anything_is_shown(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern", directory="/home/mara/secret/plans"))
    shelf.put("u1", talk("s1", "the lantern", directory="/home/mara/lamp"))
    Recall([shelf], cache=tmp_path).prepare()
    with Recall([shelf], cache=tmp_path, ignore=Ignore(projects=("/home/mara/secret",))) as recall:
        assert [hit.session_id for hit in recall.search("lantern").results] == ["s1"]
    for ignore, left in (
        (Ignore(sessions=("s[1-9]",)), {"s0"}),
        (Ignore(paths=("*/u0",)), {"s1"}),
        (Ignore(stores=("sh*",)), set()),
        (Ignore(stores=("/shelf",)), set()),
        (Ignore(), {"s0", "s1"}),
    ):
        for cache in (None, tmp_path):
            with Recall([shelf], cache=cache, ignore=ignore) as recall:
                assert {session.id for session in recall.sessions()} == left


def test_kept_sessions_say_so_and_can_be_read(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern"))
    shelf.put("u1", talk("s1", "the lantern", "is lit"))
    with Recall([shelf], cache=tmp_path, keep_vanished=True) as recall:
        recall.prepare()
        del shelf.held["u1"]
        recall.refresh()
        found = {hit.session_id: hit.flags for hit in recall.search("lantern").results}
        assert found == {"s0": Flag.NONE, "s1": Flag.SOURCE_MISSING}
        assert {each.id: each.flags for each in recall.sessions()} == found
        assert recall.search("lantern").to_dict()["results"][1]["flags"] == ["source_missing"]
        page = recall.messages("s1")
        assert [message.parts[0].text for message in page.messages] == ["the lantern", "is lit"]
        assert recall.get("s1", "s1:1").message.parts[0].text == "is lit"


@pytest.mark.parametrize("cached", [False, True])
def test_what_are_no_sources_is_refused(tmp_path: Path, cached: bool) -> None:
    cache = tmp_path if cached else None
    for wrong in (None, 5, "history.jsonl", tmp_path, Shelf()):
        with pytest.raises(
            TypeError, match=r"sources must be a list of sources, such as open_sources\(path\) gives, not "
        ):
            Recall(wrong, cache)  # type: ignore[arg-type]
    for odd in ("history.jsonl", object(), None):
        with pytest.raises(TypeError, match=r"a source has name, location, units\(\), signature\(\) and read\(\); "):
            Recall([Shelf(), odd], cache)  # type: ignore[list-item]


def test_the_cache_of_this_user_is_the_default_of_discovery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern"))
    monkeypatch.setattr("recall_rank.loaders.discover", lambda: [shelf])
    cache = default_cache()
    assert cache is not None
    assert tmp_path in cache.parents
    with Recall.discover() as recall:
        assert recall.search("lantern").total == 1
        assert recall.folder == cache / MACHINE
        assert recall.checked is not None
    assert (cache / MACHINE).is_dir()
    with Recall.discover(None) as recall:
        assert recall.search("lantern").total == 1
        assert (recall.folder, recall.checked, recall.notes()) == (None, None, [])


def test_damage_that_shows_in_a_search_is_repaired(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put("u0", talk("s0", *(f"the lantern {number}" for number in range(300))))
    with Recall([shelf], cache=tmp_path) as recall:
        right = [hit.part_id for hit in recall.search("lantern 17").results]
    (segment,) = tmp_path.rglob("segment-*")
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(data)
    with Recall([shelf], cache=tmp_path) as recall:
        assert [hit.part_id for hit in recall.search("lantern 17").results] == right


def test_an_index_that_was_opened_can_be_refreshed(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern"))
    with pytest.raises(MissingIndexError):
        Index.open(tmp_path / "index")
    with Index.open(tmp_path / "index", create=True) as index:
        assert len(index) == 0
        report = index.refresh([shelf])
        assert isinstance(report, RefreshReport)
        assert (report.changed, report.indexed, index.search("lantern").total) == (True, 1, 1)
        shelf.put("u1", talk("s1", "the lantern"))
        other = Index.open(tmp_path / "index")
        assert (index.refresh([shelf]).units, index.search("lantern").total) == (1, 2)
        assert (other.search("lantern").total, Index.open(tmp_path / "index").search("lantern").total) == (1, 2)
    with pytest.raises(ValueError, match="opened from a folder"):
        Index.build([Session("s")]).refresh([shelf])
    with pytest.raises(ValueError, match="closed"):
        index.refresh([shelf])
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(OSError, match="not a folder"):
        Index.open(tmp_path / "index").__class__.open(blocked)


@pytest.mark.slow
def test_threads_search_while_others_refresh(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "home", 1, "history claude")
    failed: list[BaseException] = []
    with Recall(open_sources(machine.home), cache=tmp_path / "cache") as recall:
        recall.prepare()
        ended = threading.Event()

        def search() -> None:
            try:
                while not ended.is_set():
                    recall.search("lantern horn")
                    recall.sessions()
            except BaseException as error:  # noqa: BLE001 - told in the other thread
                failed.append(error)

        threads = [threading.Thread(target=search) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(10):
            machine.change()
            recall.refresh()
        ended.set()
        for thread in threads:
            thread.join()
    assert failed == []


def test_a_refresh_in_the_background_ends_with_the_recall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = Machine(tmp_path / "home", 2).sources()
    with Recall(sources, cache=tmp_path / "cache") as recall:
        recall.refresh()
    begun = threading.Event()

    def endless(*given: Any, **_: Any) -> None:
        begun.set()
        while True:
            given[3]("reading", 0, None)
            time.sleep(0.01)

    monkeypatch.setattr(cached_backend, "refresh", endless)
    with Recall(sources, cache=tmp_path / "cache") as recall:
        recall.search("harbour")
        assert begun.wait(10)
        assert not recall.wait(0.1)
    assert recall.wait(0)


@pytest.mark.parametrize("last", ["the newest", "the oldest"])
def test_of_refreshes_that_overlap_the_newest_state_is_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern"))
    refresh, depth = refreshing.refresh, 0

    def overlapped(*given: Any) -> refreshing.RefreshOutcome:
        """Run another refresh within the first, which reads what changed in between where it has the newest state."""
        nonlocal depth
        depth += 1
        if depth > 1:
            return refresh(*given)
        done = None if last == "the newest" else refresh(*given)
        if done is not None:
            shelf.put("u1", talk("s1", "the lantern"))
        index.refresh([shelf])
        if done is None:
            shelf.put("u1", talk("s1", "the lantern"))
        return done or refresh(*given)

    with Index.open(tmp_path, create=True) as index:
        monkeypatch.setattr(refreshing, "refresh", overlapped)
        index.refresh([shelf])
        assert depth == 2
        assert index.search("lantern").total == 2


def test_an_index_whose_folder_was_deleted_is_refreshed_from_its_first_generation(tmp_path: Path) -> None:
    shelf = Shelf()
    folder = tmp_path / "index"
    with Index.open(folder, create=True) as index:
        for number in range(3):
            shelf.put(f"u{number}", talk(f"s{number}", "the lantern"))
            index.refresh([shelf])
        shutil.rmtree(folder)
        del shelf.held["u0"]
        index.refresh([shelf])
        assert index.search("lantern").total == 2
