"""OpenCode's database: what a row becomes, and what damaged or newer databases still give."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from recall_rank.loaders import open_source, open_sources, read_all
from recall_rank.loaders.opencode.source import OpenCode
from recall_rank.model import Flag, Part, Session, SourceReport
from tests.fixtures.make_fixtures import (
    HOME,
    IMAGE,
    PARTS,
    SPILLED_WORD,
    START,
    add_message,
    add_session,
    write_opencode,
)
from tests.loaders.conftest import Seal, age
from tests.support.privileges import modes_bind


def load(where: Path) -> tuple[dict[str, Session], SourceReport]:
    sessions, (report,) = read_all([open_source(where)])
    return {session.id: session for session in sessions}, report


def parts(session: Session) -> list[Part]:
    return [part for message in session.messages for part in message.parts]


def test_normal(opencode: Path) -> None:
    sessions, report = load(opencode)
    first, child = sessions["ses_a"], sessions["ses_b"]
    assert (report.sessions, report.messages, report.parts) == (2, 8, sum(map(len, PARTS.values())) + 1)
    assert (report.malformed, report.errors, report.warnings) == ((), (), ())
    assert (report.bytes, report.newest) == (opencode.stat().st_size, START + 99)
    assert (first.directory, first.worktree, first.created, first.updated) == (HOME, HOME, START, START + 7)
    assert (first.agent, first.source, first.parent, first.flags) == ("opencode", "opencode", None, Flag.NONE)
    assert (child.parent, child.flags) == ("ses_a", Flag.SUBAGENT | Flag.ARCHIVED)
    assert child.title == "Survey (@explore subagent)"
    assert [message.id for message in first.messages] == [f"msg_0{n}" for n in range(1, 8)]
    assert (first.messages[0].model, first.messages[1].model, first.messages[0].agent) == (
        "quill-1",
        "quill-1",
        "build",
    )


def test_an_unnamed_session_is_called_after_its_first_prompt_without_the_quotes_of_run(opencode: Path) -> None:
    session = load(opencode)[0]["ses_a"]
    assert session.title == 'Oil the hinge, then say "done"'
    assert session.messages[0].parts[0].text == session.title


def test_every_part_type(opencode: Path) -> None:
    session = load(opencode)[0]["ses_a"]
    by_type = {part.type: part for part in parts(session)}
    ran, failed, spilled, running = [part for part in parts(session) if part.type == "tool"]
    assert (ran.tool, ran.input, ran.output, ran.title, ran.status) == (
        "bash",
        {"command": "oil --hinge", "cwd": HOME},
        "oiled",
        "Oil it",
        "completed",
    )
    assert ran.flags == Flag.PRUNED
    assert (failed.error, failed.output, failed.flags, failed.files) == (
        "File not found: gone.py",
        None,
        Flag.ERROR,
        (f"{HOME}/gone.py",),
    )
    assert SPILLED_WORD in str(spilled.output)
    assert (running.output, running.title, running.status, running.input) == (
        None,
        None,
        "running",
        {"command": "sleep 1"},
    )
    assert by_type["reasoning"].text == "The hinge squeaks, topaz crane."
    assert (by_type["subtask"].text, by_type["subtask"].prompt) == ("Survey hinges", "list them all")
    assert by_type["patch"].files == (f"{HOME}/hinge.py",)
    assert by_type["file"].files == ("hinge.png",)
    assert (by_type["retry"].error, by_type["retry"].flags) == ("429 from the harbour", Flag.ERROR)
    assert by_type["hologram"].text == "of a newer version"
    for wordless in ("step-start", "step-finish", "snapshot", "agent", "compaction"):
        assert by_type[wordless].text is None
    injected = next(part for part in parts(session) if part.text == "Injected file content")
    assert injected.flags == Flag.SYNTHETIC
    assert IMAGE[:60] not in repr(session)
    assert "a copy of everything" not in repr(session)


def test_compaction_and_summaries(opencode: Path) -> None:
    session = load(opencode)[0]["ses_a"]
    flags = {message.id: message.flags for message in session.messages}
    assert [key for key, flag in flags.items() if flag & Flag.OUT_OF_CONTEXT] == ["msg_01", "msg_02"]
    assert [key for key, flag in flags.items() if flag & Flag.SUMMARY] == ["msg_05"]  # {"diffs": []} is no summary
    assert [key for key, flag in flags.items() if flag & Flag.ERROR] == ["msg_07"]


def test_the_real_title_is_kept_and_reverted_messages_are_flagged(tmp_path: Path, seal: Seal) -> None:
    database = write_opencode(tmp_path / "opencode")
    with sqlite3.connect(database) as connection:
        connection.execute(
            "UPDATE session SET title='Hinges', revert=? WHERE id='ses_a'", (json.dumps({"messageID": "msg_06"}),)
        )
        connection.execute("UPDATE part SET data=? WHERE id='prt_msg_04_00'", (json.dumps({"type": "compaction"}),))
        connection.execute("UPDATE project SET worktree='/'")
    connection.close()
    seal(database.parent)
    session = load(database)[0]["ses_a"]
    assert (session.title, session.worktree, session.project) == ("Hinges", None, HOME)
    assert [m.id for m in session.messages if m.flags & Flag.ABANDONED] == ["msg_06", "msg_07"]
    assert [m.id for m in session.messages if m.flags & Flag.OUT_OF_CONTEXT] == ["msg_01", "msg_02", "msg_03"]


def test_empty_databases(tmp_path: Path, seal: Seal) -> None:
    nothing = tmp_path / "nothing" / "opencode.db"
    nothing.parent.mkdir()
    nothing.touch()
    bare = write_opencode(tmp_path / "bare")
    with sqlite3.connect(bare) as connection:
        for table in ("session", "message", "part"):
            connection.execute(f"DELETE FROM {table}")
    connection.close()
    for database in (nothing, bare):
        age(database)
        seal(database.parent)
        sessions, report = load(database)
        assert (sessions, report.errors, report.malformed) == ({}, (), ())


def test_bad_rows_are_counted_and_hide_nothing(tmp_path: Path, seal: Seal) -> None:
    database = write_opencode(tmp_path / "opencode")
    with sqlite3.connect(database) as connection:
        add_session(connection, "ses_c")
        add_message(
            connection,
            "ses_c",
            "msg_20",
            {"role": "user"},
            [{"type": "text", "text": text} for text in "abcdefg"],
            START,
        )
        spoilt = [b'{"type":"text","te', b"42", b"", b'{"type":"text","text":"Gr\xf6\xdfe \\ud83d"}']
        for index, data in enumerate(spoilt):
            connection.execute("UPDATE part SET data=CAST(? AS TEXT) WHERE id=?", (data, f"prt_msg_20_0{index}"))
        connection.execute("UPDATE part SET message_id='gone' WHERE id='prt_msg_20_04'")
        connection.execute("INSERT INTO message VALUES ('msg_21', 'ses_c', 9, 9, '{')")
        connection.execute(
            "INSERT INTO part VALUES ('prt_21', 'msg_21', 'ses_c', 9, 9, ?)",
            (json.dumps({"type": "text", "text": "kept"}),),
        )
    connection.close()
    seal(database.parent)
    sessions, report = load(database)
    assert [part.text for part in parts(sessions["ses_c"])] == ["kept", "Gr��e �", "f", "g"]
    assert [bad.place for bad in report.malformed] == [
        "row msg_21", "row prt_msg_20_00", "row prt_msg_20_01", "row prt_msg_20_02", "row prt_msg_20_04",
    ]  # fmt: skip
    assert {bad.location.rpartition(" ")[2] for bad in report.malformed} == {"message", "part"}
    assert len(sessions) == 3


def test_huge_row(tmp_path: Path, seal: Seal) -> None:
    database = write_opencode(tmp_path / "opencode")
    words = "a line of the log\n" * 200_000
    with sqlite3.connect(database) as connection:
        add_session(connection, "ses_c")
        add_message(connection, "ses_c", "msg_20", {"role": "user"}, [{"type": "text", "text": words}], START)
    connection.close()
    seal(database.parent)
    assert parts(load(database)[0]["ses_c"])[0].text == words


def test_a_spilled_output_that_is_gone_leaves_the_stored_part(tmp_path: Path, seal: Seal) -> None:
    database = write_opencode(tmp_path / "opencode")
    (database.parent / "tool-output" / "tool_big1").unlink()
    seal(database.parent)
    sessions, report = load(database)
    assert report.warnings == ("spilled outputs are gone, their previews are kept: tool_big1",)
    assert any("tick 0001" in str(part.output) for part in parts(sessions["ses_a"]))


def test_a_spilled_output_that_is_not_for_us_is_not_called_gone(tmp_path: Path) -> None:
    database = write_opencode(tmp_path / "opencode")
    (database.parent / "tool-output" / "tool_big1").chmod(0)
    with modes_bind():
        _, report = load(database)
    assert report.warnings == ("spilled outputs cannot be read, their previews are kept: tool_big1",)


def test_a_newer_schema_is_read_as_far_as_it_is_known(tmp_path: Path, seal: Seal) -> None:
    database = write_opencode(tmp_path / "opencode")
    with sqlite3.connect(database) as connection:
        connection.execute("ALTER TABLE session DROP COLUMN revert")
        connection.execute("ALTER TABLE session DROP COLUMN time_archived")
        connection.execute("ALTER TABLE part ADD COLUMN mood text")
        connection.execute("ALTER TABLE message DROP COLUMN time_updated")
        connection.execute("INSERT INTO session_message VALUES ('sm1', 'ses_a', '{}')")
        connection.execute("DROP TABLE project")
    connection.close()
    seal(database.parent)
    sessions, report = load(database)
    assert (report.parts, sessions["ses_a"].worktree) == (20, None)
    assert report.warnings == ("a newer schema: what is in its table session_message was not read",)
    assert all(open_source(database).signature(unit) for unit in open_source(database).units())


def test_a_schema_that_is_not_known_is_an_error(tmp_path: Path, seal: Seal) -> None:
    database = write_opencode(tmp_path / "opencode")
    with sqlite3.connect(database) as connection:
        connection.execute("ALTER TABLE part RENAME COLUMN data TO body")
    connection.close()
    seal(database.parent)
    _, report = load(database)
    assert report.failed
    assert "column data of part is missing" in report.errors[0]
    other = tmp_path / "other.db"
    other.write_bytes(database.read_bytes())
    age(other)
    with pytest.raises(ValueError, match="no history is recognised"):
        open_source(other)


def test_no_database_at_all(tmp_path: Path) -> None:
    missing = OpenCode(tmp_path / "opencode.db")
    garbage = tmp_path / "opencode-old.db"
    garbage.write_bytes(b"not a database " * 300)
    age(garbage)
    _, (first, second) = read_all([missing, open_source(garbage)])
    assert first.failed
    assert "no such database" in first.errors[0]
    assert second.failed
    assert "file is not a database" in second.errors[0]


def test_a_session_that_vanished_is_nothing(opencode: Path) -> None:
    source = OpenCode(opencode)
    (unit, _) = source.units()
    assert source.read(type(unit)("ses_gone", unit.location)).sessions == []
    assert source.signature(type(unit)("ses_gone", unit.location)) == b""


def test_a_damaged_page_fails_its_session_only(tmp_path: Path) -> None:
    database = write_opencode(tmp_path / "opencode")
    with sqlite3.connect(database) as connection:
        for number in range(3):
            add_session(connection, f"ses_{number}")
            add_message(
                connection,
                f"ses_{number}",
                f"msg_3{number}",
                {"role": "user"},
                [{"type": "text", "text": "x" * 90_000}],
                START,
            )
    connection.close()
    data = bytearray(database.read_bytes())
    at = data.rfind(b"x" * 1000)
    page = at // 4096 * 4096
    data[page - 4096 : page] = b"\xff" * 4096
    database.write_bytes(data)
    age(database)
    sessions, report = load(database)
    assert report.errors or report.malformed
    assert len(sessions) >= 3


def test_signatures_tell_what_changed(tmp_path: Path) -> None:
    database = write_opencode(tmp_path / "opencode")
    source = OpenCode(database)

    def signatures() -> dict[str, bytes]:
        return {unit.key: source.signature(unit) for unit in source.units()}

    before = signatures()
    assert signatures() == before
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE part SET time_updated=? WHERE session_id='ses_b'", (START + 500,))
    connection.close()
    os.utime(database, (1, 1))
    after = signatures()
    assert (after["ses_a"], after["ses_b"] == before["ses_b"]) == (before["ses_a"], False)


def test_any_name_is_recognised_by_its_tables(opencode: Path, tmp_path: Path) -> None:
    other = tmp_path / "mine.sqlite"
    other.write_bytes(opencode.read_bytes())
    age(other)
    assert open_source(other).name == "opencode"
    assert [source.location for source in open_sources(opencode.parent)] == [str(opencode)]
    assert open_source(opencode.parent).location == str(opencode)
