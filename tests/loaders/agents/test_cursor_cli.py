"""Cursor's command line: blobs, transcripts, sessions that are in both. Built from what is documented of it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from recall_rank.loaders import discover, open_source, open_sources, read_all
from recall_rank.loaders.cursor.cli_source import CursorCli
from recall_rank.model import Flag, Message, Part, Reading, Session, SourceReport
from tests.fixtures.make_cursor import AGENT, BRANCH, add_blob, transcript, write_cursor_cli, write_store
from tests.fixtures.make_cursor import said as stored
from tests.fixtures.make_fixtures import HOME, IMAGE, START, lines
from tests.fixtures.odd_values import oddly
from tests.loaders.conftest import Seal, age

META = {"agentId": AGENT, "name": "New Agent", "createdAt": START}


@pytest.fixture
def folder(tmp_path: Path, seal: Seal) -> Path:
    """Cursor's quiet folder in a home."""
    path = write_cursor_cli(tmp_path)
    age(next(path.rglob("store.db")))
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
    path = tmp_path / f"{AGENT}.jsonl"
    path.write_bytes(data)
    source = CursorCli(path)
    (unit,) = source.units()
    return source.read(unit)


def test_normal(folder: Path) -> None:
    sessions, report = load(folder)
    assert (set(sessions), report.malformed, report.errors) == ({AGENT, BRANCH}, (), ())
    session = sessions[AGENT]
    assert (session.title, session.directory, session.created, session.agent, session.source) == (
        "Caulk hull",
        HOME,
        START,
        "cursor",
        "cursor-cli",
    )
    roles = [message.role for message in session.messages]
    assert roles == ["system", "user", "user", "assistant", "tool", "assistant", "user"]
    assert said(session, "violet heron")[0].model == "quill-1"
    assert IMAGE[:80] not in repr(sessions)


def test_messages(folder: Path) -> None:
    session = load(folder)[0][AGENT]
    _, part = said(session, "seam 3 leaks")
    assert (part.tool, part.input, part.files, part.status) == (
        "Read",
        {"path": "hull/seams.md"},
        ("hull/seams.md",),
        "completed",
    )
    _, part = said(session, "TarError")
    assert (part.error, part.status, part.flags) == ("TarError: cold", "error", Flag.ERROR)
    assert said(session, "answer to nothing")[1].tool == "Shell"
    assert said(session, "Caulk the hull")[1].text == "Caulk the hull"  # without the tag around it
    assert said(session, "Workspace Path")[1].flags == Flag.SYNTHETIC
    assert said(session, "shipwright")[0].flags == Flag.SYNTHETIC
    assert said(session, "amber falcon")[0].flags == Flag.ABANDONED


def test_a_session_that_is_in_both_counts_once(folder: Path) -> None:
    sessions, report = load(folder)
    assert len(sessions[AGENT].messages) == 7
    assert "1 session was found twice and counted where more messages are" in report.warnings
    child = sessions[BRANCH]
    assert (child.parent, child.flags, child.project, child.directory) == (AGENT, Flag.SUBAGENT, "home-mara-lamp", None)


def test_a_transcript(tmp_path: Path) -> None:
    (session,) = single(tmp_path, lines(transcript())).sessions
    assert (session.id, session.title, session.created) == (AGENT, "Caulk the hull", 0)
    assert session.updated > START
    assert session.messages[1].parts[1].input == {"command": "caulk"}


def test_a_store_without_a_root_keeps_its_order(tmp_path: Path) -> None:
    path = write_store(tmp_path / "chats" / "0123" / AGENT, META, rooted=False)
    session = load(path)[0][AGENT]
    assert session.title == "Burn the ship, amber falcon"  # not the name that every session begins with
    assert not any(message.flags & Flag.ABANDONED for message in session.messages)


def test_damaged_blobs(tmp_path: Path) -> None:
    path = write_store(tmp_path / "chats" / "0123" / AGENT, META)
    database = sqlite3.connect(path)
    damaged = (
        b'{"role": "user", "content": "torn',
        b'{"role": "user", "content": 7}',
        b'{"role": "oracle", "content": "x"}',
        b'{"role": "user", "content": "caf\xff"}',
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    )
    for data in damaged:
        add_blob(database, data)
    add_blob(database, json.dumps({"role": "user", "content": "gull " * 30_000 + "phrase at the end"}).encode())
    database.execute("UPDATE meta SET value = 'zz'")
    database.commit()
    database.close()
    sessions, report = load(path)
    assert sorted(bad.reason.split(":")[0] for bad in report.malformed) == [
        "a message without a role",
        "a message without content",
        "not JSON",
    ]
    session = sessions[AGENT]  # by the name of its folder
    assert said(session, "caf\ufffd")
    assert said(session, "phrase at the end")


def test_damaged_transcripts(tmp_path: Path) -> None:
    whole = lines(transcript())
    assert single(tmp_path, b"").sessions == []
    reading = single(tmp_path, whole + whole[:40])
    assert ([bad.reason[:14] for bad in reading.malformed], len(reading.sessions[0].messages)) == (
        ["torn last line"],
        2,
    )
    odd = b'{"type": "beam"}\n{"role": "oracle"}\n{"role": "user", "message": {"content": "caf\xff"}}\n'
    reading = single(tmp_path, whole + odd)
    assert [bad.reason for bad in reading.malformed] == ["a message without a role"]
    assert list(reading.warnings) == ["records of the unknown type 'beam' were not read"]
    assert reading.unknown == dict.fromkeys(reading.warnings, 1)
    assert said(reading.sessions[0], "caf\ufffd")
    assert len(single(tmp_path, whole.decode().encode("utf-16")).sessions[0].messages) == 2


def test_signatures(tmp_path: Path) -> None:
    folder = write_cursor_cli(tmp_path)
    source = open_source(folder)
    before = {unit.key: source.signature(unit) for unit in source.units()}
    database = sqlite3.connect(next(folder.rglob("store.db")))
    add_blob(database, b"more")
    database.commit()
    database.close()
    after = {unit.key: source.signature(unit) for unit in source.units()}
    assert [key.rpartition("/")[2] for key in before if before[key] != after[key]] == ["store.db"]
    assert not any(key.startswith("extensions") for key in before)


def test_places(folder: Path, tmp_path: Path) -> None:
    def names(**environ: str) -> list[str]:
        return [source.location for source in discover(environ, tmp_path)]

    assert names() == [str(folder)]
    assert names(CURSOR_CONFIG_DIR=str(folder), CURSOR_DATA_DIR=str(tmp_path / "gone")) == [str(folder)]
    assert discover({}, tmp_path / "gone") == []
    transcripts = next(folder.rglob("agent-transcripts"))
    for inside in (folder / "chats", next(folder.rglob("store.db")), transcripts, next(transcripts.rglob("*.jsonl"))):
        assert open_source(inside).name == "cursor-cli"


def test_other_databases_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    sqlite3.connect(path).execute("CREATE TABLE blobs (id TEXT)").connection.close()
    assert open_sources(tmp_path) == []
    path.write_bytes(b"no database at all")
    assert open_sources(tmp_path) == []
    source = CursorCli(path)
    with pytest.raises(OSError, match="SQLite"):
        source.read(next(iter(source.units())))


@pytest.mark.parametrize("seed", range(20))
def test_values_of_odd_types_stop_nothing(tmp_path: Path, seed: int) -> None:
    raw = "".join(json.dumps(oddly(record, seed)) + "\n" for record in [*transcript(), *stored()])
    kept = {"role": "user", "message": {"content": "kept"}}
    assert said(single(tmp_path, raw.encode() + json.dumps(kept).encode()).sessions[0], "kept")
