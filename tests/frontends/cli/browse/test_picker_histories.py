"""The picker over histories that are empty, broken, large, or grow meanwhile; and over terminals that are resized."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("textual")

from bench.datasets.generate import sessions as generated
from recall_rank import Message, Part, Recall, Session
from recall_rank.frontends.cli.browse import searching_app
from recall_rank.frontends.cli.browse.search import find
from recall_rank.frontends.cli.browse.searching_app import Delivered
from recall_rank.frontends.cli.browse.state import PAGE, SearchState
from recall_rank.frontends.demo import NOW
from recall_rank.frontends.demo.generate import history
from recall_rank.loaders import open_sources
from tests.fixtures import make_fixtures
from tests.support.frontends.picker import (
    Desk,
    Driven,
    HeadlessPicker,
    demo_recall,
    drive,
    open_picker,
    recall_of,
    write_history,
)


def said(name: str, *texts: str) -> Session:
    messages = [
        Message(f"{name}-{at}", "user", NOW, (Part(f"{name}-{at}-p", "text", text),)) for at, text in enumerate(texts)
    ]
    return Session(name, messages, title=f"about {name}", updated=NOW, agent="codex")


def test_a_query_without_results(tmp_path: Path) -> None:
    async def test() -> None:
        async with open_picker(demo_recall(tmp_path), query="zyxwvut") as picker:
            assert picker.ids == []
            assert picker.status.startswith("No hits: 64 parts")
            assert picker.app.preview is None
            await picker.press("down", "enter")  # there is no list to go to, and nothing to reopen
            assert picker.app.focused is picker.app.query_line
            picker.app.hit_list.focus()
            for key in ("y", "o", "e", "m", "n", "N", "j", "G", "pagedown"):
                await picker.press(key)
            assert picker.app.is_running
            assert picker.app.screen is picker.app.screen_stack[0]
            await picker.press("slash", "escape")
            await picker.answered("")
            assert len(picker.ids) == 12

    drive(test())


def test_a_history_without_sessions(tmp_path: Path) -> None:
    async def test() -> None:
        async with open_picker(recall_of(tmp_path)) as picker:
            assert "0 sessions" in picker.status
            await picker.press("down", "x")
            assert picker.app.is_running

    drive(test())


def test_a_broken_source_is_told_and_the_others_are_searched(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "opencode.db"
    write_history(good, [said("one", "the lantern")])
    with closing(sqlite3.connect(bad)) as database:
        database.execute("CREATE TABLE session (id TEXT)")
        database.execute("CREATE TABLE message (id TEXT)")
        database.execute("CREATE TABLE part (id TEXT)")
    bad.write_bytes(bad.read_bytes()[:5000] + b"\xff" * 3000)
    recall = Recall([*open_sources(good), *open_sources(bad)], None)

    async def test() -> None:
        async with open_picker(recall, query="lantern", size=(160, 24)) as picker:
            assert picker.ids == ["one"]
            expected = find(recall, SearchState("lantern")).remarks
            assert expected
            assert expected[0][:40] in picker.status
            await picker.press("escape")
            await picker.type("zyxwvut")
            assert picker.status.startswith("No hits in what could be read: 1 part")

    drive(test())


def test_a_session_that_cannot_be_read_any_more(tmp_path: Path) -> None:
    recall = recall_of(tmp_path, said("one", "the lantern"))

    async def test() -> None:
        async with open_picker(recall, query="lantern") as picker:
            (tmp_path / "history.jsonl").unlink()
            await picker.press("down")
            for key in ("y", "o"):
                await picker.press(key)
                await picker.until(lambda: "No such file" in picker.status or "no longer" in picker.status)
                await picker.press("g", "slash", "down")
            assert picker.app.is_running

    drive(test())


def test_an_error_of_a_search_is_told(tmp_path: Path) -> None:
    async def test() -> None:
        recall = demo_recall(tmp_path)
        async with open_picker(recall) as picker:
            recall.close()
            await picker.press(*"boat")
            await picker.until(lambda: "closed" in picker.status)
            assert picker.app.is_running

    drive(test())


def test_a_history_that_grows_is_seen_and_the_selection_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching_app, "REFRESH_SECONDS", 0.1)
    older = [said("one", "the lantern is lit"), said("two", "a lantern and a lantern")]
    recall = recall_of(tmp_path, *older, cache=tmp_path / "cache")

    async def test() -> None:
        async with open_picker(recall, query="lantern") as picker:
            await picker.press("down", "j")
            await picker.answered()
            kept = picker.app.hit_list.selected
            assert kept is not None
            write_history(tmp_path / "history.jsonl", [said("new", "lantern lantern lantern"), *older])
            await picker.until(lambda: "new" in picker.ids)
            assert picker.app.hit_list.selected is not None
            assert picker.app.hit_list.selected.key == kept.key
            await picker.press("slash", "escape")
            await picker.answered("")
            assert "3 sessions" in picker.status

    drive(test())


def test_nothing_in_a_history_or_beside_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All keys that do something are pressed; the export is named over the history and its journal, and into a store
    of this machine.
    """
    store = tmp_path / "store"
    projects = tmp_path / ".claude" / "projects"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    make_fixtures.write_claude(tmp_path)
    store.mkdir()
    recall = recall_of(store, said("one", "the lantern"), said("two", "lantern"))
    files = [path for folder in (store, projects) for path in folder.rglob("*") if path.is_file()]
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

    async def test() -> None:
        async with open_picker(recall, query="lantern") as picker:
            await picker.press("down", *"yomnNsdfx", "tab", "tab")
            for target in (store / "history.jsonl", store / "history.jsonl-wal.md", projects / "note.md"):
                picker.app._export(["one"], str(target))
                await picker.until(lambda: "nothing was written" in picker.status)
            picker.app._export(["one", "two"], str(projects / "x"))
            await picker.until(lambda: "nothing was written" in picker.status)

    drive(test())
    files = [path for folder in (store, projects) for path in folder.rglob("*") if path.is_file()]
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files} == before


def test_a_first_reading_shows_its_progress_and_takes_keys(tmp_path: Path) -> None:
    path = tmp_path / "demo.jsonl"
    path.write_text(history(), encoding="utf-8")
    recall = Recall(open_sources(path), None)
    go = threading.Event()
    prepare = recall.prepare

    def slow(progress: object = None, **more: object) -> object:
        progress("reading", 3, 12)  # type: ignore[operator]
        assert go.wait(20)
        return prepare(None)

    recall.prepare = slow  # type: ignore[method-assign,assignment]

    async def test() -> None:
        app = HeadlessPicker(recall, SearchState(), Desk().surroundings(), now=NOW)
        async with app.run_test(size=(80, 24)) as pilot:
            picker = Driven(app, pilot)
            await picker.until(lambda: "reading 3 of 12" in picker.status)
            await picker.press(*"burst")
            assert picker.ids == []
            go.set()
            await picker.answered("burst")
            assert picker.ids[0] == "demo-10"

    drive(test())


@pytest.mark.parametrize("gone", ["#heading", "#preview", "#query", "#list", "#status", "#keys"])
def test_an_answer_that_comes_while_the_screen_is_taken_down_is_dropped(
    tmp_path: Path, gone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []
    taken: list[None] = []

    async def test() -> None:
        async with open_picker(demo_recall(tmp_path), query="rate limit") as picker:
            app = picker.app
            late = Delivered(lambda _: (taken.append(None), app._show_preview(None)), None)
            kind = type(app.query_one(gone))
            monkeypatch.setattr(kind, "on_unmount", lambda _: told.append(app.post_message(late)), raising=False)

    drive(test())
    assert told
    assert not taken


def test_every_size_of_a_terminal(tmp_path: Path) -> None:
    async def test() -> None:
        async with open_picker(demo_recall(tmp_path), query="rate limit", size=(80, 24)) as picker:
            await picker.press("down", "j")
            for size in ((200, 50), (40, 12), (20, 6), (10, 4), (3, 2), (110, 24), (109, 24), (80, 24)):
                await picker.pilot.resize_terminal(*size)
                await picker.answered()
                rows = picker.rows()
                assert len(rows) == size[1]
                assert rows[0].startswith("> rate limit" if size[0] >= 20 else ">")
                assert picker.app.hit_list.cursor == 1
                if size[1] > 8:
                    assert picker.shows("message"), size
            beside = picker.app.pane.region
            assert beside.x == 0  # below the list again

    drive(test())


def test_the_list_grows_as_it_is_scrolled(tmp_path: Path) -> None:
    many = [said(f"s{number:03}", f"lantern number {number}") for number in range(PAGE * 3)]

    async def test() -> None:
        async with open_picker(recall_of(tmp_path, *many), query="lantern") as picker:
            assert len(picker.ids) == PAGE
            await picker.press("down", "end")
            await picker.until(lambda: len(picker.ids) == 2 * PAGE)
            assert picker.app.hit_list.cursor == PAGE - 1
            await picker.press("slash", "escape")
            await picker.answered("")
            assert len(picker.ids) == PAGE
            await picker.press("down", "end")
            await picker.until(lambda: len(picker.ids) == 2 * PAGE)

    drive(test())


def test_a_cut_search_is_made_in_full_when_the_keys_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[float] = []

    def cut(*args: object, budget_ms: float, **more: object) -> object:
        from dataclasses import replace

        budgets.append(budget_ms)
        return replace(find(*args, budget_ms=2000, **more), is_cut=budget_ms < 100)  # type: ignore[arg-type]

    monkeypatch.setattr(searching_app, "find", cut)

    async def test() -> None:
        async with open_picker(demo_recall(tmp_path), query="burst") as picker:
            await picker.until(lambda: budgets[-1] == 2000)
            await picker.until(lambda: picker.app.found is not None and not picker.app.found.is_cut)
            await picker.press("s")
            await picker.answered("bursts")  # once more
            assert not picker.app.found.is_cut  # type: ignore[union-attr]

    drive(test())
    assert budgets == [20, 2000, 20, 2000]


def test_a_slow_search_blocks_no_key_and_the_last_key_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    go = threading.Event()

    def slow(recall: Recall, state: SearchState, *args: object, **more: object) -> object:
        asked.append(state.query)
        if state.query == "b":
            assert go.wait(100)
        return find(recall, state, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(searching_app, "find", slow)

    async def test() -> None:
        async with open_picker(demo_recall(tmp_path)) as picker:
            await picker.press("b")
            await picker.until(lambda: asked[-1] == "b")
            await picker.press(*"urst")
            assert picker.app.query_line.value == "burst"  # typed while the first search hangs
            assert asked[-1] == "b"
            go.set()
            await picker.answered("burst")
            assert picker.ids[0] == "demo-10"

    drive(test())
    assert asked == ["", "b", "burst"]  # the keys between were never searched


def long_history(parts: int) -> Iterator[Session]:
    """Sessions of a tenth of the parts, ten times with a word of their own in each part: texts are slow to make up."""
    some = list(generated(parts // 10))
    for number in range(10):
        word = f"harbour{number}"
        for session in some:
            messages = [
                replace(message, parts=[replace(part, text=f"{part.text or ''} {word}") for part in message.parts])
                for message in session.messages
            ]
            yield replace(session, id=f"{session.id}_{word}", title=f"{session.title} {word}", messages=messages)


@pytest.mark.slow
def test_two_hundred_thousand_parts(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    write_history(path, long_history(200_000))
    recall = Recall(open_sources(path), tmp_path / "cache")
    recall.prepare()

    async def test() -> None:
        async with open_picker(recall) as picker:
            await picker.type("cannot read property")
            assert len(picker.ids) == PAGE
            expected = recall.search("cannot read property", results=PAGE, now=NOW)
            await picker.until(lambda: picker.app.found is not None and not picker.app.found.is_cut)
            assert picker.ids == [hit.session_id for hit in expected.results]
            assert expected.coverage.parts.known >= 200_000
            assert f"{expected.coverage.parts.known:,} parts" in picker.status

    drive(test())
