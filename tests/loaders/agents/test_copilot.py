"""Copilot CLI's events: calls and what came of them, subagents, compaction, rewinding, forks, the workspace's name."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders import open_sources
from recall_rank.loaders.copilot import source as copilot
from recall_rank.loaders.copilot.events import MOVED
from recall_rank.loaders.copilot.source import Copilot
from recall_rank.loaders.copilot.workspace import workspace_of
from recall_rank.model import Flag, Message, Reading, Session
from tests.fixtures.make_copilot import FLAT, FORK, HOME, MAIN, SPILLED, Log, main_log, request, write_copilot
from tests.fixtures.make_fixtures import IMAGE, lines
from tests.loaders.conftest import Seal
from tests.support.loaders.finding import damaged, load, parts_of, places, said, views


@pytest.fixture
def home(tmp_path: Path, seal: Seal) -> Path:
    return seal(write_copilot(tmp_path))


def single(tmp_path: Path, events: list[dict[str, Any]] | bytes) -> Reading:
    path = tmp_path / MAIN / "events.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(events if isinstance(events, bytes) else lines(events))
    (unit,) = Copilot(path).units()
    return Copilot(path).read(unit)


def only(tmp_path: Path, events: list[dict[str, Any]] | bytes) -> Session:
    (session,) = single(tmp_path, events).sessions
    return session


def by_id(reading: Reading) -> dict[str, Message]:
    return {message.id: message for session in reading.sessions for message in session.messages}


def test_normal(home: Path) -> None:
    sessions, report = load(home)
    assert set(sessions) == {MAIN, FORK, FLAT}
    assert (report.agent, report.errors, report.malformed) == ("copilot-cli", (), ())
    main = sessions[MAIN]
    assert (main.title, main.directory, main.worktree) == ("Why does the tide gauge drift at night?", HOME, HOME)
    assert (main.agent, main.source, main.parent, main.flags) == ("copilot-cli", "copilot-cli", None, Flag.NONE)
    assert 0 < main.created < main.updated
    assert sessions[FLAT].title == "An early version wrote this"


def test_an_answer_with_its_thought_and_its_calls(home: Path) -> None:
    main = load(home)[0][MAIN]
    assert len(places(main, "onyx dunlin")) == 1  # an event of its own, and in the answer again
    message, _ = said(main, "I will read it.")
    assert (message.id, message.role, message.model) == ("a1", "assistant", "quill-5")
    ran, failed = message.parts[1:]
    assert (ran.tool, ran.input, ran.status, ran.title) == (
        "bash",
        {"command": "cat gauge.log"},
        "completed",
        "Read it",
    )
    assert ran.output == SPILLED
    assert (failed.error, failed.output, failed.flags, failed.files) == (
        "no such buoy",
        None,
        Flag.ERROR,
        (f"{HOME}/gauge.py",),
    )


def test_an_output_that_is_gone_leaves_its_preview(tmp_path: Path, seal: Seal) -> None:
    home = write_copilot(tmp_path)
    (home / "session-state" / MAIN / "files" / "big.txt").unlink()
    sessions, report = load(seal(home))
    assert MOVED in report.warnings
    assert said(sessions[MAIN], "reading 0001")


def test_an_output_in_the_temporary_folder_is_read_there_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    name = "1780000000000-copilot-tool-output-7-0123-abcd"
    log = Log(MAIN)
    for number, folder in enumerate(("tmp", "elsewhere", "tmp")):
        (tmp_path / folder).mkdir(exist_ok=True)
        path = tmp_path / folder / (name if number < 2 else "secrets.txt")
        path.write_text(f"password of {path.name} in {folder}")
        moved = f"Output too large to read at once (99 KB). Saved to: {path}\nPreview:\nreading {number}"
        log.answer(f"a{number}", "Look.", request(f"c{number}", "bash", command="x"))
        log.done(f"c{number}", moved)
    path = tmp_path / "session-state" / MAIN / "events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(log.events))
    outputs = [part.output for part in parts_of(load(path)[0][MAIN]) if part.type == "tool"]
    assert outputs[0] == f"password of {name} in tmp"
    assert [str(output)[-9:] for output in outputs[1:]] == ["reading 1", "reading 2"]


def test_what_was_typed_and_what_was_not(home: Path) -> None:
    main = load(home)[0][MAIN]
    assert not places(main, "current_datetime")
    _, *attached = main.messages[0].parts
    assert [(part.files, part.text, part.flags) for part in attached] == [
        ((f"{HOME}/gauge.py",), None, Flag.SYNTHETIC),
        (("x.py",), "drift()", Flag.SYNTHETIC),
    ]
    assert said(main, "Injected by a skill")[1].flags == Flag.SYNTHETIC
    message, _ = said(main, "careful assistant")
    assert (message.role, message.flags & Flag.SYNTHETIC) == ("system", Flag.SYNTHETIC)


def test_subagents_and_failures_are_flagged(home: Path) -> None:
    main = load(home)[0][MAIN]
    message, _ = said(main, "flint groyne")
    assert (message.agent, message.flags & Flag.SUBAGENT) == ("explore", Flag.SUBAGENT)
    for words in ("scout was lost", "no room to compact"):
        assert said(main, words)[0].flags & Flag.ERROR


def test_compaction_and_rewinding(home: Path) -> None:
    main = load(home)[0][MAIN]
    outside = [message.id for message in main.messages if message.flags & Flag.OUT_OF_CONTEXT]
    assert outside[:1] == ["u1"]
    assert {"a1", "a2"} < set(outside)
    assert said(main, "said the knot")[0].flags == Flag.SUMMARY
    assert [message.id for message in main.messages if message.flags & Flag.ABANDONED] == ["u3", "a4"]
    assert not said(main, "warmed now")[0].flags


def test_a_summary_in_a_checkpoint(tmp_path: Path) -> None:
    g = Log(MAIN)
    g.user("u1", "hello")
    g.add("session.compaction_complete", {"success": True, "checkpointPath": "/elsewhere/checkpoints/001.md"})
    g.add("session.context_cleared", {})
    (tmp_path / MAIN / "checkpoints").mkdir(parents=True)
    (tmp_path / MAIN / "checkpoints" / "001.md").write_text("What the plover did")
    first, summary = only(tmp_path, g.events).messages
    assert (first.flags, summary.flags) == (Flag.OUT_OF_CONTEXT, Flag.SUMMARY | Flag.OUT_OF_CONTEXT)
    assert summary.parts[0].text == "What the plover did"


def test_what_a_fork_copied_counts_once(home: Path) -> None:
    sessions, report = load(home)
    assert [message.id for message in sessions[FORK].messages] == ["f1"]
    assert sessions[FORK].title == "Heavier “float”"
    assert report.warnings == ("3 messages that forks had copied were counted once",)


def test_events_that_are_written_twice_count_once(tmp_path: Path) -> None:
    events = main_log().events
    assert only(tmp_path, [*events, *events[:6]]) == only(tmp_path, events)


def test_the_workspace_file() -> None:
    text = "\ufeffid: 7\r\nname: |-\n  two\n  lines\nquoted: 'it''s'\nbroken: \"a\\q\"\nempty:\nnone: null\n- odd\n"
    assert workspace_of(text) == {
        "id": "7",
        "name": "two lines",
        "quoted": "it's",
        "broken": "a\\q",
        "empty": "",
        "none": "",
    }


def test_empty_files(tmp_path: Path) -> None:
    assert single(tmp_path, b"").sessions == []
    reading = single(tmp_path, Log(MAIN).events)
    assert (reading.sessions, reading.malformed) == ([], [])


def test_torn_last_line(tmp_path: Path) -> None:
    reading = single(tmp_path, lines(main_log().events) + b'{"type":"user.message","da')
    assert reading.sessions == [only(tmp_path, main_log().events)]
    assert [bad.reason[:14] for bad in reading.malformed] == ["torn last line"]


def test_unknown_events_and_newer_schemas(tmp_path: Path) -> None:
    g = Log(MAIN)
    g.user("u1", "hello", mood="calm")
    g.add("session.hologram", {"content": "unseen"})
    g.add("session.shuffle", {"count": 7})  # holds no words
    g.add("session.info", {"message": "Connected to the buoy"})
    g.add("session.title_changed", {"title": "Named within"})
    g.add("tool.execution_start", {"toolCallId": "c8", "toolName": "bash", "arguments": "ls"})
    g.done("nobody", None, toolName="look", result="an answer to no call")
    g.answer("u1", "an id that was there before", "no request", request("c9", "view"), agentId="x")
    reading = single(tmp_path, [*g.events, {"type": 7}, {"type": "user.message", "id": "z"}])
    (session,) = reading.sessions
    shown = [(m.role, p.type, p.tool, p.text or p.output or p.input) for m in session.messages for p in m.parts]
    assert shown == [
        ("user", "text", None, "hello"),
        ("system", "text", None, "Connected to the buoy"),
        ("assistant", "tool", "bash", {"input": "ls"}),
        ("tool", "tool", "look", "an answer to no call"),
        ("assistant", "text", None, "an id that was there before"),
        ("assistant", "tool", "view", {}),
    ]
    assert len({message.id for message in session.messages}) == 5
    assert session.title == "Named within"
    assert reading.warnings == ["events of the unknown type 'session.hologram' were not read"]
    assert reading.unknown == dict.fromkeys(reading.warnings, 1)
    assert [bad.place for bad in reading.malformed] == ["line 10", "line 11"]


def test_huge_record_wrong_encoding_and_pictures(tmp_path: Path) -> None:
    g = Log(MAIN)
    g.user("u1", "Pegelstände " * 150_000)
    g.user("u2", "Zeile")
    g.user("u3", f"data:image/png;base64,{IMAGE}")
    reading = single(tmp_path, lines(g.events).replace(b"Zeile", b"Z\xe9ile \\ud83d"))
    assert reading.malformed == []
    assert [len(str(message.parts[0].text)) for message in reading.sessions[0].messages][:2] == [1_800_000, 7]
    assert IMAGE[:60] not in repr(reading)


@pytest.mark.parametrize("seed", range(40))
def test_damage_never_raises(tmp_path: Path, seed: int) -> None:
    reading = single(tmp_path, damaged(lines(main_log().events), seed))
    assert all(bad.place.startswith("line ") and bad.reason for bad in reading.malformed)


def test_a_growing_file_is_always_seen_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / MAIN / "events.jsonl"
    path.parent.mkdir()
    path.touch()
    for data, known in views(Copilot(path), path, lines(main_log().events)):
        assert known == by_id(single(tmp_path, data))


def test_signatures_change_with_the_file_and_the_workspace(tmp_path: Path) -> None:
    source = Copilot(write_copilot(tmp_path) / "session-state")

    def signatures() -> dict[str, bytes]:
        return {unit.key: source.signature(unit) for unit in source.units()}

    before = signatures()
    assert signatures() == before
    (tmp_path / ".copilot" / "session-state" / MAIN / "workspace.yaml").write_text("name: Renamed\n")
    after = signatures()
    assert [key for key in before if before[key] != after[key]] == [f"{MAIN}/events.jsonl"]


def test_every_way_to_name_a_store(home: Path) -> None:
    state = home / "session-state"
    assert [len(load(place)[0]) for place in (home, state, state / MAIN)] == [3, 3, 1]
    assert list(load(state / MAIN / "events.jsonl")[0]) == [MAIN]
    assert list(load(state / f"{FLAT}.jsonl")[0]) == [FLAT]
    assert [source.location for source in open_sources(home.parent)] == [str(state)]


def test_stores_of_a_machine(home: Path, tmp_path: Path) -> None:
    place = str(home / "session-state")
    assert [source.location for source in copilot.stores({}, tmp_path)] == [place]
    assert [source.location for source in copilot.stores({"COPILOT_HOME": str(home)}, tmp_path / "x")] == [place]
    assert list(copilot.stores({}, tmp_path / "x")) == []


@pytest.mark.shared
def test_a_real_store(shared: Path) -> None:
    store = shared / "stores" / "copilot-cli"
    sessions, report = load(store)
    for path in store.rglob("events.jsonl"):
        events = [json.loads(line) for line in path.read_bytes().splitlines()]
        session = sessions[path.parent.name]
        counts = Counter(event["type"] for event in events)
        roles = Counter(message.role for message in session.messages)
        assert (roles["user"], roles["assistant"], roles["system"]) == (
            counts["user.message"],
            counts["assistant.message"],
            counts["system.message"],
        )
        done = [event["data"] for event in events if event["type"] == "tool.execution_complete"]
        tools = [part for part in parts_of(session) if part.type == "tool"]
        assert sum(part.error is not None for part in tools) == sum(not data["success"] for data in done)
        assert len(tools) == len(done)
        thoughts = sum("reasoningText" in event["data"] for event in events)
        assert sum(part.type == "reasoning" for part in parts_of(session)) == thoughts
        asked = next(event["data"]["content"] for event in events if event["type"] == "user.message")
        assert session.title == asked
    assert (len(sessions), report.malformed, report.warnings) == (4, (), (MOVED,))


@pytest.mark.shared
def test_phrases_of_a_real_store(shared: Path) -> None:
    sessions, _ = load(shared / "stores" / "copilot-cli")
    found = [
        (part.type, part.tool, bool(message.flags & Flag.SYNTHETIC))
        for words in ("thundering herd", "SQLITE_BUSY: database is locked (code 5) in", "Multiple validation errors")
        for session in sessions.values()
        for message, part in places(session, words)
        if part.type != "text"
    ]
    assert found == [("reasoning", None, False), ("tool", "bash", False), ("tool", "task", False)]
