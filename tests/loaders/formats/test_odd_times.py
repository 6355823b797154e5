"""Times that no program should have written: the record keeps its text, its neighbours keep everything, the time is
reported and counts as unknown.
"""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recall_rank import Index
from recall_rank.loaders import open_source, read_all
from recall_rank.loaders.content.times import LATEST, millis, odd_time
from recall_rank.model import Session, SourceReport
from tests.fixtures import (
    make_chat_stores,
    make_codex,
    make_copilot,
    make_cursor,
    make_fixtures,
    make_gemini,
    make_hermes,
    make_markdown_stores,
    make_opencode_json,
    make_pi,
)
from tests.fixtures.make_fixtures import START
from tests.support.loaders.age import age

YESTERDAY = "2026-05-27T10:00:00+00:00"
UNREADABLE: dict[str, Any] = {
    "text": "yesterday", "negative": -5, "infinite": float("inf"), "true": True, "list": [1, 2], "object": {"at": 1},
    "huge": 2**70, "too late": LATEST, "day that does not exist": "2026-02-31T00:00:00Z", "digits": "9" * 40,
}  # fmt: skip
READABLE: dict[str, tuple[Any, int]] = {
    "ISO text": (YESTERDAY, 1_779_876_000_000),
    "ISO text without a zone": ("2026-05-27 10:00:00", 1_779_876_000_000),
    "seconds": (1_779_876_000, 1_779_876_000_000),
    "seconds with a fraction": (1_779_876_000.25, 1_779_876_000_250),
    "milliseconds": (1_779_876_000_000, 1_779_876_000_000),
    "digits": ("1779876000000", 1_779_876_000_000),
    "none": (None, 0),
    "zero": (0, 0),
    "no number": (float("nan"), 0),
}
UNKNOWN = ("none", "zero", "no number")
NOT_IN_SQLITE = {"list", "object", "huge", "true"}
Path_ = tuple[str, ...]


@dataclass(frozen=True)
class Store:
    """A store, and the places of its times."""

    write: Callable[[Path], Path]  # makes it in this folder; what is opened
    file: str  # the file that gets an odd time, as a pattern below the folder
    times: tuple[Path_, ...]  # of a record; (table, column) of a database


def _goose_files(folder: Path) -> Path:
    return make_chat_stores.write_goose_files(folder / "goose")


def _export(folder: Path) -> Path:
    make_opencode_json.write(folder / "export.json", make_opencode_json.exported())
    return folder / "export.json"


def _memo(folder: Path) -> Path:
    return make_chat_stores.write_memo(folder / "memo" / "sessions.db")


def _history(folder: Path) -> Path:
    return make_fixtures.write_history(folder / "h.jsonl")


def _cursor(folder: Path) -> Path:
    return make_cursor.write_cursor(folder) / "User" / "globalStorage" / "state.vscdb"


WRITTEN = re.compile(r"(_\*\*User \(|started at )\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
STAMP = (("timestamp",),)
FILES = {
    "claude-code": Store(make_fixtures.write_claude, f"**/{make_fixtures.MAIN}.jsonl", STAMP),
    "codex": Store(make_codex.write_codex, f"**/rollout-*{make_codex.MAIN}.jsonl", (*STAMP, ("payload", "timestamp"))),
    "gemini-cli": Store(
        make_gemini.write_gemini, "**/session-*.jsonl", (*STAMP, ("startTime",), ("$set", "lastUpdated"))
    ),
    "gemini-cli older": Store(
        make_gemini.write_gemini, "**/session-*.json", (("startTime",), ("messages", "timestamp"))
    ),
    "copilot-cli": Store(
        make_copilot.write_copilot, f"**/{make_copilot.MAIN}/events.jsonl", (*STAMP, ("data", "startTime"))
    ),
    "pi": Store(make_pi.write_pi, f"**/*{make_pi.FIRST}.jsonl", STAMP),
    "tallow": Store(lambda home: make_pi.write_tallow(home) / ".tallow", f"**/*{make_pi.SECOND}.jsonl", STAMP),
    "history": Store(_history, "h.jsonl", (("time",), ("created",), ("updated",))),
    "goose files": Store(_goose_files, "**/20250101_120000.jsonl", (("created",),)),
    "praisonai": Store(
        make_chat_stores.write_praison, "**/lens*.json",
        (("created_at",), ("updated_at",), ("messages", "timestamp")),
    ),
    "opencode-json message": Store(make_opencode_json.write_tree, "**/msg_03.json", (("time", "created"),)),
    "opencode-json session": Store(
        make_opencode_json.write_tree, "**/ses_a.json", (("time", "created"), ("time", "updated"))
    ),
    "opencode-export": Store(
        _export, "export.json", (("info", "time", "updated"), ("messages", "info", "time", "created"))
    ),
}  # fmt: skip
DATABASES = {
    "opencode": Store(
        make_fixtures.write_opencode, "opencode.db",
        (("session", "time_created"), ("session", "time_updated"), ("message", "time_created"),
         ("message", "time_updated"), ("part", "time_updated")),
    ),
    "hermes": Store(
        make_hermes.write_hermes, "state.db",
        (("sessions", "started_at"), ("sessions", "ended_at"), ("messages", "timestamp")),
    ),
    "memo-agent": Store(
        _memo, "**/sessions.db", (("sessions", "created_at"), ("sessions", "updated_at"), ("messages", "created_at"))
    ),
    "goose": Store(
        lambda folder: make_chat_stores.write_goose(folder / "goose") / "sessions.db", "**/sessions.db",
        (("sessions", "created_at"), ("sessions", "updated_at"), ("messages", "created_timestamp")),
    ),
}  # fmt: skip
# What tells only when a row changed is not read as a time, and so cannot be reported.
STICKING = ("yesterday", b"\xff", float("inf"), LATEST, LATEST - 1, START * 3)  # larger than any right time
UNREAD = {("message", "time_updated"), ("part", "time_updated")}


def planted(value: Any, path: Path_, odd: Any) -> bool:
    """Put the odd time at the path, in a list into its last object that has the path; whether there was one."""
    if isinstance(value, list):
        return any(planted(each, path, odd) for each in reversed(value))
    if not isinstance(value, dict) or path[0] not in value:
        return False
    if len(path) > 1:
        return planted(value[path[0]], path[1:], odd)
    value[path[0]] = odd
    return True


def plant_in_file(path: Path, where: Path_, odd: Any) -> None:
    if path.suffix == ".jsonl":
        records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert planted(records, where, odd)
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    else:
        document = json.loads(path.read_text("utf-8"))
        assert planted(document, where, odd)
        path.write_text(json.dumps(document, indent=2), "utf-8")


def plant_in_row(path: Path, where: Path_, odd: Any) -> None:
    """Put the odd time into a row inside a table that has one anyway; the schema may demand one."""
    table, column = where
    database = sqlite3.connect(path)
    (count,) = database.execute(f"SELECT count(*) FROM {table}").fetchone()
    (row,) = database.execute(f"SELECT rowid FROM {table} ORDER BY rowid LIMIT 1 OFFSET ?", (count // 4,)).fetchone()
    database.execute("PRAGMA writable_schema=1")
    database.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')")
    database.commit()
    database.close()
    database = sqlite3.connect(path)
    database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (odd, row))
    database.commit()
    database.close()
    age(path)


def loaded(where: Path) -> tuple[dict[str, Session], SourceReport]:
    sessions, (report,) = read_all([open_source(where)])
    return {session.id: session for session in sessions}, report


def texts(sessions: dict[str, Session]) -> dict[str, list[Any]]:
    """Everything but times, in the stored order."""
    return {key: [(one.id, one.role, one.parts, one.flags) for one in each.messages] for key, each in sessions.items()}


def together(said: dict[str, list[Any]]) -> list[Any]:
    """Every message without its flags, which depend on the session that it counts in."""
    return sorted((message[:3] for message in itertools.chain(*said.values())), key=repr)


def times(sessions: dict[str, Session]) -> Iterator[tuple[Any, int]]:
    for session in sessions.values():
        yield (session.id, "created"), session.created
        yield (session.id, "updated"), session.updated
        for message in session.messages:
            yield (session.id, message.id), message.time


FILE_PLACES = [(name, where) for name, store in FILES.items() for where in store.times]
ROW_PLACES = [(name, where) for name, store in DATABASES.items() for where in store.times]


def values_in_json() -> Iterator[tuple[Any, bool]]:
    """Yield the values, and whether each is reported: infinity and NaN are no JSON, and are read as null."""
    for name, value in UNREADABLE.items():
        yield value, name != "infinite"
    for name in UNKNOWN:
        yield READABLE[name][0], False


def values_in_rows() -> Iterator[tuple[Any, bool]]:
    yield b"\xff\x00\x80", True
    for name, value in UNREADABLE.items():
        if name not in NOT_IN_SQLITE:
            yield value, True
    for name in UNKNOWN:
        yield READABLE[name][0], False


@pytest.mark.parametrize(("name", "where"), FILE_PLACES, ids=[f"{name} {'.'.join(at)}" for name, at in FILE_PLACES])
def test_an_odd_time_in_a_file_costs_nothing_but_itself(tmp_path: Path, name: str, where: Path_) -> None:
    store = FILES[name]
    opened = store.write(tmp_path)
    (path, *_) = sorted(tmp_path.glob(store.file))
    before, clean = loaded(opened)
    for odd, reported in values_in_json():
        plant_in_file(path, where, odd)
        check(before, clean, *loaded(opened), reported=reported)


@pytest.mark.parametrize(("name", "where"), ROW_PLACES, ids=[f"{name} {'.'.join(at)}" for name, at in ROW_PLACES])
def test_an_odd_time_in_a_row_costs_nothing_but_itself(tmp_path: Path, name: str, where: Path_) -> None:
    store = DATABASES[name]
    opened = store.write(tmp_path)
    (path,) = tmp_path.glob(store.file)
    before, clean = loaded(opened)
    for odd, reported in values_in_rows():
        plant_in_row(path, where, odd)
        source = open_source(opened)
        assert all(source.signature(unit) for unit in source.units())
        check(before, clean, *loaded(opened), reported=reported and where not in UNREAD)


def check(
    before: dict[str, Session], clean: SourceReport, after: dict[str, Session], report: SourceReport, *, reported: bool
) -> None:  # fmt: skip
    assert not report.failures
    said, known_texts = texts(after), texts(before)
    # The time of a session tells which of two sessions copied a message: it may move, but it is not lost.
    assert together(said) == together(known_texts)
    assert all(said[key] == each for key, each in known_texts.items() if len(said[key]) == len(each))
    known = dict(times(before))
    changed = [
        key for key, time in times(after) if time != known.get(key, time) and key[1] not in {"created", "updated"}
    ]
    assert len(changed) <= 1
    assert all(type(time) is int and 0 <= time < LATEST for _, time in times(after))
    added = [bad.reason for bad in report.malformed if bad not in clean.malformed]
    assert len(added) == reported, added
    assert all("is no time" in reason for reason in added)


@pytest.mark.parametrize(
    ("key", "where"),
    [(f"composerData:{make_cursor.MAIN}", "createdAt"), (f"composerData:{make_cursor.OLD}", "createdAt"),
     (f"composerData:{make_cursor.MAIN}", "lastUpdatedAt"), (f"bubbleId:{make_cursor.MAIN}:b1", "createdAt")],
)  # fmt: skip
def test_an_odd_time_in_a_conversation_of_cursor_costs_nothing_but_itself(tmp_path: Path, key: str, where: str) -> None:
    path = make_cursor.write_cursor(tmp_path) / "User" / "globalStorage" / "state.vscdb"
    before, clean = loaded(path)
    for odd, reported in values_in_json():
        database = sqlite3.connect(path)
        (raw,) = database.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()
        make_cursor.put(database, key, {**json.loads(raw), where: odd})
        database.commit()
        database.close()
        age(path)
        check(before, clean, *loaded(path), reported=reported)


def test_an_odd_time_of_cursors_command_line_costs_nothing_but_itself(tmp_path: Path) -> None:
    folder = tmp_path / "chats" / "w" / make_cursor.AGENT
    path = make_cursor.write_store(folder, {"agentId": "a", "createdAt": START}, rooted=False)
    before, clean = loaded(path)
    for odd, reported in values_in_json():
        database = sqlite3.connect(path)
        database.execute("UPDATE meta SET value = ?", (json.dumps({"agentId": "a", "createdAt": odd}),))
        database.commit()
        database.close()
        age(path)
        check(before, clean, *loaded(path), reported=reported)


@pytest.mark.parametrize("date", ["2026-02-31 09:15:00", "2026-13-01 09:15:00", "0000-01-01 09:15:00"])
def test_a_day_that_does_not_exist_costs_a_page_nothing_but_itself(tmp_path: Path, date: str) -> None:
    for write, file in ((make_markdown_stores.write_aider, ".aider.chat.history.md"),
                        (make_markdown_stores.write_specstory, "**/*.md")):  # fmt: skip
        opened = write(tmp_path / write.__name__)
        before, clean = loaded(opened)
        path = next(each for each in sorted(opened.parent.rglob(file)) if WRITTEN.search(each.read_text("utf-8")))
        path.write_text(WRITTEN.sub(rf"\g<1>{date}", path.read_text("utf-8"), count=1), "utf-8")
        after, report = loaded(opened)
        # Of aider's chats the time is a part of the ids, of SpecStory's pages it is not.
        assert [list(map(len, each)) for each in texts(after).values()] == [
            list(map(len, each)) for each in texts(before).values()
        ]
        assert len(report.malformed) == len(clean.malformed) + 1
        assert "is no time" in report.malformed[-1].reason


@pytest.mark.parametrize(("name", "where"), ROW_PLACES, ids=[f"{name} {'.'.join(at)}" for name, at in ROW_PLACES])
def test_an_odd_time_makes_no_refresh_read_again(tmp_path: Path, name: str, where: Path_) -> None:
    store = DATABASES[name]
    opened = store.write(tmp_path)
    (path,) = tmp_path.glob(store.file)
    with Index.open(tmp_path / "index", create=True) as index:
        for odd in STICKING:
            plant_in_row(path, where, odd)
            index.refresh([open_source(opened)])
            again = index.refresh([open_source(opened)])
            assert (again.units, again.changed) == (0, False), odd


@pytest.mark.parametrize("where", DATABASES["opencode"].times, ids=".".join)
def test_an_odd_time_hides_no_later_change(tmp_path: Path, where: Path_) -> None:
    path = make_fixtures.write_opencode(tmp_path)
    with Index.open(tmp_path / "index", create=True) as index:
        for number, odd in enumerate(STICKING):
            plant_in_row(path, where, odd)
            index.refresh([open_source(path)])
            said = json.dumps({"type": "text", "text": f"the lamp burns, quokka{number}"})
            row = (said, START + 7000 + number)
            database = sqlite3.connect(path)
            database.execute("UPDATE part SET data = ?, time_updated = ? WHERE id = 'prt_msg_06_00'", row)
            database.commit()
            database.close()
            index.refresh([open_source(path)])
            assert index.search(f"quokka{number}", match="literal").results, odd


@pytest.mark.parametrize("name", READABLE)
def test_the_unit_of_a_time_is_told_by_its_size(name: str) -> None:
    value, expected = READABLE[name]
    assert millis(value) == expected
    assert millis(value.encode() if isinstance(value, str) else value) == expected
    assert odd_time(value) is None or name == "no number"


def test_the_reason_for_an_odd_time_is_short() -> None:
    for value in (*UNREADABLE.values(), b"\xff", b"x" * 10_000_000, 10**5000, float("nan"), False, [], [[0] * 99] * 99):
        assert millis(value) == 0
        reason = odd_time(value)
        assert reason is not None
        assert "is no time" in reason
        assert len(reason) < 120
