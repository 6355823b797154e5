"""Damaged rows of databases: good rows beside bad ones are kept, and the bad ones are counted."""

from __future__ import annotations

import hashlib
import itertools
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders import open_source, read_all
from recall_rank.model import Part, SourceReport
from tests.fixtures import make_chat_stores, make_cursor, make_fixtures, make_hermes
from tests.fixtures.make_fixtures import START
from tests.support.loaders.age import age

HUGE = b"huge " * 700_000 + b"last heron"
WORDS = b"@words@"
_COUNT = itertools.count(1)


@dataclass(frozen=True)
class Rows:
    """A database of one agent."""

    write: Callable[[Path], Path]  # makes it in this folder; its path
    said: Callable[[sqlite3.Connection, Callable[[Any], bytes]], None]  # adds a message made of a JSON value
    value: Any  # that JSON value, with WORDS in it; the text itself where it is no JSON
    tables: tuple[str, ...]
    unknown: Any = None  # a value of a type that does not exist
    newer: str | None = None  # what makes the schema one that does not exist yet
    warned: bool = True  # of that


def _opencode(database: sqlite3.Connection, packed: Callable[[Any], bytes]) -> None:
    key = f"msg_x{next(_COUNT):03}"
    database.execute("INSERT INTO message VALUES (?, 'ses_a', ?, ?, ?)", (key, START + 500, START, '{"role": "user"}'))
    row = (f"prt_{key}", key, START, START, packed(OPENCODE.value))
    database.execute("INSERT INTO part VALUES (?, ?, 'ses_a', ?, ?, CAST(? AS TEXT))", row)


def _hermes(database: sqlite3.Connection, packed: Callable[[Any], bytes]) -> None:
    row = (make_hermes.MAIN, packed(HERMES.value), make_hermes.START + 500)
    sql = "INSERT INTO messages (session_id, role, tool_calls, timestamp) VALUES (?, 'assistant', CAST(? AS TEXT), ?)"
    database.execute(sql, row)


def _memo(database: sqlite3.Connection, packed: Callable[[Any], bytes]) -> None:
    row = ("t1", packed(MEMO.value), f"2026-05-28T23:00:{next(_COUNT) % 60:02}.000Z")
    sql = "INSERT INTO messages VALUES (NULL, ?, 'assistant', NULL, CAST(? AS TEXT), NULL, 0, ?)"
    database.execute(sql, row)


def _goose(database: sqlite3.Connection, packed: Callable[[Any], bytes]) -> None:
    sql = """INSERT INTO messages (session_id, role, content_json, created_timestamp)
        VALUES ('20260528_1', 'user', CAST(? AS TEXT), ?)"""
    database.execute(sql, (packed(GOOSE.value), make_chat_stores.SECOND + 500))


def _cursor(database: sqlite3.Connection, packed: Callable[[Any], bytes]) -> None:
    key = f"bubbleId:{make_cursor.MAIN}:x{next(_COUNT):03}"
    database.execute("INSERT INTO cursorDiskKV VALUES (?, CAST(? AS TEXT))", (key, packed(CURSOR.value)))


def _blob(database: sqlite3.Connection, packed: Callable[[Any], bytes]) -> None:
    data = packed({"role": "user", "n": next(_COUNT), "content": TEXT})
    database.execute("INSERT INTO blobs VALUES (?, ?)", (hashlib.sha256(data).hexdigest(), data))


def _call(words: str) -> list[dict[str, Any]]:
    return [{"id": f"x{next(_COUNT)}", "type": "function", "function": {"name": "say", "arguments": {"text": words}}}]


TEXT = WORDS.decode()
OPENCODE = Rows(
    make_fixtures.write_opencode,
    _opencode,
    {"type": "text", "text": TEXT},
    ("session", "message", "part"),
    {"type": "hologram", "text": TEXT},
    "INSERT INTO session_message VALUES ('x', 'ses_a', '{}')",
)
HERMES = Rows(
    make_hermes.write_hermes,
    _hermes,
    _call(TEXT),
    ("sessions", "messages"),
    newer="CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (99)",
)
MEMO = Rows(
    lambda folder: make_chat_stores.write_memo(folder / "memo" / "sessions.db"),
    _memo,
    _call(TEXT),
    ("sessions", "messages"),
    newer="ALTER TABLE messages ADD COLUMN hologram TEXT",
    warned=False,
)
GOOSE = Rows(
    lambda folder: make_chat_stores.write_goose(folder / "goose") / "sessions.db",
    _goose,
    [{"type": "text", "text": TEXT}],
    ("sessions", "messages"),
    [{"type": "hologram", "text": TEXT}],
    "INSERT INTO schema_version VALUES (99, NULL)",
)
CURSOR = Rows(
    lambda folder: make_cursor.write_cursor(folder) / "User" / "globalStorage" / "state.vscdb",
    _cursor,
    {"type": 1, "text": TEXT},
    ("cursorDiskKV", "ItemTable"),
    {"type": 77, "text": TEXT},
    "CREATE TABLE hologram (x)",
    warned=False,
)
STORE = Rows(
    lambda folder: make_cursor.write_store(folder / "chats" / "0" / "s", {"agentId": "s"}),
    _blob,
    {"role": "user", "content": TEXT},
    ("blobs", "meta"),
    {"role": "user", "content": [{"type": "hologram", "text": TEXT}]},
    "ALTER TABLE meta ADD COLUMN hologram TEXT",
    warned=False,
)
FORMATS = {"opencode": OPENCODE, "hermes": HERMES, "memo-agent": MEMO, "goose": GOOSE, "cursor": CURSOR, "cli": STORE}


class Store:
    def __init__(self, form: Rows, folder: Path) -> None:
        self.form = form
        self.path = form.write(folder)
        age(self.path)
        self.before, self.report = self.read()

    def read(self) -> tuple[dict[str, Part], SourceReport]:
        sessions, (report,) = read_all([open_source(self.path)])
        assert not report.errors
        return {f"{s.id} {m.id} {p.id}": p for s in sessions for m in s.messages for p in m.parts}, report

    @contextmanager
    def database(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.path)
        yield connection
        connection.commit()
        connection.close()
        age(self.path)

    def add(self, words: bytes, *, value: Any = None, keep: int | None = None) -> None:
        """Add a row of these words, with its JSON cut after the given number of bytes."""

        def packed(usual: Any) -> bytes:
            raw = json.dumps(usual if value is None else value).encode()
            return raw.replace(WORDS, words)[:keep]

        with self.database() as database:
            self.form.said(database, packed)

    def new(self) -> tuple[list[Part], SourceReport]:
        """The parts that are new; none of the earlier ones may be gone."""
        now, report = self.read()
        assert self.before.keys() <= now.keys()
        return [part for key, part in now.items() if key not in self.before], report

    def words(self) -> list[str]:
        """The added words, of a message or of a tool's input."""
        return [str(part.text or part.input["text"]) for part in self.new()[0]]


@pytest.fixture(params=FORMATS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Store(FORMATS[request.param], tmp_path)


def test_normal(store: Store) -> None:
    store.add(b"a new word: petrel")
    assert store.words() == ["a new word: petrel"]
    assert store.new()[1].malformed == store.report.malformed


def test_empty(store: Store) -> None:
    with store.database() as database:
        for table in store.form.tables:
            database.execute(f"DELETE FROM {table}")
    parts, report = store.read()
    assert (parts, report.malformed) == ({}, ())


def test_torn_rows_among_good_ones(store: Store) -> None:
    for number in range(4):
        store.add(f"good {number}".encode())
        store.add(b"torn: walrus", keep=-9)
    known = len(store.report.malformed)
    assert sorted(store.words()) == [f"good {number}" for number in range(4)]
    bad = store.new()[1].malformed[known:]
    assert len(bad) == 4
    assert len({record.place for record in bad}) == 4


@pytest.mark.parametrize("store", [key for key, form in FORMATS.items() if form.unknown is not None], indirect=True)
def test_an_unknown_type(store: Store) -> None:
    store.add(b"of a newer version", value=store.form.unknown)
    store.add(b"behind it")
    assert "behind it" in store.words()
    assert store.new()[1].malformed == store.report.malformed


def test_a_huge_row(store: Store) -> None:
    store.add(HUGE)
    store.add(b"behind it")
    assert sorted(store.words()) == ["behind it", HUGE.decode()]
    assert store.new()[1].malformed == store.report.malformed


def test_a_row_over_the_limit_is_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_RANK_LIMITS", "value=1M")
    for words in (b"before it", HUGE, b"behind it"):
        store.add(words)
    assert sorted(store.words()) == ["before it", "behind it"]
    (bad,) = set(store.new()[1].malformed) - set(store.report.malformed)
    assert bad.place.startswith("row ")
    assert bad.location.rpartition(" ")[2] in {"part", "messages", "cursorDiskKV", "blobs"}
    assert bad.reason == "a value of more than 1 MiB is not read"


def test_rows_that_take_too_much_together_are_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_RANK_LIMITS", "rows=4M")
    for words in (b"before it", HUGE, HUGE, b"behind it"):
        store.add(words)
    assert sorted(store.words()) == ["before it", "behind it", HUGE.decode()]
    (bad,) = set(store.new()[1].malformed) - set(store.report.malformed)
    assert bad.reason == "rows of more than 4 MiB together are not read"


def test_wrong_encoding_and_lone_surrogates(store: Store) -> None:
    for words in (b"latin caf\xe9.", b"half a pair \\ud83d.", b"separators \xe2\x80\xa8."):
        store.add(words)
    assert sorted(store.words()) == ["half a pair \ufffd.", "latin caf\ufffd.", "separators \u2028."]
    assert store.new()[1].malformed == store.report.malformed


def test_a_newer_version(store: Store) -> None:
    assert store.form.newer is not None
    with store.database() as database:
        database.executescript(store.form.newer)
    now, report = store.read()
    assert now == store.before
    assert report.malformed == store.report.malformed
    assert len(set(report.warnings) - set(store.report.warnings)) == store.form.warned
