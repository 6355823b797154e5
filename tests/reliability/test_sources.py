"""Sources are never harmed and read as they are: what the tests of the loaders do not try."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from recall_rank.loaders import open_source, read_all
from recall_rank.loaders.sqlite import database as sqlite
from recall_rank.loaders.sqlite.database import Database
from tests.fixtures.make_bombs import database_of_rows
from tests.fixtures.make_fixtures import write_opencode
from tests.support.soak import LONG, times, tried

ALL = "SELECT rowid, n FROM t WHERE rowid > ? ORDER BY rowid"
ROWS = 50
LONGEST = 0.25  # seconds of CPU time that a read transaction may last

# A program does one of these to a database of ROWS rows, which it then keeps open; and how many rows are committed.
HELD = {
    "rollback journal, changed under an exclusive lock": (["BEGIN EXCLUSIVE", "UPDATE t SET n = -1"], 0),
    "rollback journal, an exclusive lock": (["BEGIN EXCLUSIVE"], 0),
    "rollback journal, changed pages on the disk": (
        ["PRAGMA cache_size=1", "BEGIN EXCLUSIVE", "UPDATE t SET n = -1", "CREATE TABLE more AS SELECT * FROM t"], 0,
    ),
    "rollback journal, a reserved lock": (["BEGIN IMMEDIATE", "UPDATE t SET n = -1"], 0),
    "rollback journal, locks that are kept": (["PRAGMA locking_mode=EXCLUSIVE", "UPDATE t SET n = n"], 0),
    "log, locks that are kept from the start": (
        ["PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=WAL", "INSERT INTO t VALUES (50)"], 1,
    ),
    "log, locks that are kept later": (
        ["PRAGMA journal_mode=WAL", "INSERT INTO t VALUES (50)", "PRAGMA locking_mode=EXCLUSIVE",
         "INSERT INTO t VALUES (51)"], 2,
    ),
    "log, a transaction under way": (
        ["PRAGMA journal_mode=WAL", "INSERT INTO t VALUES (50)", "BEGIN IMMEDIATE", "UPDATE t SET n = -1"], 1,
    ),
    "log, an exclusive transaction": (
        ["PRAGMA journal_mode=WAL", "INSERT INTO t VALUES (50)", "BEGIN EXCLUSIVE", "UPDATE t SET n = -1"], 1,
    ),
}  # fmt: skip
PROGRAM = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    connection.execute(statement)
print("ready", flush=True)
time.sleep(600)
"""


@contextmanager
def held(database: Path, *statements: str) -> Iterator[None]:
    """A program that has done something to a database and still has it open."""
    command = [sys.executable, "-c", PROGRAM, str(database), *statements]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            program.kill()


def rows(database: Database) -> list[int]:
    return [row[1] for row in database.read(lambda reader: reader.fetch(ALL))]


@pytest.mark.promise("S3")
@pytest.mark.parametrize("settled", [True, False], ids=["settled", "young"])
@pytest.mark.parametrize("state", HELD)
def test_a_database_under_a_lock_is_read(
    tmp_path: Path, state: str, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: a database with a log whose program keeps its locks was told to be locked."""
    monkeypatch.setattr(sqlite, "BUSY_MS", 50)
    database = tmp_path / "store.db"
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE t (n integer)")
    connection.executemany("INSERT INTO t VALUES (?)", [(number,) for number in range(ROWS)])
    connection.commit()
    connection.close()
    statements, more = HELD[state]
    with held(database, *statements):
        if settled:
            for path in tmp_path.iterdir():
                os.utime(path, (1000, 1000))
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if not path.name.endswith("-shm")}
        assert rows(Database(database)) == list(range(ROWS + more))
        after = {path.name: path.read_bytes() for path in tmp_path.iterdir() if not path.name.endswith("-shm")}
        assert after == before


@pytest.mark.promise("S3")
def test_the_sessions_of_a_locked_store_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_MS", 50)
    path = write_opencode(tmp_path / "opencode", journal="WAL")
    expected = {session.id for session in read_all([open_source(path)])[0]}
    change = "UPDATE session SET title = 'locked' WHERE id = 'ses_a'"
    with held(path, change, "PRAGMA locking_mode=EXCLUSIVE", change):
        sessions, (report,) = read_all([open_source(path)])
    assert report.errors == ()
    assert {session.id for session in sessions} == expected
    assert "locked" in {session.title for session in sessions}


@pytest.mark.promise("S5")
@pytest.mark.parametrize("live", [False, True], ids=["quiet", "live"])
def test_the_longest_transaction_of_a_loader(tmp_path: Path, live: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a database that is slow to read: SQLite is made to work longer for each row."""
    count = times(20_000, 1_000_000)
    path = database_of_rows(tmp_path / "opencode.db", count)
    longest, begun, transactions = 0.0, 0.0, 0
    real = sqlite._connect

    def traced(statement: str) -> None:
        nonlocal longest, begun, transactions
        if statement.startswith("BEGIN"):
            begun = time.thread_time()
            transactions += 1
        elif statement.startswith(("ROLLBACK", "COMMIT", "END")):
            longest = max(longest, time.thread_time() - begun)

    def connect(*arguments: object, **options: bool) -> sqlite3.Connection:
        connection = real(*arguments, **options)  # type: ignore[arg-type]
        connection.set_trace_callback(traced)
        connection.set_progress_handler(work, 1_000)
        return connection

    def work() -> None:
        until = time.thread_time() + (0 if LONG else 0.002)
        while time.thread_time() < until:
            pass

    monkeypatch.setattr(sqlite, "_connect", connect)
    program = sqlite3.connect(path, isolation_level=None)
    if live:
        program.execute("PRAGMA journal_mode=WAL")
        program.execute("UPDATE session SET title = 'Log 2'")
    for _ in range(3):  # a pause of the whole machine counts as time of this thread, but seldom comes again
        longest = 0.0
        read_all([open_source(path)])
        if longest <= LONGEST:
            break
    program.close()
    tried(transactions)
    assert transactions > 0
    assert 0 < longest <= LONGEST
