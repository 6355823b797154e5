"""A history in which nothing happens costs nothing: no session is read again, and of its files next to nothing."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from recall_rank.histories.cache.refresh import refresh
from recall_rank.loaders import open_sources
from tests.fixtures.make_codex import write_codex
from tests.fixtures.make_fixtures import write_claude, write_opencode
from tests.support.histories.rebuilt import refreshed
from tests.support.soak import LONG, times

LOOKS = times(20, 1_200)  # the long run looks for a minute
MOST_READ = 1 << 16  # bytes a look: headers and lists of a database, not what is said in it


def bytes_read() -> int:
    """What this process has read from files so far."""
    lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("rchar"))


def is_transcript(path: str) -> bool:
    """Codex keeps a list of its sessions' names besides, which is looked at each time."""
    return path.endswith(".jsonl") and not path.endswith("session_index.jsonl")


@pytest.mark.skipif(sys.platform != "linux", reason="only there the system counts what a process reads")
def test_beside_a_quiet_live_database_nothing_is_refreshed(tmp_path: Path) -> None:
    database = write_opencode(tmp_path / "opencode")
    with contextlib.closing(sqlite3.connect(database)) as program:  # open all the time, as an agent has it
        program.execute("PRAGMA journal_mode=WAL")
        row = ("prt_large", "msg_01", "ses_a", 1, 1, '{"type": "text", "text": "' + "lantern " * 500_000 + '"}')
        program.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
        program.commit()
        sources = open_sources(database)
        first = refreshed(tmp_path / "index", sources)
        files = {path: path.read_bytes() for path in (tmp_path / "index").iterdir()}
        assert database.with_name(f"{database.name}-wal").stat().st_size > MOST_READ * 10
        for _ in range(LOOKS):
            before = bytes_read()
            done = refresh(tmp_path / "index", sources, held=first.state)
            assert not done.report.changed
            assert done.report.units == 0
            assert bytes_read() - before < MOST_READ
            time.sleep(0.05 * LONG)
        assert {path: path.read_bytes() for path in (tmp_path / "index").iterdir()} == files


def test_an_idle_refresh_opens_no_transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    write_claude(home)
    write_codex(home)
    sources = open_sources(home)
    refreshed(tmp_path / "index", sources)
    given = os.open
    opened: list[str] = []

    def noted(path: Any, *arguments: Any, **options: Any) -> int:
        opened.append(os.fspath(path))
        return given(path, *arguments, **options)

    monkeypatch.setattr(os, "open", noted)
    assert not refresh(tmp_path / "index", sources).report.changed
    assert opened, "the index itself is opened"
    assert not [path for path in opened if is_transcript(path)]
    (transcript, *_) = sorted(path for path in home.rglob("*.jsonl") if is_transcript(str(path)))
    with transcript.open("ab") as file:
        file.write(b"\n")
    refresh(tmp_path / "index", sources)
    assert [path for path in opened if is_transcript(path)], "what changed is opened: the count can fail"
