"""Databases of running programs are read in every state they can be in, and stay unchanged."""

from __future__ import annotations

import ast
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import recall_rank.loaders
from recall_rank.loaders import open_source, read_all
from recall_rank.loaders.sqlite import copy_process
from recall_rank.loaders.sqlite import database as sqlite
from recall_rank.loaders.sqlite.database import Database
from recall_rank.loaders.sqlite.reader import RowReader
from tests.fixtures.make_fixtures import write_opencode
from tests.loaders.conftest import Seal, age, contents
from tests.support.soak import first_seed, portion, tried

ALL = "SELECT rowid, n FROM t WHERE rowid > ? ORDER BY rowid"

# Writes 100 rows that are checkpointed and 100 that are not, says so, then waits to be killed.
WRITER = """
import sqlite3, sys, time
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("PRAGMA journal_mode=WAL")
c.execute("PRAGMA wal_autocheckpoint=0")
c.execute("CREATE TABLE t (n integer)")
c.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(100)])
c.execute("PRAGMA wal_checkpoint(TRUNCATE)")
c.execute("BEGIN")
c.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(100, 200)])
c.execute("COMMIT")
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a script, wait for its first line, and kill it in the end."""
    started: list[subprocess.Popen[str]] = []

    def run(script: str, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", script, *map(str, arguments)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def rows(database: Path) -> list[int]:
    return [row[1] for row in Database(database).read(lambda reader: reader.fetch(ALL))]


@pytest.mark.parametrize("shared_memory", [True, False], ids=["with -shm", "without -shm"])
@pytest.mark.parametrize("alive", [True, False], ids=["live", "crashed"])
def test_a_write_ahead_log_is_read_and_left_alone(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]], seal: Seal, alive: bool, shared_memory: bool
) -> None:
    database = tmp_path / "live" / "opencode.db"
    database.parent.mkdir()
    writer = start(WRITER, database)
    if not alive:
        writer.kill()
        writer.wait()
    if not shared_memory:
        copy = tmp_path / "other" / "opencode.db"
        copy.parent.mkdir()
        for suffix in ("", "-wal"):
            shutil.copy2(str(database) + suffix, str(copy) + suffix)
        database = copy
    before = contents(database.parent)
    assert rows(database) == list(range(200))
    after = contents(database.parent)
    shm = str(database) + "-shm"  # only SQLite itself may touch its bytes
    assert {key: held for key, held in after.items() if key != shm} == {
        key: held for key, held in before.items() if key != shm
    }
    assert (shm in after) == (shm in before)


@pytest.mark.parametrize("alive", [True, False], ids=["live", "crashed"])
def test_a_folder_that_may_not_be_written(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]], alive: bool, seal: Seal
) -> None:
    database = tmp_path / "live" / "opencode.db"
    database.parent.mkdir()
    writer = start(WRITER, database)
    if not alive:
        writer.kill()
        writer.wait()
    database.parent.chmod(0o500)
    try:
        assert rows(database) == list(range(200))
    finally:
        database.parent.chmod(0o700)


def test_a_refused_connection_falls_back_to_a_copy(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "opencode.db"
    start(WRITER, database)
    real = sqlite._connect

    def refuse(path: Path, mode: str, **more: bool) -> sqlite3.Connection:
        if mode == "mode=ro":
            error = sqlite3.OperationalError("attempt to write a readonly database")
            error.sqlite_errorname = "SQLITE_READONLY_DIRECTORY"
            raise error
        return real(path, mode, **more)

    monkeypatch.setattr(sqlite, "_connect", refuse)
    assert rows(database) == list(range(200))


def quiet(database: Path, count: int = 50) -> Path:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE t (n integer)")
        connection.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(count)])
    connection.close()
    age(database)
    return database


def test_a_quiet_database_is_read_without_a_child(tmp_path: Path, seal: Seal, monkeypatch: pytest.MonkeyPatch) -> None:
    database = quiet(tmp_path / "store.db")
    seal(tmp_path)
    monkeypatch.setattr(sqlite, "_copy_by_child", None)
    assert rows(database) == list(range(50))
    database.chmod(0o400)
    seal(tmp_path)
    assert rows(database) == list(range(50))


def test_a_young_database_is_copied(tmp_path: Path, seal: Seal) -> None:
    database = quiet(tmp_path / "store.db")
    os.utime(database)
    seal(tmp_path)
    with Database(database) as opened:
        for _ in range(2):  # the copy serves as long as nothing changes
            assert len(opened.read(lambda reader: reader.fetch(ALL))) == 50


def test_a_hot_rollback_journal_is_rolled_back_in_the_copy(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]], seal: Seal
) -> None:
    database = quiet(tmp_path / "store.db", 2000)
    script = """
        import sqlite3, sys, time
        c = sqlite3.connect(sys.argv[1], isolation_level=None)
        c.execute("PRAGMA cache_size=1")
        c.execute("BEGIN")
        c.execute("UPDATE t SET n = -1")
        c.execute("CREATE TABLE more AS SELECT * FROM t")
        print("ready", flush=True)
        time.sleep(600)
    """
    writer = start(textwrap.dedent(script), database)
    writer.kill()
    writer.wait()
    assert database.with_name("store.db-journal").stat().st_size
    age(database)
    seal(tmp_path)
    assert rows(database) == list(range(2000))


def test_a_change_under_an_immutable_read_is_read_again(tmp_path: Path) -> None:
    database = quiet(tmp_path / "store.db")
    seen = []

    def fetch(reader: RowReader) -> list[tuple[object, ...]]:
        found = reader.fetch(ALL)
        seen.append(len(found))
        if len(seen) == 1:
            with sqlite3.connect(database) as connection:
                connection.execute("INSERT INTO t VALUES (99)")
            connection.close()
        return found

    assert len(Database(database).read(fetch)) == 51
    assert seen == [50, 51]


def test_a_database_that_always_changes_is_an_error(tmp_path: Path) -> None:
    database = quiet(tmp_path / "store.db")
    count = iter(range(100, 200))

    def fetch(reader: RowReader) -> None:
        reader.fetch(ALL)
        os.utime(database, (1000, next(count)))

    with pytest.raises(OSError, match="changed during every attempt"):
        Database(database).read(fetch)


def test_a_kept_connection_sees_what_came_later(tmp_path: Path) -> None:
    database = quiet(tmp_path / "store.db")
    with Database(database) as opened:
        assert len(opened.read(lambda reader: reader.fetch(ALL))) == 50
        with sqlite3.connect(database) as connection:
            connection.execute("INSERT INTO t VALUES (99)")
        connection.close()
        assert len(opened.read(lambda reader: reader.fetch(ALL))) == 51


def test_what_is_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="not a regular file"):
        rows(tmp_path)
    with pytest.raises(FileNotFoundError):
        rows(tmp_path / "gone.db")


# --- transactions ----------------------------------------------------------------------------------


def test_transactions_are_short_and_lose_nothing(tmp_path: Path) -> None:
    database = quiet(tmp_path / "store.db", 1000)
    connection = sqlite3.connect(database, isolation_level=None)
    now = [0.0]

    def clock() -> float:
        now[0] += 0.03
        return now[0]

    reader = RowReader(connection, clock)
    assert [row[1] for row in reader.fetch(ALL)] == list(range(1000))
    assert reader.transactions >= 4
    assert reader.fetch_few("SELECT count(*) FROM t") == [(1000,)]
    reader.finish()
    assert not connection.in_transaction
    connection.close()


def test_a_small_read_is_one_transaction(tmp_path: Path) -> None:
    database = quiet(tmp_path / "store.db")

    def fetch(reader: RowReader) -> int:
        reader.fetch(ALL)
        reader.fetch(ALL)
        return reader.transactions

    assert Database(database).read(fetch) == 1


# --- the copying child -----------------------------------------------------------------------------


def test_the_child_copies_database_and_log(tmp_path: Path) -> None:
    database, folder = tmp_path / "a.db", tmp_path / "private"
    folder.mkdir()
    for suffix, data in (("", b"main"), ("-wal", b"log")):
        copy_process.companion_file(database, suffix).write_bytes(data)
    assert copy_process.main([str(database), str(folder)]) == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"copy.db": b"main", "copy.db-wal": b"log"}


def test_the_child_refuses_what_is_missing_or_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert copy_process.main([str(tmp_path), str(tmp_path)]) == 1
    assert "not a regular file" in capsys.readouterr().err
    (tmp_path / "x.db").symlink_to(tmp_path / "gone")
    assert copy_process.copy_database(tmp_path / "gone.db", tmp_path)  # nothing there, nothing copied: opening says so


def test_the_child_gives_up_on_what_never_rests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "a.db"
    database.write_bytes(b"x")
    count = iter(range(10_000))
    monkeypatch.setattr(copy_process, "file_states", lambda _: [(1, 1, next(count)), None, None])
    monkeypatch.setattr(copy_process, "TRIES", 3)
    assert copy_process.main([str(database), str(tmp_path)]) == copy_process.RESTLESS
    assert "changed during every attempt" in capsys.readouterr().err
    monkeypatch.setattr(copy_process, "file_states", lambda _: [(1, 1, 1), (1, 1, 1), None])
    assert not copy_process.copy_database(database, tmp_path)  # the log went away in between


def test_what_cannot_be_copied_is_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database whose program began to write while it was copied is read beside the program."""
    database = quiet(tmp_path / "store.db", 3)
    os.utime(database)  # just touched, no log: to be copied
    copied: list[Path] = []
    programs: list[sqlite3.Connection] = []

    def restless(path: Path, *_: object) -> None:
        copied.append(path)
        programs.append(sqlite3.connect(database))
        programs[-1].execute("PRAGMA journal_mode=WAL")
        programs[-1].execute("INSERT INTO t VALUES (99)")
        programs[-1].commit()
        raise sqlite._ChangedError

    monkeypatch.setattr(sqlite, "_copy_by_child", restless)
    assert len(rows(database)) == 4
    assert len(copied) == 1
    programs[0].close()


def test_a_failing_child_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "store.db"
    quiet(database)
    os.utime(database)
    monkeypatch.setattr(sqlite.copy_process, "__file__", str(tmp_path / "nowhere.py"))
    with pytest.raises(OSError, match="could not be copied"):
        rows(database)
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(OSError, match="no Python to start"):
        rows(database)


def test_no_room_for_a_copy_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = quiet(tmp_path / "store.db")
    os.utime(database)
    monkeypatch.setattr(sqlite.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0))  # type: ignore[attr-defined]
    with pytest.raises(OSError, match="no room"):
        rows(database)


def test_a_damaged_copy_is_not_read(tmp_path: Path) -> None:
    database = quiet(tmp_path / "store.db", 5000)
    data = bytearray(database.read_bytes())
    data[8192:12288] = b"\x11" * 4096
    database.write_bytes(data)
    with pytest.raises(OSError, match="SQLite"):
        rows(database)


# --- beside a writer -------------------------------------------------------------------------------

BUSY_WRITER = """
import random, sqlite3, sys
path, seed = sys.argv[1], int(sys.argv[2])
random.seed(seed)
def connect():
    c = sqlite3.connect(path, isolation_level=None, timeout=30)
    c.execute("PRAGMA journal_mode=WAL")
    return c
c = connect()
print("ready", flush=True)
while True:
    step = random.random()
    try:
        if step < 0.9:
            c.execute("BEGIN IMMEDIATE")
            n = c.execute("SELECT max(n) FROM t").fetchone()[0] + 1
            for _ in range(7):
                c.execute("INSERT INTO t VALUES (?)", (n,))
            c.execute("COMMIT")
            with open(path + ".said", "w") as f:
                f.write(str(n))
        elif step < 0.97:
            c.execute("PRAGMA wal_checkpoint(%s)" % random.choice(["PASSIVE", "RESTART", "TRUNCATE"]))
        elif step < 0.98:
            c.execute("VACUUM")
        else:
            c.close()
            c = connect()
    except sqlite3.OperationalError:
        pass
"""


def test_beside_a_writer_that_is_killed_again_and_again(tmp_path: Path) -> None:
    """Each read sees whole transactions of seven rows, none older than the last committed one, without an error."""
    database = tmp_path / "store.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE t (n integer)")
        connection.execute("INSERT INTO t VALUES (0)")
    connection.close()
    snapshots = portion(120, 2_000)
    tried(snapshots)
    said = Path(str(database) + ".said")
    store = Database(database)
    taken = 0
    seed = first_seed()
    while taken < snapshots:
        seed += 1
        writer = subprocess.Popen([sys.executable, "-c", BUSY_WRITER, str(database), str(seed)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        until = time.monotonic() + 0.02 + 0.2 * (seed % 7) / 7
        killed = False
        while not killed:
            killed = time.monotonic() > until
            if killed:  # the last look is at what a crash left behind
                writer.send_signal(signal.SIGKILL)
                writer.wait()
            known = int(said.read_text() or 0) if said.exists() else 0
            found = store.read(
                lambda reader: reader.fetch_few("SELECT n, count(*) FROM t WHERE n > 0 GROUP BY n ORDER BY n")
            )
            assert all(count == 7 for _, count in found)
            assert [n for n, _ in found] == list(range(1, len(found) + 1))
            assert len(found) >= known
            taken += 1
        writer.stdout.close()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="needs /proc/locks")
def test_locks_of_this_process_survive(tmp_path: Path) -> None:
    database = write_opencode(tmp_path / "opencode", journal="WAL")
    host = sqlite3.connect(database, isolation_level=None)
    host.execute("BEGIN")
    host.execute("SELECT * FROM part").fetchall()
    nodes = {str(path.stat().st_ino) for path in database.parent.glob("opencode.db*")}

    def held() -> Counter[tuple[str, ...]]:
        """The locks of this process on the database: their kinds, files and ranges."""
        lines = [line.split()[1:] for line in Path("/proc/locks").read_text().splitlines()]
        mine = [line for line in lines if len(line) == 7 and line[3] == str(os.getpid())]
        return Counter(tuple(line) for line in mine if line[4].rpartition(":")[2] in nodes)

    before = held()
    assert before
    source = open_source(database.parent)
    read_all([source])
    for unit in source.units():
        source.signature(unit)
    assert before <= held()  # a connection of the loader may have some beside them
    host.execute("ROLLBACK")
    host.close()


def test_no_loader_opens_a_database_as_a_file() -> None:
    """Closing a file drops all locks of the process on it: two modules open files, and neither opens a database. A
    third opens folders.
    """
    folder = Path(recall_rank.loaders.__file__).parent
    openers = {
        "open",
        "fdopen",
        "mmap",
        "copyfile",
        "copy",
        "copy2",
        "copyfileobj",
        "read_bytes",
        "read_text",
        "open_regular",
    }
    found = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                wraps = ast.unparse(node.func) == "unpacker.open"  # of a file that is open already
                if name in openers and not wraps:
                    found.add(path.relative_to(folder).as_posix())
    assert found == {"files/regular_files.py", "sqlite/copy_process.py", "store_places.py"}
    places = (folder / "store_places.py").read_text()
    assert places.count("os.open(") == len(re.findall(r"os\.open\([\w.]+, _FOLDER \|", places))
    assert "O_DIRECTORY" in places
    database_side = (folder / "sqlite/database.py").read_text() + (folder / "opencode/source.py").read_text()
    assert "loaders.files" not in database_side
