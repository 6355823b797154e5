"""Gemini CLI's logs: the last record of an id, patches of the whole history, rewinding, subagents, the older JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders import open_sources
from recall_rank.loaders.gemini import source as gemini
from recall_rank.loaders.gemini.source import Gemini
from recall_rank.model import Flag, Reading, Session
from tests.fixtures.make_fixtures import IMAGE, lines
from tests.fixtures.make_gemini import (
    HOME,
    MAIN,
    OLDER,
    OTHER,
    SPILLED,
    SUB,
    Chat,
    call,
    main_chat,
    older_chat,
    when,
    write_gemini,
)
from tests.loaders.conftest import Seal
from tests.support.loaders.finding import damaged, load, parts_of, places, said

NAME = "session-2026-05-28T20-26-aaaa1111.jsonl"


@pytest.fixture
def home(tmp_path: Path, seal: Seal) -> Path:
    return seal(write_gemini(tmp_path))


def single(tmp_path: Path, records: list[dict[str, Any]] | bytes, name: str = NAME) -> Reading:
    path = tmp_path / name
    path.write_bytes(records if isinstance(records, bytes) else lines(records))
    (unit,) = Gemini(path).units()
    return Gemini(path).read(unit)


def only(tmp_path: Path, records: list[dict[str, Any]] | bytes, name: str = NAME) -> Session:
    (session,) = single(tmp_path, records, name).sessions
    return session


def test_normal(home: Path) -> None:
    sessions, report = load(home)
    assert set(sessions) == {MAIN, OLDER, SUB}
    assert (report.agent, report.errors, report.malformed, report.warnings) == ("gemini-cli", (), (), ())
    main = sessions[MAIN]
    assert (main.title, main.directory, main.agent, main.source) == ("Fridge hums", HOME, "gemini-cli", "gemini-cli")
    assert (main.parent, main.flags, main.created < main.updated) == (None, Flag.NONE, True)
    order = ["g0", "g1", "g2", "g4", "g5", "g6", "g7", "g8", "g9", "g10", "g11"]
    assert [message.id for message in main.messages] == order


def test_the_last_record_of_a_message_counts_and_its_answers_stand_once(home: Path) -> None:
    message, part = said(load(home)[0][MAIN], "scoter")
    assert (message.id, message.model) == ("g2", "gull-3")  # which the history that replaced it does not name
    ran, failed, spilled = [part for part in message.parts if part.type == "tool"]
    assert ran is part
    assert (ran.tool, ran.input, ran.status, ran.title) == (
        "run_shell_command",
        {"command": "listen --fridge"},
        "completed",
        None,
    )
    assert (failed.error, failed.output, failed.status, failed.flags) == (
        "File not found: fan.txt",
        None,
        "error",
        Flag.ERROR,
    )
    assert (failed.files, failed.title) == ((f"{HOME}/fan.txt",), "does it")
    assert spilled.output == SPILLED


def test_thoughts(tmp_path: Path) -> None:
    first = main_chat().records[:6]
    texts = [part.text for part in parts_of(only(tmp_path, first)) if part.type == "reasoning"]
    assert texts == ["A loose fan, jade auk.", "Fan"]


def test_an_output_that_was_masked_is_kept_and_marked(home: Path) -> None:
    _, part = said(load(home)[0][MAIN], "scoter")
    assert part.flags == Flag.PRUNED
    assert "tool_output_masked" not in repr(load(home)[0])


def test_a_spilled_output_that_is_gone_leaves_its_preview(tmp_path: Path, seal: Seal) -> None:
    home = write_gemini(tmp_path)
    next((home / "tmp" / "kiosk" / "tool-outputs").rglob("*.txt")).unlink()
    sessions, report = load(seal(home))
    assert report.warnings == ("spilled outputs are gone, their previews are kept: run_shell_command_big.txt",)
    assert "minute 0000" in str(said(sessions[MAIN], "minute 0000")[1].output)


def test_injected_text_is_flagged_and_kept(home: Path) -> None:
    main = load(home)[0][MAIN]
    for words in ("<session_context>", "notes: oil it"):
        assert said(main, words)[1].flags == Flag.SYNTHETIC
    assert said(main, "<state_snapshot>")[1].flags == Flag.SYNTHETIC | Flag.SUMMARY
    assert not said(main, "Use @notes.md")[1].flags
    assert said(main, "Switched model")[0].flags == Flag.SYNTHETIC
    message, part = said(main, "quota of the quay")
    assert (message.role, message.flags, part.error) == (
        "system",
        Flag.SYNTHETIC | Flag.ERROR,
        "quota of the quay exceeded",
    )


def test_what_left_the_history_is_flagged(home: Path) -> None:
    flags = {message.id: message.flags for message in load(home)[0][MAIN].messages}
    assert [key for key, flag in flags.items() if flag & Flag.ABANDONED] == ["g6", "g7"]
    assert [key for key, flag in flags.items() if flag & Flag.OUT_OF_CONTEXT] == ["g0", "g1", "g4", "g5", "g8"]


def test_a_session_that_was_resumed_is_read_as_it_was_said(tmp_path: Path) -> None:
    c = Chat(MAIN)
    first = {"id": "r0", "timestamp": when(0), "type": "user", "content": [{"text": "<session_context>\nlinux"}]}
    c.records.append({"$set": {"messages": [first], "lastUpdated": when(0)}})
    c.user("r1", "Why does the kiosk fridge hum?", displayContent="Why does the kiosk fridge hum?")
    thoughts = [{"subject": "Fan", "description": "A loose fan, jade auk."}]
    calls = [call("c1", "run_shell_command", "hum at 50 Hz, scoter", command="listen --fridge")]
    c.message("r2", "gemini", "", thoughts=thoughts, model="gull-3", tokens={"input": 7, "output": 3}, toolCalls=calls)
    c.message("r3", "user", [each["result"][0] for each in calls])
    c.message("r4", "gemini", "It hums at 50 Hz.", model="gull-3")
    before = only(tmp_path, c.records)
    assert [len(message.parts) for message in before.messages] == [1, 1, 2, 1]
    c.resume(50)
    assert only(tmp_path, c.records).messages == before.messages
    c.user("r5", "And today?")
    after = only(tmp_path, c.records)
    assert after.messages[:-1] == before.messages
    assert (after.created, after.title) == (before.created, before.title)
    assert [message.flags for message in after.messages] == [Flag.NONE] * 5


def test_rewinding_to_what_is_not_there_leaves_everything(tmp_path: Path) -> None:
    c = Chat(MAIN)
    c.user("g1", "one")
    c.records.append({"$rewindTo": "nowhere"})
    c.user("g2", "two")
    c.user("g1", "one")  # and is back
    assert [(m.id, m.flags) for m in only(tmp_path, c.records).messages] == [("g1", Flag.NONE), ("g2", Flag.NONE)]


def test_an_answer_to_no_call_is_kept(tmp_path: Path) -> None:
    c = Chat(MAIN)
    answer = {"functionResponse": {"id": "c9", "name": "look", "response": {"error": "no light"}}}
    c.message("g1", "user", [answer])
    (part,) = parts_of(only(tmp_path, c.records))
    assert (part.tool, part.error, part.flags) == ("look", "no light", Flag.ERROR)


def test_subagents_and_the_older_format(home: Path) -> None:
    sessions = load(home)[0]
    sub, older = sessions[SUB], sessions[OLDER]
    assert (sub.parent, sub.flags, sub.title, sub.directory) == (MAIN, Flag.SUBAGENT, "Count the fans", HOME)
    assert said(sub, "pearl jetty")
    assert (older.title, older.directory) == ("Is the quay wet?", OTHER)
    (part,) = [part for part in parts_of(older) if part.type == "tool"]
    assert (part.output, part.status, part.files) == ("stopped", "cancelled", ("quay.txt",))


def test_a_session_that_was_continued_in_the_newer_format_counts_once(tmp_path: Path, seal: Seal) -> None:
    home = write_gemini(tmp_path)
    (older,) = home.rglob("session-2025*.json")
    c = Chat(OLDER)
    c.records += older_chat()["messages"]
    c.user("o3", "And now?")
    older.with_suffix(".jsonl").write_bytes(lines(c.records))
    sessions, report = load(seal(home))
    assert (len(sessions), len(sessions[OLDER].messages)) == (3, 3)
    assert "found twice" in report.warnings[0]


def test_projects_by_slug_and_unknown_ones(tmp_path: Path, seal: Seal) -> None:
    home = write_gemini(tmp_path)
    (home / "tmp" / "kiosk" / ".project_root").unlink()
    assert load(home)[0][MAIN].directory == HOME
    (home / "projects.json").write_text("{")
    assert load(seal(home))[0][MAIN].directory is None


def test_pictures_are_left_out(home: Path) -> None:
    assert IMAGE[:60] not in repr(load(home)[0])


def test_empty_files(tmp_path: Path) -> None:
    assert single(tmp_path, b"").sessions == []
    assert single(tmp_path, b"", "session-x.json").sessions == []
    reading = single(tmp_path, Chat(MAIN).records)
    assert (reading.sessions, reading.malformed) == ([], [])


def test_torn_files(tmp_path: Path) -> None:
    reading = single(tmp_path, lines(main_chat().records) + b'{"id":"g12","type":"us')
    assert reading.sessions == [only(tmp_path, main_chat().records)]
    assert [bad.reason[:14] for bad in reading.malformed] == ["torn last line"]
    data = json.dumps(older_chat(), indent=2).encode()
    at = data.index(b'"id": "t1"')
    reading = single(tmp_path, data[:at], "session-x.json")
    assert [message.id for message in reading.sessions[0].messages] == ["o1"]
    assert (reading.sessions[0].id, len(reading.malformed)) == (OLDER, 1)


def test_unknown_records_and_newer_schemas(tmp_path: Path) -> None:
    c = Chat(MAIN, memoryScratchpad={"x": 1})
    c.user("g1", "hello", mood="calm")
    c.message("g2", "hologram", "seen")
    broken = [
        {"id": "g3", "type": "user"},
        {"id": "", "content": "x"},
        {"$set": {"messages": 7}},
        {"$set": {"messages": [7]}},
    ]
    reading = single(tmp_path, [*c.records, {"$unset": 1}, *broken])
    (session,) = reading.sessions
    assert [(m.role, p.text, int(m.flags)) for m in session.messages for p in m.parts] == [
        ("user", "hello", Flag.OUT_OF_CONTEXT),
        ("system", "seen", Flag.OUT_OF_CONTEXT | Flag.SYNTHETIC),
    ]
    assert reading.warnings == [
        "messages of the unknown type 'hologram' were read as notes",
        "records of an unknown kind ($unset) were not read",
    ]
    assert reading.unknown == {"records of an unknown kind ($unset) were not read": 1}
    assert [bad.place for bad in reading.malformed] == ["line 7", "line 8", "line 9", "line 10"]


def test_huge_records_and_wrong_encoding(tmp_path: Path) -> None:
    c = Chat(MAIN)
    c.user("g1", "Kühlschrank " * 150_000)
    c.user("g2", "Zeile")
    reading = single(tmp_path, lines(c.records).replace(b"Zeile", b"Z\xe9ile \\ud83d"))
    assert reading.malformed == []
    assert [len(str(message.parts[0].text)) for message in reading.sessions[0].messages] == [1_800_000, 7]
    older = {**older_chat(), "messages": [older_chat()["messages"][0]] * 3}
    older["messages"][1] = {**older["messages"][1], "id": "o2", "content": "nass " * 300_000}
    utf16 = json.dumps(older, indent=2).encode("utf-16")
    assert [len(str(m.parts[0].text)) for m in only(tmp_path, utf16, "s.json").messages] == [16, 1_500_000]


@pytest.mark.parametrize("seed", range(40))
def test_damage_never_raises(tmp_path: Path, seed: int) -> None:
    for data, name in ((lines(main_chat().records), NAME), (json.dumps(older_chat(), indent=2).encode(), "s.json")):
        reading = single(tmp_path, damaged(data, seed), name)
        assert all(bad.place.startswith("line ") and bad.reason for bad in reading.malformed)


def test_every_way_to_name_a_store(home: Path) -> None:
    kiosk = home / "tmp" / "kiosk"
    assert [len(load(place)[0]) for place in (home, home / "tmp", kiosk, kiosk / "chats")] == [3, 3, 2, 2]
    assert list(load(kiosk / "chats" / NAME)[0]) == [MAIN]
    assert load(kiosk / "chats")[0][SUB].directory == HOME
    (older,) = home.rglob("session-2025*.json")
    assert load(older)[0][OLDER].directory == OTHER
    assert [source.location for source in open_sources(home.parent)] == [str(home / "tmp")]


def test_stores_of_a_machine(home: Path, tmp_path: Path) -> None:
    assert [source.location for source in gemini.stores({}, tmp_path)] == [str(home / "tmp")]
    named = gemini.stores({"GEMINI_CLI_HOME": str(tmp_path)}, tmp_path / "x")
    assert [source.location for source in named] == [str(home / "tmp")]
    assert list(gemini.stores({}, tmp_path / "x")) == []


def test_signatures_change_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes(lines(main_chat().records))
    (unit,) = Gemini(path).units()
    before = Gemini(path).signature(unit)
    assert Gemini(path).signature(unit) == before
    path.write_bytes(lines([*main_chat().records, {"$set": {"lastUpdated": when(50)}}]))
    assert Gemini(path).signature(unit) != before


@pytest.mark.shared
def test_a_real_store(shared: Path) -> None:
    sessions, report = load(shared / "stores" / "gemini-cli")
    files = sorted((shared / "stores" / "gemini-cli").rglob("session-*.jsonl"))
    records = [[json.loads(line) for line in path.read_bytes().splitlines()] for path in files]
    assert set(sessions) == {rows[0]["sessionId"] for rows in records}
    assert (report.malformed, report.errors, report.warnings) == ((), (), ())
    for rows in records:
        session = sessions[rows[0]["sessionId"]]
        last = {row["id"]: row for row in rows if "id" in row}
        answers = [row for row in last.values() if row["type"] == "gemini"]
        typed = [row for row in last.values() if row["type"] == "user" and "text" in row["content"][0]]
        assert [m.id for m in session.messages if m.role == "assistant"] == [row["id"] for row in answers]
        assert [m.id for m in session.messages if m.role == "user"][1:] == [row["id"] for row in typed]
        assert session.title == typed[0]["content"][0]["text"]
        calls = [call["name"] for row in answers for call in row.get("toolCalls", ())]
        assert [part.tool for part in parts_of(session) if part.type == "tool"] == calls
        thoughts = sum(len(row["thoughts"]) for row in answers)
        assert sum(part.type == "reasoning" for part in parts_of(session)) == thoughts
    assert {session.directory for session in sessions.values()} == {"/home/al/code/acme-api", "/home/al/code/acme-web"}


@pytest.mark.shared
def test_phrases_of_a_real_store(shared: Path) -> None:
    sessions, _ = load(shared / "stores" / "gemini-cli")
    thought, output, *injected = [
        (part.type, part.flags)
        for words in ("thundering herd", "naïve café", "This is the Gemini CLI")
        for session in sessions.values()
        for _, part in places(session, words)
    ]
    assert (thought, output) == (("reasoning", Flag.NONE), ("tool", Flag.NONE))
    assert injected == [("text", Flag.SYNTHETIC)] * 4
