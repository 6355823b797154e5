"""memo-agent's database: chains of compressed sessions, both schemas, damaged tables."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from recall_rank.loaders import discover, open_source, open_sources, read_all
from recall_rank.loaders.memo_agent.source import MemoAgent
from recall_rank.model import Flag, Message, Part, Session, SourceReport
from tests.fixtures.make_chat_stores import add_memo_message, add_memo_session, write_memo, write_memo_described
from tests.fixtures.make_fixtures import write_opencode
from tests.loaders.conftest import Seal, age


@pytest.fixture
def database(tmp_path: Path, seal: Seal) -> Path:
    """A quiet database of a profile."""
    path = write_memo(tmp_path / ".memo-agent" / "sessions.db")
    age(path)
    seal(path.parent)
    return path


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


def words(session: Session) -> list[str | None]:
    return [part.text for message in session.messages for part in message.parts]


def test_normal(database: Path) -> None:
    sessions, report = load(database)
    assert set(sessions) == {"p1", "p2", "p3", "t1"}
    session = sessions["t1"]
    assert session.title == "Read the log of the lamp and tell me what broke, then mend whatever is broken…"
    assert (session.agent, session.directory, session.created) == ("memo-agent", None, 1_779_998_400_000)
    message, part = said(session, "violet heron")
    assert (part.tool, part.input, part.files) == ("ReadFile", {"path": "lamp/log.txt"}, ("lamp/log.txt",))
    assert (message.model, [each.status for each in message.parts]) == ("quill-1", ["completed", "pending"])
    assert (report.bytes, report.errors) == (database.stat().st_size, ())


def test_what_a_compression_copied_counts_once(database: Path) -> None:
    sessions, report = load(database)
    assert words(sessions["p2"])[1:] == ["and the roof?", "Slate."]
    assert words(sessions["p3"]) == ["and the sky?"]
    assert said(sessions["p2"], "amber harbour")[0].flags == Flag.SUMMARY
    assert [sessions[key].parent for key in ("p1", "p2", "p3")] == [None, "p1", "p2"]
    assert {sessions[key].title for key in ("p1", "p2", "p3")} == {"Paint the tower"}
    assert "9 messages that compressions had copied were counted once" in report.warnings


def test_what_no_later_session_carries_is_out_of_context(database: Path) -> None:
    sessions, _ = load(database)
    outside = [message.parts[0].text for message in sessions["p1"].messages if message.flags & Flag.OUT_OF_CONTEXT]
    assert outside == [
        "Red",
        "Primed it.",
        "and the door?",
        "The door is red too.",
        "now the railing",
        "The railing is black.",
    ]
    assert not any(message.flags & Flag.OUT_OF_CONTEXT for message in sessions["p2"].messages)


def test_sessions_that_only_begin_alike_are_left_alone(tmp_path: Path) -> None:
    path = write_memo(tmp_path / "sessions.db" / "sessions.db")
    connection = sqlite3.connect(path)
    add_memo_session(connection, "x1", "x")
    add_memo_session(connection, "x2", "x", parent="x1")
    add_memo_session(connection, "x3", "x", parent="x3")
    for key in ("x1", "x2", "x3"):
        add_memo_message(connection, key, "user", "hello there")
        add_memo_message(connection, key, "assistant", "hello")
    connection.commit()
    connection.close()
    sessions, _ = load(path)
    assert all(words(sessions[key]) == ["hello there", "hello"] for key in ("x1", "x2", "x3"))


def test_the_described_schema(tmp_path: Path, seal: Seal) -> None:
    path = write_memo_described(tmp_path / "profiles" / "sessions.db")
    age(path)
    seal(path.parent)
    sessions, report = load(path)
    session = sessions["d1"]
    assert (session.title, report.malformed) == ("Wind the clock", ())
    assert said(session, "jade lantern")[0].flags == Flag.SUMMARY
    assert session.messages[-1].parts[0].input == {"command": "wind"}


def test_damaged_rows_are_counted(database: Path) -> None:
    _, report = load(database)
    assert [(bad.location[-8:], bad.reason) for bad in report.malformed] == [
        ("messages", "its tool calls are no JSON list")
    ]


def test_odd_rows_are_kept(tmp_path: Path) -> None:
    path = write_memo(tmp_path / "a" / "sessions.db")
    connection = sqlite3.connect(path)
    add_memo_session(connection, "odd", "")
    add_memo_message(connection, "odd", "oracle", "a riddle")
    add_memo_message(connection, "odd", "user", b"caf\xff")
    add_memo_message(connection, "odd", "assistant", "gull " * 30_000 + "phrase at the end")
    add_memo_message(connection, "odd", "tool", "an answer to nothing", answers="c9")
    connection.commit()
    connection.close()
    session = load(path)[0]["odd"]
    assert [message.role for message in session.messages] == ["system", "user", "assistant", "tool"]
    assert (said(session, "caf\ufffd")[0].role, session.title) == ("user", "caf\ufffd")
    assert said(session, "phrase at the end")


def test_units_and_signatures(tmp_path: Path) -> None:
    path = write_memo(tmp_path / "a" / "sessions.db")
    source = MemoAgent(path)
    units = {unit.key: source.signature(unit) for unit in source.units()}
    connection = sqlite3.connect(path)
    add_memo_message(connection, "p1", "user", "one more")
    connection.commit()
    connection.close()
    after = {unit.key: source.signature(unit) for unit in source.units()}
    assert [key for key in units if units[key] != after[key]] == ["p1"]
    source.close()


def test_databases_that_are_not_its_own(tmp_path: Path) -> None:
    (tmp_path / "sessions.db").write_bytes(b"no database at all")
    assert open_sources(tmp_path) == []
    other = write_opencode(tmp_path / "opencode")
    with pytest.raises(OSError, match="not a schema of memo-agent"):
        list(MemoAgent(other).units())
    assert open_source(other).name == "opencode"


def test_a_database_under_another_name(tmp_path: Path) -> None:
    path = write_memo(tmp_path / "a" / "backup.db")
    assert open_source(path).name == "memo-agent"


def test_an_empty_database(tmp_path: Path) -> None:
    path = write_memo(tmp_path / "a" / "sessions.db")
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM messages")
    connection.execute("DELETE FROM sessions")
    connection.commit()
    connection.close()
    assert load(path)[0] == {}


def test_places(tmp_path: Path) -> None:
    write_memo(tmp_path / ".memo-agent" / "sessions.db")
    write_memo(tmp_path / ".memo-agent" / "profiles" / "night" / "sessions.db")
    found = [Path(source.location).relative_to(tmp_path).as_posix() for source in discover({}, tmp_path)]
    assert found == [".memo-agent/sessions.db", ".memo-agent/profiles/night/sessions.db"]


@pytest.mark.shared
def test_a_real_store(shared: Path) -> None:
    path = shared / "stores" / "memo-agent" / "profile" / "sessions.db"
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    count = {
        table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("sessions", "messages")
    }
    answers = connection.execute("SELECT count(*) FROM messages WHERE role = 'tool'").fetchone()[0]
    parents = dict(connection.execute("SELECT id, parent_session_id FROM sessions WHERE parent_session_id IS NOT NULL"))
    # The chain's copies have the time at which their session was made.
    copies = connection.execute(
        "SELECT count(*) FROM messages m JOIN sessions s ON s.id = m.session_id AND s.parent_session_id IS NOT NULL "
        "WHERE m.created_at = s.created_at AND m.role != 'tool' AND NOT EXISTS (SELECT 1 FROM messages o "
        "WHERE o.id = m.id AND m.content LIKE '[Previous%' AND s.id LIKE 'af00%')"
    ).fetchone()[0]
    connection.close()
    sessions, report = load(path)
    assert (report.sessions, count["sessions"]) == (38, 38)
    assert report.messages == count["messages"] - answers - copies == 296
    assert (report.malformed, report.errors) == ((), ())
    assert {key: session.parent for key, session in sessions.items() if session.parent} == parents
    found = [
        (session, *said(session, "pewter gate")) for session in sessions.values() if "pewter gate" in repr(session)
    ]
    ((session, message, _),) = found
    assert (message.flags, session.title) == (
        Flag.SUMMARY,
        "Context: project ferry, ticket FERRY-202. Task: stop the nightly deadlocks.",
    )
    assert sum("after compaction 1: add the re-drive worker" in repr(session) for session in sessions.values()) == 1
    read = [
        part for session in sessions.values() for message in session.messages for part in message.parts if part.tool
    ]
    assert {(part.tool, part.status) for part in read} == {("ReadFile", "completed")}
    assert all(part.files for part in read)
