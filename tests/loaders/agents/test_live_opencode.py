"""OpenCode's database beside an OpenCode that writes, tidies up and is killed: each look is whole, and none is old."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from recall_rank.loaders.opencode.source import OpenCode
from recall_rank.loaders.sqlite import database as sqlite
from tests.fixtures.make_fixtures import SCHEMA
from tests.support.soak import first_seed, portion, tried

SNAPSHOTS = portion(400, 10_000)
PARTS = 3  # of every message, in one transaction with it
KEPT = 40  # messages of a session, so that looks stay quick

# What it has committed stands in a file beside the database; it says so only after the commit.
WRITER = """
import json, random, sqlite3, sys
path, seed, parts, kept = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
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
            n = c.execute("SELECT coalesce(max(time_created), 0) FROM message").fetchone()[0] + 1
            session = f"ses_{n // kept:06}"
            known = "INSERT OR IGNORE INTO session VALUES (?, 'p', NULL, '/s', 'T', '1', NULL, 1, 1, NULL)"
            c.execute(known, (session,))
            c.execute("UPDATE session SET time_updated = ? WHERE id = ?", (n, session))
            said = json.dumps({"role": "user", "time": {"created": n}})
            c.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (f"msg_{n:08}", session, n, n, said))
            for at in range(parts):
                part = json.dumps({"type": "text", "text": f"words {n} {at} " + "x" * random.randrange(2000)})
                row = (f"prt_{n:08}_{at}", f"msg_{n:08}", session, n, n, part)
                c.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
            c.execute("COMMIT")
            with open(path + ".said", "r+") as f:
                f.write(f"{n:012}")
        elif step < 0.97:
            c.execute("PRAGMA wal_checkpoint(%s)" % random.choice(["PASSIVE", "RESTART", "TRUNCATE"]))
        elif step < 0.98:
            c.execute("VACUUM")
        else:
            c.close()
            c = connect()
    except sqlite3.OperationalError:
        if c.in_transaction:
            c.execute("ROLLBACK")
"""


class Looks:
    """What went wrong in all of them: errors, torn transactions, looks at an older state than the one committed."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.said = Path(f"{database}.said")
        self.said.write_text("0" * 12)
        self.wrong: Counter[str] = Counter()
        self.taken = 0
        self.seen = 0
        self.first_session = 0

    def look(self) -> None:
        """The newest two sessions as the loader sees them now; all of them every fiftieth time."""
        committed = int(self.said.read_text())
        source = OpenCode(self.database)
        self.taken += 1
        try:
            with source:
                units = [unit for unit in source.units() if self.taken % 50 == 0 or self._is_new(unit.key, committed)]
                readings = [source.read(unit) for unit in units]
        except OSError as error:
            self.wrong[f"error: {error}"] += 1
            return
        finally:
            source.close()
        times = []
        for reading in readings:
            self.wrong["malformed"] += len(reading.malformed)
            for message in (message for session in reading.sessions for message in session.messages):
                times.append(message.time)
                words = [str(part.text).split()[1:3] for part in message.parts]
                self.wrong["torn"] += words != [[str(message.time), str(at)] for at in range(PARTS)]
        times.sort()
        self.wrong["torn"] += times != list(range(times[0], times[-1] + 1)) if times else 0
        self.wrong["stale"] += (times[-1] if times else 0) < max(committed, self.seen)
        self.seen = max(self.seen, times[-1] if times else 0)

    def _is_new(self, session: str, committed: int) -> bool:
        return int(session.removeprefix("ses_")) >= committed // KEPT - 1


def torture(folder: Path, snapshots: int) -> Looks:
    """So many looks at a database whose writer is killed every half second."""
    database = folder / "opencode.db"
    connection = sqlite3.connect(database)
    connection.executescript(SCHEMA)
    connection.close()
    looks = Looks(database)
    seed = first_seed()
    while looks.taken < snapshots:
        seed += 1
        command = [sys.executable, "-c", WRITER, str(database), str(seed), str(PARTS), str(KEPT)]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        until = time.monotonic() + 0.2 + 0.6 * (seed % 7) / 7
        while time.monotonic() < until:
            looks.look()
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        looks.look()  # at what a crash left behind
    return looks


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_beside_an_opencode_that_is_killed_again_and_again(tmp_path: Path) -> None:
    looks = torture(tmp_path, SNAPSHOTS)
    tried(looks.taken)
    assert +looks.wrong == Counter()
    assert looks.seen > SNAPSHOTS // 10
    check = sqlite3.connect(looks.database)
    assert check.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    check.close()


def test_a_reader_that_ignores_the_log_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def immutable(database: sqlite.Database, state: sqlite.State) -> sqlite3.Connection:
        database._state = state
        return database._keep(sqlite._connect(database.path, "mode=ro&immutable=1"))

    monkeypatch.setattr(sqlite.Database, "_open", immutable)
    assert +torture(tmp_path, 40).wrong
