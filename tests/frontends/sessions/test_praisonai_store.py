"""RecallSessionStore: searching before and after there is an index, and as the store of the real praisonaiagents."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from recall_rank.frontends import praisonai
from recall_rank.frontends.praisonai import PlainRecord, RecallSessionStore, default_folder, set_default_session_store
from recall_rank.frontends.tools import folder_search
from recall_rank.frontends.tools.session_search import SessionTools
from tests.fixtures.make_chat_stores import praison, write_session
from tests.support.frontends.praison_folder import DAMAGED, EVERYTHING, said, write_folder
from tests.support.frontends.stub_model import StubModel, serving

ABSENT = "praisonaiagents is absent: tests with the real package are left out"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return write_folder(tmp_path / "sessions")


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide praisonaiagents, as where it is not installed."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "praisonaiagents"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "praisonaiagents", None)


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModuleType]:
    """The real package, with a home of its own and without telemetry; its active store is restored."""
    monkeypatch.setenv("PRAISONAI_TELEMETRY_DISABLED", "true")
    monkeypatch.setenv("PRAISONAI_HOME", str(tmp_path / "praison-home"))
    found = pytest.importorskip("praisonaiagents", reason=ABSENT)
    yield found
    set_default_session_store(None)


def ids(hits: list[Any]) -> list[str]:
    return [hit.session_id for hit in hits]


# --- searching --------------------------------------------------------------------------------------


def test_searching_needs_no_package(folder: Path, without_package: None) -> None:
    store = RecallSessionStore(folder)
    (hit,) = store.search("saffron pelican", limit=1, window=0)
    assert isinstance(hit, PlainRecord)
    assert list(hit.as_dict()) == [
        *("session_id", "title", "when", "snippet", "score", "anchor_index", "messages", "bookends")
    ]
    assert [message["index"] for message in store.window(hit.session_id, str(hit.anchor_index), window=1)] == [0, 1]
    assert ids(store.recent(limit=2)) == ["nightly", "fog-horn"]
    with pytest.raises(ModuleNotFoundError):
        store.add_message("x", "user", "y")


def test_a_program_gets_an_error_for_what_is_out_of_range(folder: Path, without_package: None) -> None:
    store = RecallSessionStore(folder)
    for given in ({"limit": 0}, {"limit": -1}, {"window": -1}, {"limit": True}, {"limit": "5"}, {"limit": 10**6}):
        with pytest.raises(ValueError, match=next(iter(given))):
            store.search("fog", **given)
    assert store.search("") == store.search(" \n") == []
    assert store.window("nobody") == []


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"scoring": "x"}, ValueError),
        ({"generation": "g2"}, ValueError),
        ({"cache": False}, TypeError),
        ({"session_prefix": None}, TypeError),
    ],
)
def test_a_store_that_cannot_work_is_refused_at_once(folder: Path, given: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(given))):
        RecallSessionStore(folder, **given)


@pytest.mark.parametrize("scoring", ["recall", "praisonai"])
def test_a_wrong_type_is_an_answer_in_every_stage(large: Path, without_package: None, scoring: str) -> None:
    answer = RecallSessionStore(large, scoring=scoring).session_search_answer({"query": 5})
    assert (answer["ok"], answer["error"]) == (False, "query must be a string, not a number")


def test_a_damaged_file_is_logged_once(folder: Path, without_package: None, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("list.json", "number.json", "torn.json"):
        (folder / name).write_bytes(DAMAGED[name])
    store = RecallSessionStore(folder)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert "fog-horn" in ids(store.search("fog horn"))
    for name in ("list.json", "number.json", "torn.json"):
        assert sum(name in record.getMessage() for record in caplog.records) == 1


@pytest.mark.parametrize("made", [False, True], ids=["not there", "empty"])
def test_a_folder_without_sessions_gets_them_later(tmp_path: Path, made: bool, without_package: None) -> None:
    if made:
        (tmp_path / "sessions").mkdir()
    store = RecallSessionStore(tmp_path / "sessions", cache=None)
    assert (store.search("fog"), store.window("x"), store.recent()) == ([], [], [])
    write_folder(tmp_path / "sessions")
    assert ids(store.search("fog horn"))[0] == "fog-horn"


def test_what_was_written_since_is_found(folder: Path, without_package: None) -> None:
    store = RecallSessionStore(folder, cache=None)
    assert store.search("zanzibar") == []
    temporary = write_session(folder, praison("late", said("zanzibar lighthouse")))
    temporary.replace(folder / "late.json")
    assert ids(store.search("zanzibar")) == ["late"]
    assert [message["content"] for message in store.window("late")] == ["zanzibar lighthouse"]


def test_the_index_lies_in_the_cache_and_not_in_the_folder(folder: Path, without_package: None) -> None:
    before = sorted(folder.iterdir())
    store = RecallSessionStore(folder)
    store.search("fog")
    assert sorted(folder.iterdir()) == before
    assert any(path.is_file() for path in (folder.parent / "caches").rglob("*"))


def test_a_closed_store_says_so(folder: Path, without_package: None) -> None:
    store = RecallSessionStore(folder, cache=None)
    store.search("fog")
    store.close()
    with pytest.raises(RuntimeError, match="closed"):
        store.search("fog")


def test_the_default_folder_is_that_of_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".praisonai" / "sessions"
    monkeypatch.setenv("PRAISONAI_HOME", str(tmp_path / "elsewhere"))
    assert default_folder() == tmp_path / "elsewhere" / "sessions"


def test_the_history_of_another_agent_is_searched(tmp_path: Path, without_package: None) -> None:
    from recall_rank.frontends.demo.generate import history

    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    store = RecallSessionStore(tmp_path / "history.jsonl", cache=None)
    (hit,) = store.search("token bucket", limit=1, window=1)
    assert store.window(hit.session_id, str(hit.anchor_index), window=1) == hit.messages


# --- before there is an index -----------------------------------------------------------------------


@pytest.fixture
def large(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that counts as large, whose index is not built before the test says so."""
    monkeypatch.setattr(folder_search, "SMALL", 3)
    monkeypatch.setattr(folder_search.FolderSearch, "_index", lambda *_: None)
    return folder


def test_a_first_search_does_not_wait_for_the_index(large: Path, without_package: None) -> None:
    (large / "list.json").write_bytes(DAMAGED["list.json"])
    store = RecallSessionStore(large)
    answer = store.session_search_answer({"query": "stuttering fog horn", "limit": 2, "window": 1})
    assert (answer["ok"], answer["partial"], answer["total_exact"]) == (True, True, False)
    assert [hit["session_id"] for hit in answer["results"]] == ["fog-horn", "nightly"]
    assert "index is still being built" in answer["warnings"][0]
    assert "list.json" in answer["warnings"][1]
    assert not (large.parent / "caches").exists()
    nothing = store.session_search_answer({"query": "zzyzx"})
    assert (nothing["results"], nothing["partial"]) == ([], True)
    assert "0 of 0 files" in nothing["warnings"][0]
    assert not any("no history" in warning for warning in nothing["warnings"])
    read = store.session_search_answer({"session_id": "fog-horn", "around_message_id": 0, "window": 0})
    assert [message["index"] for message in read["messages"]] == [0]
    assert "partial" not in read
    listed = store.session_search_answer({"limit": 9})
    assert len(listed["results"]) == len(EVERYTHING) == listed["total_found"]


def test_only_the_likeliest_files_are_ranked(
    large: Path, without_package: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_search, "RANKED", 1)
    answer = RecallSessionStore(large).session_search_answer({"query": "fog horn midnight"})
    assert [hit["session_id"] for hit in answer["results"]] == ["fog-horn"]
    assert answer["total_found"] == 2
    assert "1 of 2 files" in answer["warnings"][0]


def test_a_prefix_holds_without_an_index(large: Path, without_package: None) -> None:
    store = RecallSessionStore(large, session_prefix="ana:")
    assert ids(store.search("asks where moored")) == ["ana:harbour"]
    assert store.search("osprey") == []
    assert store.window("ben:harbour") == []
    assert ids(store.recent()) == ["ana:harbour"]


@pytest.mark.parametrize("scoring", ["recall", "praisonai"])
def test_warnings_of_a_prefix_without_an_index(large: Path, without_package: None, scoring: str) -> None:
    write_session(large, praison("ana_b", said("where moored?")))  # its file's name begins as those of ana: do
    for name in ("ana_secret.json", "ben_secret.json"):
        (large / name).write_bytes(b'["moored"]')
    (large / "ana_mine.json").write_bytes(b'{"session_id": "ana:mine", "messages": [{"role": "user", "content": "moo')
    store = RecallSessionStore(large, session_prefix="ana:", scoring=scoring)
    answer = store.session_search_answer({"query": "moored", "limit": 9})
    assert [hit["session_id"] for hit in answer["results"]] == ["ana:harbour"]
    assert answer["total_found"] == 1
    told = [warning for warning in answer["warnings"] if "index is still" not in warning]
    assert len(told) == 1
    assert "ana_mine.json" in told[0]
    if scoring == "recall":
        assert "1 of 1 files" in answer["warnings"][0]
    unknown, there = (store.session_search_answer({"session_id": name}) for name in ("ben:nobody", "ben:harbour"))
    assert json.dumps(unknown).replace("nobody", "harbour") == json.dumps(there)


def test_the_index_takes_over_when_it_is_built(
    folder: Path, without_package: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_search, "SMALL", 3)
    store = RecallSessionStore(folder)
    assert store.session_search_answer({"query": "fog horn"}).get("partial")
    assert store.wait(60)
    answer = store.session_search_answer({"query": "stutering fog horn"})
    assert "partial" not in answer
    assert answer["results"][0]["session_id"] == "fog-horn"
    assert "partial" not in RecallSessionStore(folder).session_search_answer({"query": "fog"})  # it is on disk now


# --- the real package -------------------------------------------------------------------------------


def test_it_satisfies_the_protocols(package: ModuleType, folder: Path) -> None:
    from praisonaiagents.session import protocols

    store = RecallSessionStore(folder)
    assert isinstance(store, protocols.SearchableSessionStoreProtocol)
    for name in ("SessionStoreProtocol", "IncrementalSessionStoreProtocol", "PortableSessionStoreProtocol"):
        assert isinstance(store, getattr(protocols, name)), name
    (hit,) = store.search("saffron pelican", limit=1)
    assert isinstance(hit, protocols.SessionHit)
    assert isinstance(store.recent(limit=1)[0], protocols.SessionSummary)


def test_what_it_writes_is_what_the_package_writes(package: ModuleType, tmp_path: Path) -> None:
    from praisonaiagents.session.store import DefaultSessionStore

    ours, theirs = RecallSessionStore(tmp_path / "ours"), DefaultSessionStore(str(tmp_path / "theirs"))
    for store in (ours, theirs):
        assert store.add_message("a:1", "user", "the ochre pelican", {"k": 1})
        assert store.add_assistant_message("a:1", "flew")
        store.rename_session("a:1", "Pelicans")
        assert store.session_exists("a:1")
        assert store.get_chat_history("a:1")[0]["content"] == "the ochre pelican"
    written, expected = (json.loads((tmp_path / name / "a_1.json").read_text()) for name in ("ours", "theirs"))
    for document in (written, expected):
        for name in ("created_at", "updated_at"):
            document.pop(name)
        for message in document["messages"]:
            message.pop("timestamp")
    assert written == expected
    (hit,) = ours.search("ochre pelican")
    assert (hit.session_id, hit.title) == ("a:1", "Pelicans")
    ours.delete_session("a:1")
    assert ours.search("ochre pelican") == []


def test_the_tool_of_the_package_is_served(package: ModuleType, folder: Path) -> None:
    from praisonaiagents.session.store import get_default_session_store
    from praisonaiagents.tools import session_search as theirs

    store = RecallSessionStore(folder)
    set_default_session_store(store)
    assert get_default_session_store() is store
    answer = json.loads(theirs(query="stutering fog horn", limit=1, window=0))  # misspelt: theirs alone finds nothing
    assert (answer["success"], answer["results"][0]["session_id"]) == (True, "fog-horn")
    hit = answer["results"][0]
    read = json.loads(theirs(session_id="fog-horn", around_message_id=str(hit["anchor_index"]), window=0))
    assert read["messages"] == hit["messages"]
    assert json.loads(theirs(limit=1))["results"][0]["session_id"] == "nightly"
    refused = json.loads(theirs(query="fog", limit=0))
    assert (refused["success"], refused["error"].partition(":")[0]) == (False, "ValueError")
    ours = json.loads(praisonai.session_search("stutering fog horn", limit=1, window=0))
    assert ours["results"] == answer["results"]


@pytest.mark.parametrize("named", [False, True], ids=["function", "name"])
def test_an_agent_calls_it(package: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch, named: bool) -> None:
    set_default_session_store(RecallSessionStore(folder))
    model = StubModel("session_search", {"query": "stutering fog horn", "limit": 1, "window": 0})
    with serving(model) as address:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        tools = ["session_search"] if named else [praisonai.session_search]
        agent = package.Agent(name="Keeper", instructions="Look after the lamp.", tools=tools, model="gpt-4o-mini")
        assert "valve" in str(agent.start("Why did the horn stutter?"))
    described = model.requests[0]["tools"][0]["function"]
    assert described["name"] == "session_search"
    assert {"query", "session_id", "around_message_id", "limit", "window"} == set(described["parameters"]["properties"])
    (result,) = model.results
    assert "fog-horn" in result
    assert "stutters after midnight" in result


def test_the_packages_own_store_can_be_searched_by_our_tool(package: ModuleType, folder: Path) -> None:
    from praisonaiagents.session.store import DefaultSessionStore

    theirs = SessionTools(store=DefaultSessionStore(str(folder)))
    ours = SessionTools(store=RecallSessionStore(folder, scoring="praisonai"))
    for args in ({"query": "fog horn", "limit": 3}, {"session_id": "fog-horn", "around_message_id": "1"}):
        assert json.loads(theirs.session_search(**args)) == json.loads(ours.session_search(**args))
