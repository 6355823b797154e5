"""Cursor's editor: bubbles, tools of every version, summaries, folders. Built from what is documented of it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from recall_rank.loaders import discover, open_source, open_sources, read_all
from recall_rank.loaders.cursor.composer import Composer
from recall_rank.loaders.cursor.rows import BY_KEY, path_of
from recall_rank.loaders.cursor.source import Cursor
from recall_rank.model import Flag, Message, Part, Session, SourceReport
from tests.fixtures.make_cursor import EMPTY, KV, MAIN, OLD, SUB, bubbles, composers, put, write_cursor
from tests.fixtures.make_fixtures import HOME, IMAGE, START
from tests.fixtures.odd_values import oddly
from tests.loaders.conftest import Seal, age

DATABASE = Path("User") / "globalStorage" / "state.vscdb"


@pytest.fixture
def folder(tmp_path: Path, seal: Seal) -> Path:
    """A quiet folder of the person's data."""
    path = write_cursor(tmp_path)
    for database in path.rglob("state.vscdb"):
        age(database)
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


def edit(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / DATABASE, isolation_level=None)


def test_normal(folder: Path) -> None:
    sessions, report = load(folder)
    assert (set(sessions), report.malformed, report.errors) == ({MAIN, OLD, SUB}, (), ())
    main = sessions[MAIN]
    assert (main.title, main.directory, main.created, main.updated, main.agent) == (
        "Trim sails",
        HOME,
        START,
        START + 9000,
        "cursor",
    )
    assert [message.id for message in main.messages] == ["b1", "b2", "b3", "b4", "b5", "b6", "b9"]
    assert [message.role for message in main.messages[:3]] == ["user", "assistant", "assistant"]
    assert [message.time for message in main.messages[:3]] == [START + 1000, START + 2000, 0]
    assert [message.model for message in main.messages[:3]] == [None, "quill-1", "quill-2"]
    assert said(main, "violet heron")[1].type == "reasoning"
    assert report.warnings == (f"1 messages of {MAIN} are listed but gone",)
    assert IMAGE[:80] not in repr(sessions)
    assert "walrus" not in repr(sessions)


def test_tools(folder: Path) -> None:
    sessions, _ = load(folder)
    _, part = said(sessions[MAIN], "jib: torn")
    assert (part.tool, part.input, part.files, part.status) == (
        "read_file_v2",
        {"target_file": "sails/jib.md"},
        ("sails/jib.md",),
        "completed",
    )
    _, part = said(sessions[MAIN], "RopeError")
    assert (part.error, part.input, part.status, part.flags) == (
        "RopeError: frayed",
        {"command": "hoist"},
        "error",
        Flag.ERROR,
    )
    _, part = said(sessions[OLD], "deck\nhold")  # kept apart from its bubble by older versions
    assert part.tool == "list_dir"


def test_what_else_a_bubble_holds(folder: Path) -> None:
    main = load(folder)[0][MAIN]
    _, part = said(main, "jib = new")
    assert (part.type, part.files) == ("patch", ("/sails/jib.py",))
    assert said(main, "Mended.")[1].type == "text"  # a block that repeats the text is left out
    assert said(main, "the fog came in")[1].flags == Flag.ERROR
    assert [part.type for part in main.messages[0].parts] == ["text", "file"]


def test_flags(folder: Path) -> None:
    sessions, _ = load(folder)
    main = sessions[MAIN]
    outside = [bool(message.flags & Flag.OUT_OF_CONTEXT) for message in main.messages]
    assert outside == [True, True, True, False, False, False, False]
    assert said(main, "amber harbour")[1].flags == Flag.SUMMARY
    assert main.messages[2].flags & Flag.SYNTHETIC  # not shown by Cursor itself
    assert said(main, "amber falcon")[0].flags == Flag.ABANDONED
    assert (sessions[OLD].flags, sessions[SUB].flags, sessions[SUB].parent) == (Flag.ARCHIVED, Flag.SUBAGENT, MAIN)


def test_folders_and_titles(folder: Path) -> None:
    sessions, _ = load(folder)
    assert (sessions[OLD].directory, sessions[SUB].directory) == ("/home/mara/deck", "/srv/hold two")
    assert (sessions[OLD].title, sessions[SUB].title) == ("Swab the deck, jade lantern", "Survey the hold")


@pytest.mark.parametrize(
    ("address", "path"),
    [
        (None, None),
        ("/plain/path", "/plain/path"),
        ("file:///c%3A/Users/mara", "c:/Users/mara"),
        ("vscode-remote://ssh-remote%2Bhost/srv/caf%C3%A9", "/srv/café"),
    ],
)
def test_addresses(address: str | None, path: str | None) -> None:
    assert path_of(address) == path


def test_places(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    for base in (".config", "Library/Application Support", "AppData/Roaming"):
        write_cursor(home / base)

    def names(**environ: str) -> list[str]:
        return [source.location for source in discover(environ, home)]

    bases = (".config", "Library/Application Support", "AppData/Roaming")
    assert names() == [str(home / base / "Cursor" / DATABASE) for base in bases]
    assert names(CURSOR_STATE_DB=str(folder / DATABASE))[0] == str(folder / DATABASE)
    found = {open_source(path).location for path in (folder, folder / "User", folder / DATABASE)}
    assert found == {str(folder / DATABASE)}
    assert [source.name for source in open_sources(folder.parent)] == ["cursor"] * 4


def test_the_database_of_another_editor_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "Code" / DATABASE
    path.parent.mkdir(parents=True)
    database = sqlite3.connect(path)
    database.execute(KV.format("ItemTable"))
    database.close()
    assert open_sources(tmp_path) == []
    with pytest.raises(OSError, match="not a schema of Cursor"):
        list(Cursor(path).units())


def test_damaged_rows_hide_no_others(tmp_path: Path) -> None:
    folder = write_cursor(tmp_path)
    database = edit(folder)
    put(database, f"bubbleId:{MAIN}:b2", "{torn")
    put(database, f"bubbleId:{MAIN}:b6", "[1]")
    put(database, f"bubbleId:{MAIN}:b5", b'{"type": 2, "text": "caf\xff"}')
    put(database, f"composerData:{OLD}", "{torn")
    put(database, f"bubbleId:{OLD}:n1", {"type": 7, "text": "a riddle"})
    put(database, f"bubbleId:{SUB}:n2", "")
    database.close()
    sessions, report = load(folder)
    assert sorted(bad.place for bad in report.malformed) == [
        f"row bubbleId:{MAIN}:b2",
        f"row bubbleId:{MAIN}:b6",
        f"row composerData:{OLD}",
    ]
    assert said(sessions[MAIN], "caf\ufffd")
    assert (said(sessions[OLD], "a riddle")[0].role, sessions[OLD].directory) == ("system", "/home/mara/deck")


def test_a_huge_row(tmp_path: Path) -> None:
    folder = write_cursor(tmp_path)
    database = edit(folder)
    put(database, f"bubbleId:{MAIN}:b5", {"type": 2, "text": "gull " * 30_000 + "phrase at the end"})
    database.close()
    assert said(load(folder)[0][MAIN], "phrase at the end")


def test_an_empty_database(tmp_path: Path) -> None:
    folder = write_cursor(tmp_path)
    database = edit(folder)
    database.execute("DELETE FROM cursorDiskKV")
    database.close()
    assert load(folder)[0] == {}


def test_units_and_signatures(tmp_path: Path) -> None:
    folder = write_cursor(tmp_path)
    source = Cursor(folder / DATABASE)
    before = {unit.key: source.signature(unit) for unit in source.units()}
    assert set(before) == {MAIN, OLD, SUB, EMPTY, "cleared"}
    database = edit(folder)
    put(database, f"bubbleId:{MAIN}:b2", {"type": 2, "text": "the same row, written anew"})
    plan = database.execute(f"EXPLAIN QUERY PLAN SELECT rowid, key {BY_KEY}", ("a", "b", 0)).fetchall()
    database.close()
    after = {unit.key: source.signature(unit) for unit in source.units()}
    assert [key for key in before if before[key] != after[key]] == [MAIN]
    assert "SEARCH" in str(plan)  # and no scan of gigabytes
    source.close()


def test_results_in_odd_forms(tmp_path: Path) -> None:
    folder = write_cursor(tmp_path)
    database = edit(folder)
    odd = {
        "name": "grep",
        "rawArgs": "{torn",
        "result": json.dumps([{"lines": ["one", "two"]}, 3]),
        "error": "plain failure",
    }
    put(database, f"bubbleId:{MAIN}:b3", {"type": 2, "toolFormerData": odd, "thinking": "just text"})
    database.close()
    _, part = said(load(folder)[0][MAIN], "plain failure")
    assert (part.input, part.status) == ("{torn", "error")


@pytest.mark.parametrize("seed", range(20))
def test_values_of_odd_types_stop_nothing(seed: int) -> None:
    for key, record in composers().items():
        stored = oddly(bubbles(), seed)
        rows = {name: row for name, row in stored.items() if isinstance(row, dict)} if isinstance(stored, dict) else {}
        composer = Composer(key, {**oddly(record, seed), "name": "kept"}, {**rows, "k": {"type": 1, "text": "kept"}})
        session = composer.session(None, "cursor")
        assert session is not None
        assert said(session, "kept")
