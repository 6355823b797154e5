"""Of a session that is forgotten, ignored or deleted no word stays in the cache, whatever loader read it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from recall_rank import Recall, loaders
from recall_rank.histories.cache.purge import purge
from recall_rank.histories.ignore import Ignore
from recall_rank.histories.records.forgotten import forget, forgotten
from recall_rank.histories.records.left_out import session_digest
from recall_rank.histories.removal.withdraw import Withdrawal, withdraw
from recall_rank.index.storage.folder import _machine_id
from recall_rank.index.storage.format import FORMAT
from recall_rank.loaders import open_source
from recall_rank.loaders.builtin import LOADERS
from recall_rank.loaders.claude_code.source import ClaudeCode
from recall_rank.loaders.history_jsonl import HistoryJsonl
from recall_rank.model import Reading, Source, Unit
from tests.fixtures import make_fixtures
from tests.support.histories.every_store import (
    STORES,
    sources_of,
    words,
    words_of_cache,
    words_of_empty_units,
    words_of_session,
    words_of_store,
    write_neighbour,
)


class Desk:
    """A store of one loader, its neighbour, and the cache of both."""

    def __init__(self, folder: Path, store: str) -> None:
        self.home, self.cache = folder / "home", folder / "cache"
        self.neighbour = write_neighbour(folder / "near")
        STORES[store](self.home)
        self.sources = sources_of(self.home, self.neighbour)
        with Recall(self.sources[-1:], cache=folder / "control") as recall:
            recall.refresh()
        shown = [self.sources[-1].location, *(each.name for each in self.sources)]
        self.known = words_of_cache(folder / "control") | words(repr(shown).encode())
        self.words = words_of_store(self.home) - self.known
        with self.open() as recall:
            recall.refresh()
            self.sessions = [each for each in recall.sessions() if each.id != "near"]
            assert self.sessions
            for session in self.sessions:  # what the session says is there, and would be seen
                said = words_of_session(recall.transcript(session.id)) & self.words
                assert said & words_of_cache(self.cache)
        self.words -= words_of_empty_units(self.cache)

    def open(self, sources: list[Source] | None = None, **options: object) -> Recall:
        """A Recall that discovered these sources, whose index lies in one place whichever they are."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loaders, "discover", lambda: self.sources if sources is None else sources)
            return Recall.discover(self.cache, **options)  # type: ignore[arg-type]

    def left(self) -> set[str]:
        """The words of the store that are in the cache and that the neighbour does not have."""
        return self.words & words_of_cache(self.cache)


@pytest.fixture(params=STORES)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    return Desk(tmp_path, request.param)


def by_forgetting(desk: Desk) -> dict[str, object]:
    for session in desk.sessions:
        forget(desk.cache, session.id)
    return {}


def by_session(desk: Desk) -> dict[str, object]:
    return {"ignore": Ignore(sessions=tuple(session.id for session in desk.sessions))}


def by_path(desk: Desk) -> dict[str, object]:
    return {"ignore": Ignore(paths=(str(desk.home),))}


def by_store(desk: Desk) -> dict[str, object]:
    return {"ignore": Ignore(stores=(str(desk.home),))}


def by_project(desk: Desk) -> dict[str, object]:
    places = {place for each in desk.sessions for place in (each.project, each.directory) if place}
    return {"ignore": Ignore(projects=tuple(places), sessions=tuple(s.id for s in desk.sessions if not s.directory))}


RULES: list[Callable[[Desk], dict[str, object]]] = [by_forgetting, by_session, by_path, by_store, by_project]


def test_every_loader_has_a_store() -> None:
    assert {loader.name for loader in LOADERS} <= set(STORES)


@pytest.mark.parametrize("rule", RULES)
def test_what_is_left_out_leaves_no_word(desk: Desk, rule: Callable[[Desk], dict[str, object]]) -> None:
    options = rule(desk)
    with desk.open(**options) as recall:
        recall.refresh()
        assert [session.id for session in recall.sessions()] == ["near"]
    assert desk.left() == set()
    with desk.open(**options) as recall:
        assert recall.refresh().units == 0  # what is left out is not read again and again
    for path in desk.home.rglob("*"):
        if path.is_file() and path.suffix == ".jsonl":
            path.write_bytes(path.read_bytes() + b"\n")
    write_neighbour(desk.neighbour.parent, [{"t": "session", "id": "new", "title": "hail"}])
    with desk.open(sources_of(desk.home, desk.neighbour), **options) as recall:
        assert recall.refresh().changed
    assert desk.left() == set()
    purge(desk.cache)
    with desk.open(**options) as recall:
        assert recall.search("umbrella").total
    assert desk.left() == set()


@pytest.mark.parametrize("kept", [False, True], ids=["not kept", "kept"])
def test_what_its_source_deletes_leaves_no_word(desk: Desk, kept: bool) -> None:
    with desk.open(keep_vanished=kept) as recall:
        recall.refresh()
    shutil.rmtree(desk.home)
    with desk.open(desk.sources[-1:]) as recall:  # as discovery finds it then: without the store
        recall.refresh()
        assert len(recall.sessions()) == (len(desk.sessions) + 1 if kept else 1)
    if kept:
        assert desk.left()
        with desk.open(desk.sources[-1:], keep_vanished=False) as recall:
            recall.refresh()
    assert desk.left() == set()


@pytest.mark.parametrize("rule", [by_forgetting, by_path, by_project])
def test_what_was_kept_leaves_no_word_once_it_is_left_out(
    desk: Desk, rule: Callable[[Desk], dict[str, object]]
) -> None:  # fmt: skip
    with desk.open(keep_vanished=True) as recall:
        recall.refresh()
    shutil.rmtree(desk.home)
    with desk.open(desk.sources[-1:]) as recall:
        recall.refresh()
        assert len(recall.sessions()) == len(desk.sessions) + 1
    with desk.open(desk.sources[-1:], **rule(desk)) as recall:
        recall.refresh()
        assert [session.id for session in recall.sessions()] == ["near"]
    assert desk.left() == set()


def test_of_one_session_among_others_no_word_stays(desk: Desk) -> None:
    with desk.open() as recall:
        said = {session.id: words_of_session(recall.transcript(session.id)) for session in desk.sessions}
    gone = set[str]()
    for session in desk.sessions[:-1]:
        forget(desk.cache, session.id)
        gone.add(session.id)
        with desk.open() as recall:
            recall.refresh()
            stay = set().union(*(words_of_session(recall.transcript(each.id)) for each in recall.sessions()))
        left = words_of_cache(desk.cache) - stay - desk.known
        assert left & (set().union(*(said[each] for each in gone)) - stay) == set()


# --- every index, every process ----------------------------------------------------------------------------


def secret(folder: Path, words: str = "gooseberry pavilion") -> Path:
    """A history file of two sessions, one of which is to be forgotten."""
    folder.mkdir(parents=True, exist_ok=True)
    records = [
        {"t": "session", "id": "other", "title": "Lanterns", "created": 1},
        {"t": "message", "id": "m2", "session": "other", "role": "user", "time": 2,
         "parts": [{"type": "text", "text": "lantern"}]},
        {"t": "session", "id": "sesame-file", "title": "Sesame", "created": 1, "directory": "/gazebo"},
        {"t": "message", "id": "m1", "session": "sesame-file", "role": "user", "time": 2,
         "parts": [{"type": "text", "text": words}]},
    ]  # fmt: skip
    return make_fixtures.write_history(folder / "secret.jsonl", records)


SECRET = {"sesame", "gooseberry", "pavilion", "gazebo"}


def test_every_index_of_the_cache_drops_it_at_once(tmp_path: Path) -> None:
    cache, paths = tmp_path / "cache", [secret(tmp_path / name) for name in ("one", "two")]
    for path in paths:
        with Recall([open_source(path)], cache=cache, keep_vanished=True) as recall:
            recall.refresh()
    paths[1].unlink()
    with Recall([HistoryJsonl(paths[1])], cache=cache) as recall:  # the second index keeps it after its file is gone
        recall.refresh()
        assert recall.search("gooseberry").total
    forget(cache, "sesame-file")
    assert len(withdraw(cache).rewritten) == 2
    assert words_of_cache(cache) & SECRET == set()
    assert withdraw(cache) == Withdrawal()
    with Recall([HistoryJsonl(paths[1])], cache=cache) as recall:
        assert recall.search("lantern").total == 2  # the title and the message that were kept


def test_what_comes_after_it_in_a_file_is_read_without_it(tmp_path: Path) -> None:
    cache, path = tmp_path / "cache", secret(tmp_path / "one")
    forget(cache, "sesame-file")
    for line in ("", '{"t": "message", "session": "sesame-file", "parts": [{"type": "text", "text": "gooseberry"}]}\n'):
        with path.open("a", encoding="utf-8") as file:
            file.write(line)
        with Recall([open_source(path)], cache=cache) as recall:
            recall.refresh()
            assert [session.id for session in recall.sessions()] == ["other"]
        assert words_of_cache(cache) & SECRET == set()


@pytest.mark.parametrize("kept", [False, True])
def test_an_index_goes_when_its_whole_history_is_gone(tmp_path: Path, kept: bool) -> None:
    cache, path = tmp_path / "cache", secret(tmp_path / "one")
    with Recall([open_source(path)], cache=cache, keep_vanished=kept) as recall:
        recall.refresh()
    near = [open_source(write_neighbour(tmp_path / "near"))]
    with Recall(near, cache=cache) as recall:
        recall.refresh()
    assert words_of_cache(cache) >= SECRET
    path.unlink()
    with Recall(near, cache=cache) as recall:  # the first search of another process, of other histories
        assert recall.search("umbrella").total
        recall.refresh()
    assert (words_of_cache(cache) & SECRET == set()) is not kept


def test_an_index_that_cannot_be_rewritten_is_removed(tmp_path: Path) -> None:
    cache, path = tmp_path / "cache", secret(tmp_path / "one")
    with Recall([open_source(path)], cache=cache) as recall:
        recall.refresh()
        folder = recall.folder
    assert folder is not None
    older = folder / f"segment-1-{'0' * 8}-1-{'b' * 16}"
    older.write_text("gooseberry of another version", encoding="utf-8")
    killed = folder / f"temporary-{FORMAT}-{_machine_id()}-999999999-{'c' * 16}"
    killed.write_text("gooseberry of a killed writer", encoding="utf-8")
    forget(cache, "nobody")
    withdraw(cache)
    assert (older.exists(), killed.exists()) == (False, False)
    (table,) = folder.glob("table-*")
    table.write_bytes(table.read_bytes()[:-64] + bytes(64))
    forget(cache, "sesame-file")
    withdraw(cache)
    assert words_of_cache(cache) & SECRET == set()


def test_who_has_the_index_open_drops_it_before_the_next_answer(tmp_path: Path) -> None:
    cache, path = tmp_path / "cache", secret(tmp_path / "one")
    with Recall([open_source(path)], cache=cache) as server:
        assert server.search("gooseberry").total == 1
        forget(cache, "sesame-file")  # by another process
        withdraw(cache)
        assert server.search("gooseberry").total == 0
        assert [session.id for session in server.sessions()] == ["other"]
        with pytest.raises(LookupError):
            server.transcript("sesame-file")
        secret(tmp_path / "one", "gooseberry pavilion and more")
        assert server.refresh().changed
        assert server.search("gooseberry").total == 0
    assert words_of_cache(cache) & SECRET == set()


def test_what_is_forgotten_while_it_is_read_is_not_published(tmp_path: Path) -> None:
    cache, path = tmp_path / "cache", secret(tmp_path / "one")

    class Slow(HistoryJsonl):
        def read(self, unit: Unit, since: bytes | None = None) -> Reading:
            reading = super().read(unit, since)
            forget(cache, "sesame-file")  # after the rules were looked up
            return reading

    with Recall([Slow(path)], cache=cache) as recall:
        recall.refresh()
        assert words_of_cache(cache) & SECRET == set()
        assert recall.search("gooseberry").total == 0


def test_the_list_of_forgotten_sessions_names_none(tmp_path: Path) -> None:
    forget(tmp_path, "sesame-file")
    assert words_of_cache(tmp_path) & SECRET == set()
    (tmp_path / "forgotten").write_text("gazebo-session\n", encoding="utf-8")  # ids, as they once were
    assert forgotten(tmp_path) == {session_digest("gazebo-session")}
    forget(tmp_path, "sesame-file")
    assert forgotten(tmp_path) == {session_digest("gazebo-session"), session_digest("sesame-file")}
    assert words_of_cache(tmp_path) & SECRET == set()


def fail(*_: object) -> Reading:
    raise OSError(5, "Input/output error")


def test_a_file_that_cannot_be_read_is_not_named_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    path = make_fixtures.write_claude(tmp_path) / "projects" / "-home-mara-lamp"
    with Recall([ClaudeCode(path)], cache=cache) as recall:
        ids = [session.id for session in recall.sessions()]
    for each in ids:
        forget(cache, each)
    with Recall([ClaudeCode(path)], cache=cache) as recall:
        recall.refresh()
    for each in path.rglob("*.jsonl"):
        each.write_bytes(each.read_bytes() + b"\n")
    monkeypatch.setattr(ClaudeCode, "read", fail)
    with Recall([ClaudeCode(path)], cache=cache) as recall:
        assert recall.refresh().units == len(ids)
    held = b"".join(each.read_bytes() for each in cache.rglob("*") if each.is_file())
    assert not [each for each in ids if each.encode() in held]
