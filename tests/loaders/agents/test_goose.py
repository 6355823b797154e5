"""Goose's database and older files: visibility, answers, subagents, damaged rows. Built from the documented schema."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from recall_rank.loaders import discover, open_source, read_all
from recall_rank.loaders.goose.source import GooseDatabase, GooseFiles
from recall_rank.model import Flag, Message, Part, Reading, Session, SourceReport
from tests.fixtures.make_chat_stores import (
    add_goose_message,
    add_goose_session,
    goose_file,
    say,
    write_goose,
    write_goose_files,
)
from tests.fixtures.make_fixtures import HOME, IMAGE, START, lines
from tests.fixtures.odd_values import oddly
from tests.loaders.conftest import Seal, age


@pytest.fixture
def folder(tmp_path: Path, seal: Seal) -> Path:
    """A quiet folder of sessions."""
    path = write_goose(tmp_path / "goose" / "sessions")
    age(path / "sessions.db")
    return seal(path)


def load(where: Path) -> tuple[dict[str, Session], SourceReport]:
    sessions, (report,) = read_all([open_source(where)])
    return {session.id: session for session in sessions}, report


def said(session: Session, words: str) -> tuple[Message, Part]:
    ((message, part),) = [
        (message, part)
        for message in session.messages
        for part in message.parts
        if any(words in (field or "") for field in (part.text, part.output, part.error))
    ]
    return message, part


def single(tmp_path: Path, data: bytes) -> Reading:
    path = tmp_path / "20250101_120000.jsonl"
    path.write_bytes(data)
    source = GooseFiles(path)
    (unit,) = source.units()
    return source.read(unit)


def edit(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "sessions.db", isolation_level=None)


def test_normal(folder: Path) -> None:
    sessions, report = load(folder / "sessions.db")
    first = sessions["20260528_1"]
    assert (first.title, first.directory, first.created, first.agent) == ("Feeding the goat", HOME, START, "goose")
    assert (report.sessions, report.malformed, report.warnings, report.errors) == (3, (), (), ())
    message, part = said(first, "violet heron")
    assert (message.role, message.model, part.tool, part.input) == (
        "assistant",
        "quill-1",
        "developer__shell",
        {"command": "ls barn"},
    )
    kinds = [part.type for part in message.parts]
    assert kinds == ["reasoning", "text", "tool", "tool", "tool", "tool"]
    assert (message.time, IMAGE[:80] in repr(first)) == (START + 60_000, False)


def test_failures(folder: Path) -> None:
    first = load(folder)[0]["20260528_1"]
    for words, tool in (("HayError", "developer__text_editor"), ("no rope", "tie"), ("no such tool", None)):
        _, part = said(first, words)
        assert (part.tool, part.output, part.status, part.flags) == (tool, None, "error", Flag.ERROR)
    assert said(first, "HayError")[1].files == ("barn/goat.md",)
    message, part = said(first, "answer to nothing")
    assert (message.role, part.type, part.status) == ("user", "tool", "completed")


def test_compaction(folder: Path) -> None:
    first = load(folder)[0]["20260528_1"]
    assert said(first, "Feed the goat")[0].flags == Flag.OUT_OF_CONTEXT
    assert said(first, "amber harbour")[0].flags == Flag.SUMMARY
    assert said(first, "I go on")[0].flags == Flag.SYNTHETIC
    assert said(first, "Compacted")[1].flags == Flag.SYNTHETIC
    assert said(first, "The goat is fed.")[0].flags == Flag.NONE


def test_titles_and_subagents(folder: Path) -> None:
    sessions, _ = load(folder)
    assert (sessions["20260528_2"].title, sessions["20260528_2"].flags) == (
        "Milk the goat, then make cheese",
        Flag.NONE,
    )
    assert (sessions["20260528_3"].title, sessions["20260528_3"].flags) == ("Survey the barn", Flag.SUBAGENT)


def test_older_files_count_where_the_database_does_not_have_them(tmp_path: Path, seal: Seal) -> None:
    folder = write_goose_files(write_goose(tmp_path / "goose" / "sessions"))
    age(folder / "sessions.db")
    seal(folder)
    sessions, report = load(folder)
    assert (sorted(sessions), report.malformed) == (["20250101_120000", "20260528_1", "20260528_2", "20260528_3"], ())
    assert sessions["20260528_1"].title == "Feeding the goat"
    old = sessions["20250101_120000"]
    assert (old.title, old.directory, len(old.messages)) == ("Feed the goat", HOME, 2)
    assert report.bytes == sum(path.stat().st_size for path in folder.iterdir())


def test_older_files_alone(tmp_path: Path, seal: Seal) -> None:
    folder = seal(write_goose_files(tmp_path / "old"))
    assert load(folder)[0]["20260528_1"].title == "Old goat"


def test_places(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    for base in (".local/share/goose", "Library/Application Support/Block/goose"):
        write_goose(home / base / "sessions")

    def names(**environ: str) -> list[str]:
        return [source.location for source in discover(environ, home)]

    assert names() == [
        str(home / base / "sessions" / "sessions.db")
        for base in (".local/share/goose", "Library/Application Support/Block/goose")
    ]
    assert names(XDG_DATA_HOME=str(tmp_path))[0] == str(folder / "sessions.db")
    assert names(GOOSE_PATH_ROOT=str(home)) == []


# --- damaged stores --------------------------------------------------------------------------------


def test_damaged_rows_hide_no_others(tmp_path: Path) -> None:
    folder = write_goose(tmp_path / "sessions")
    database = edit(folder)
    for raw in (
        "[torn",
        '"a text"',
        "",
        b'[{"type": "text", "text": "caf\xff"}]',
        [{"type": "hologram", "text": "a shape"}],
    ):
        add_goose_message(database, "20260528_2", "user", raw)
    database.close()
    sessions, report = load(folder)
    assert [bad.reason.split(":")[0] for bad in report.malformed] == [
        "not JSON",
        "a message whose content is no list",
        "no content",
    ]
    assert all(bad.place.startswith("row ") and bad.location.endswith(" messages") for bad in report.malformed)
    assert said(sessions["20260528_2"], "caf\ufffd")
    assert said(sessions["20260528_2"], "a shape")[1].type == "hologram"


def test_a_huge_row(tmp_path: Path) -> None:
    folder = write_goose(tmp_path / "sessions")
    database = edit(folder)
    add_goose_message(database, "20260528_2", "assistant", [say("gull " * 30_000 + "phrase at the end")])
    database.close()
    assert said(load(folder)[0]["20260528_2"], "phrase at the end")


def test_newer_and_older_schemas(tmp_path: Path) -> None:
    folder = write_goose(tmp_path / "sessions")
    database = edit(folder)
    database.execute("INSERT INTO schema_version VALUES (99, NULL)")
    database.execute("ALTER TABLE sessions ADD COLUMN archived_at TIMESTAMP")
    database.execute("UPDATE sessions SET archived_at = '2026-06-01 00:00:00' WHERE id = '20260528_2'")
    database.execute("ALTER TABLE messages DROP COLUMN metadata_json")
    database.execute("ALTER TABLE messages DROP COLUMN message_id")
    database.close()
    sessions, report = load(folder)
    assert sessions["20260528_2"].flags == Flag.ARCHIVED
    assert report.warnings == ("version 99 of the schema was read as far as version 8 goes",)
    assert GooseDatabase(folder / "sessions.db").signature(next(iter(open_source(folder).units())))


def test_a_schema_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE sessions (id TEXT)")
    database.close()
    with pytest.raises(OSError, match="not a schema of Goose"):
        list(GooseDatabase(path).units())
    with pytest.raises(ValueError, match="no history is recognised"):
        open_source(path)


def test_signatures_notice_what_a_compaction_hides(tmp_path: Path) -> None:
    folder = write_goose(tmp_path / "sessions")
    source = GooseDatabase(folder / "sessions.db")
    before = {unit.key: source.signature(unit) for unit in source.units()}
    database = edit(folder)
    database.execute("UPDATE messages SET metadata_json = '{\"agentVisible\": false}' WHERE session_id = '20260528_2'")
    database.close()
    after = {unit.key: source.signature(unit) for unit in source.units()}
    assert [key for key in before if before[key] != after[key]] == ["20260528_2"]
    source.close()


def test_a_session_without_messages_is_none(tmp_path: Path) -> None:
    folder = write_goose(tmp_path / "sessions")
    database = edit(folder)
    add_goose_session(database, "20260528_9", "Nothing yet")
    database.close()
    assert "20260528_9" not in load(folder)[0]


def test_damaged_files(tmp_path: Path) -> None:
    whole = lines(goose_file())
    assert single(tmp_path, b"").sessions == []
    reading = single(tmp_path, whole[:-20])
    assert ([bad.reason[:14] for bad in reading.malformed], len(reading.sessions[0].messages)) == (
        ["torn last line"],
        2,
    )
    odd = json.dumps({"role": "user", "content": "a text"}).encode() + b"\n"
    reading = single(tmp_path, whole + odd + b'{"role": "user", "content": [{"type": "text", "text": "caf\xff"}]}\n')
    assert [bad.reason for bad in reading.malformed] == ["a message whose content is no list"]
    assert said(reading.sessions[0], "caf\ufffd")
    assert single(tmp_path, whole.decode().encode("utf-16")).sessions[0].title == "Old goat"


@pytest.mark.parametrize("seed", range(20))
def test_values_of_odd_types_stop_nothing(tmp_path: Path, seed: int) -> None:
    raw = "".join(json.dumps(oddly(record, seed)) + "\n" for record in [*goose_file(), *goose_file()])
    kept = {"role": "user", "content": [say("kept")]}
    assert said(single(tmp_path, raw.encode() + json.dumps(kept).encode()).sessions[0], "kept")
