"""Hermes' database: rows joined into answers, what was taken back or summarised, lineage, damaged and newer schemas."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from recall_rank.loaders import open_source, open_sources, read_all
from recall_rank.loaders.hermes import source as hermes
from recall_rank.loaders.hermes.source import Hermes
from recall_rank.model import Flag, Unit
from tests.fixtures.make_fixtures import IMAGE
from tests.fixtures.make_hermes import AFTER, HOME, MAIN, QUIET, SCOUT, add_session, adder, calls, write_hermes
from tests.loaders.conftest import Seal, age
from tests.support.loaders.finding import load, parts_of, places, said

START_MS = 1_780_000_000_500


@pytest.fixture
def database(tmp_path: Path, seal: Seal) -> Path:
    path = write_hermes(tmp_path / ".hermes")
    age(path)
    seal(path.parent)
    return path


def test_normal(database: Path) -> None:
    sessions, report = load(database)
    assert set(sessions) == {MAIN, AFTER, SCOUT, QUIET}
    assert (report.agent, report.errors, report.malformed, report.warnings) == ("hermes", (), (), ())
    assert report.bytes == database.stat().st_size
    main = sessions[MAIN]
    assert (main.title, main.directory, main.worktree, main.agent) == ("Greenhouse vents", HOME, None, "hermes")
    assert (main.created, main.updated) == (START_MS, START_MS + 900_000)
    assert [message.id for message in main.messages] == ["1", "2", "6", "7", "8", "9", "10", "12", "13", "14"]
    assert "a copy of everything" not in repr(sessions)


def test_answers_go_to_their_calls(database: Path) -> None:
    message, _ = said(load(database)[0][MAIN], "coral stint")  # stored in two columns
    assert (message.role, message.model, message.time) == ("assistant", "quill-6", START_MS + 1000)
    assert [part.type for part in message.parts] == ["reasoning", "text", "tool", "tool", "tool"]
    ran, read, failed = message.parts[2:]
    assert (ran.tool, ran.input, ran.output, ran.status) == (
        "terminal",
        {"command": "vent --test"},
        "vent 3 sticks, whimbrel",
        "completed",
    )
    assert (read.output, read.files) == ("# Vents\nopen at dawn", ("vents.md",))
    assert (failed.error, failed.output, failed.status, failed.flags) == (
        "oil: command not found",
        None,
        "error",
        Flag.ERROR,
    )
    message, part = said(load(database)[0][MAIN], "an answer to no call")
    assert (message.role, part.tool) == ("tool", "look")


def test_pieces_of_a_message_without_its_pictures(database: Path) -> None:
    sessions = load(database)[0]
    message, _ = said(sessions[MAIN], "See this hinge")
    assert len(message.parts) == 1
    assert IMAGE[:60] not in repr(sessions)
    assert said(sessions[SCOUT], "Count.")[1].type == "reasoning"


def test_what_left_the_conversation_is_flagged(database: Path) -> None:
    main = load(database)[0][MAIN]
    assert said(main, "Paint the vents")[0].flags == Flag.ABANDONED
    assert said(main, "Before the summary")[0].flags == Flag.OUT_OF_CONTEXT
    assert said(main, "Kept by the summary")[0].flags == Flag.NONE  # stored twice, counted once
    assert said(main, "said the godwit")[1].flags == Flag.SUMMARY
    for words in ("Background process", "Be kind"):
        assert said(main, words)[1].flags == Flag.SYNTHETIC


def test_lineage_and_titles(database: Path) -> None:
    sessions = load(database)[0]
    assert sessions[MAIN].flags == Flag.OUT_OF_CONTEXT  # goes on in the next
    after, scout, quiet = sessions[AFTER], sessions[SCOUT], sessions[QUIET]
    assert (after.parent, after.flags, after.title, after.worktree) == (MAIN, Flag.NONE, "And the door?", "/home/mara")
    assert (scout.parent, scout.flags, scout.directory) == (MAIN, Flag.SUBAGENT, None)
    assert (quiet.flags, quiet.title, quiet.messages) == (Flag.ARCHIVED, "Pier talk", ())


def test_empty_databases(tmp_path: Path, seal: Seal) -> None:
    nothing = tmp_path / "nothing" / "state.db"
    nothing.parent.mkdir()
    nothing.touch()
    bare = write_hermes(tmp_path / "bare")
    with sqlite3.connect(bare) as connection:
        connection.execute("DELETE FROM sessions")
    connection.close()
    for path in (nothing, bare):
        age(path)
        seal(path.parent)
        sessions, (report,) = read_all([Hermes(path)])
        assert (sessions, report.errors, report.malformed) == ([], (), ())
        assert Hermes(path).signature(Unit("x", str(path))) == b""
    unit = Unit("x", str(bare))
    assert Hermes(bare).read(unit).sessions == []
    assert Hermes(nothing).read(unit).sessions == []


def test_bad_rows_are_counted_and_hide_nothing(tmp_path: Path, seal: Seal) -> None:
    path = write_hermes(tmp_path / "hermes")
    with sqlite3.connect(path) as connection:
        add_session(connection, "bad")
        add = adder(connection, "bad")
        add("assistant", "one", tool_calls='[{"id":"c1","func')
        add("assistant", "two", tool_calls="7")
        add("assistant", "three", tool_calls=json.dumps([7, {"id": "c1", "name": "bare", "arguments": "{torn"}]))
        add("tool", '{"output": "torn', tool_call_id="c1")
        add("hologram", "four")
        add("user", "\0json:{torn")
        add("user", None)
        add("user", "Gr?sse ?")
        spoilt = b"Gr\xf6\xdfe \xed\xa0\xbd"
        connection.execute("UPDATE messages SET content=CAST(? AS TEXT) WHERE content='Gr?sse ?'", (spoilt,))
    connection.close()
    seal(path.parent)
    sessions, report = load(path)
    shown = [(p.type, p.text or p.output, p.tool, p.input) for p in parts_of(sessions["bad"])]
    assert shown == [
        ("text", "one", None, None),
        ("text", "two", None, None),
        ("text", "three", None, None),
        ("tool", '{"output": "torn', "bare", {"input": "{torn"}),
        ("text", "four", None, None),
        ("text", "Gr��e ���", None, None),
    ]
    assert [bad.reason.partition(":")[0] for bad in report.malformed] == ["tool_calls", "tool_calls"]
    assert {bad.location.rpartition(" ")[2] for bad in report.malformed} == {"messages"}
    assert len(sessions) == 5


def test_huge_row(tmp_path: Path, seal: Seal) -> None:
    path = write_hermes(tmp_path / "hermes")
    words = "a line of the log\n" * 200_000
    with sqlite3.connect(path) as connection:
        add_session(connection, "huge")
        add = adder(connection, "huge")
        add("assistant", None, tool_calls=calls(("c1", "terminal", {"command": "log"})))
        add("tool", json.dumps({"output": words}), tool_call_id="c1")
    connection.close()
    seal(path.parent)
    assert parts_of(load(path)[0]["huge"])[0].output == words


def test_newer_and_unknown_schemas(tmp_path: Path, seal: Seal) -> None:
    path = write_hermes(tmp_path / "hermes")
    with sqlite3.connect(path) as connection:
        for table, column in (("messages", "compacted"), ("messages", "reasoning_details"), ("sessions", "archived")):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute("ALTER TABLE messages ADD COLUMN mood TEXT")
    connection.close()
    seal(path.parent)
    sessions, report = load(path)
    assert (report.errors, sessions[QUIET].flags) == ((), Flag.NONE)
    assert said(sessions[MAIN], "Before the summary")[0].flags == Flag.ABANDONED
    other = tmp_path / ".hermes" / "state.db"
    other.parent.mkdir()
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE sessions (id TEXT)")
    connection.close()
    with pytest.raises(ValueError, match="no history is recognised"):
        open_source(other)
    _, (report,) = read_all([Hermes(other)])
    assert "column parent_session_id of sessions is missing" in report.errors[0]


def test_what_is_no_database(tmp_path: Path) -> None:
    garbage = tmp_path / ".hermes" / "state.db"
    garbage.parent.mkdir()
    garbage.write_bytes(b"not a database " * 300)
    age(garbage)
    _, report = load(garbage)
    assert report.failed
    assert "file is not a database" in report.errors[0]
    elsewhere = tmp_path / "state.db"
    garbage.rename(elsewhere)
    assert hermes.named(elsewhere) is None


def test_signatures_tell_what_changed(tmp_path: Path) -> None:
    path = write_hermes(tmp_path / "hermes")
    source = Hermes(path)

    def signatures() -> dict[str, bytes]:
        return {unit.key: source.signature(unit) for unit in source.units()}

    before = signatures()
    assert signatures() == before
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE messages SET active=0 WHERE id=1")
    connection.close()
    os.utime(path, (1, 1))
    after = signatures()
    assert [key for key in before if before[key] != after[key]] == [MAIN]


def test_every_way_to_name_a_store(database: Path, tmp_path: Path) -> None:
    other = tmp_path / "mine.sqlite"
    other.write_bytes(database.read_bytes())
    age(other)
    assert [open_source(place).name for place in (other, database, database.parent)] == ["hermes"] * 3
    assert [source.location for source in open_sources(database.parent)] == [str(database)]


def test_stores_of_a_machine(tmp_path: Path) -> None:
    main = write_hermes(tmp_path / ".hermes")
    profile = write_hermes(tmp_path / ".hermes" / "profiles" / "pier")
    windows = write_hermes(tmp_path / "local" / "hermes")

    def places_of(environ: dict[str, str], home: Path) -> list[Path]:
        return [Path(source.location) for source in hermes.stores(environ, home)]

    assert places_of({"LOCALAPPDATA": str(tmp_path / "local")}, tmp_path) == [main, profile, windows]
    assert places_of({"HERMES_HOME": str(profile.parent)}, tmp_path) == [profile]
    assert places_of({}, tmp_path / "x") == []


@pytest.mark.shared
def test_a_real_store(shared: Path) -> None:
    path = shared / "stores" / "hermes" / "state.db"
    sessions, report = load(path)
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    titles = dict(connection.execute("SELECT id, title FROM sessions"))
    roles = Counter(row[0] for row in connection.execute("SELECT role FROM messages"))
    thoughts = connection.execute("SELECT count(*) FROM messages WHERE reasoning <> ''").fetchone()[0]
    failed = connection.execute(
        "SELECT count(*) FROM messages WHERE role = 'tool' AND json_extract(content, '$.exit_code') <> 0"
    ).fetchone()[0]
    connection.close()
    messages = [message for session in sessions.values() for message in session.messages]
    parts = [part for message in messages for part in message.parts]
    assert {key: sessions[key].title for key, title in titles.items() if title} == {
        k: v for k, v in titles.items() if v
    }
    assert Counter(message.role for message in messages) == {"user": roles["user"], "assistant": roles["assistant"]}
    kinds = Counter(part.type for part in parts)
    assert (kinds["tool"], kinds["reasoning"]) == (roles["tool"], thoughts)
    assert sum(part.error is not None for part in parts) == failed == 3
    assert (report.malformed, report.errors, report.warnings, report.bytes) == ((), (), (), path.stat().st_size)


@pytest.mark.shared
def test_phrases_of_a_real_store(shared: Path) -> None:
    sessions, _ = load(shared / "stores" / "hermes" / "state.db")
    found = [
        (part.type, part.status)
        for words in ("thundering herd", "processed job_1500 ", "RuntimeError: SQLITE_BUSY", "naïve café")
        for session in sessions.values()
        for _, part in places(session, words)
    ]
    assert found == [("reasoning", None), ("tool", "completed"), ("tool", "error"), ("tool", "completed")]
