"""Limits of what is read: archives, texts, titles, sessions of one file, and what is told of what is left out."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from recall_rank import Recall
from recall_rank.loaders import open_source, open_sources, read_all
from recall_rank.loaders.aider.source import Aider
from recall_rank.loaders.files import blocks
from recall_rank.loaders.history_jsonl import HistoryJsonl
from recall_rank.loaders.limits import ReadingLimits, limits, size_text
from recall_rank.loaders.malformed import bounded_malformed, bounded_warnings
from recall_rank.loaders.specstory.source import SpecStory
from recall_rank.loaders.sqlite.database import Database
from recall_rank.loaders.sqlite.session_database import SessionDatabase
from recall_rank.model import BaseSource, Malformed, Reading, Session, Unit, progress
from recall_rank.model.serialize import source_to_dict
from tests.fixtures.make_bombs import BEFORE, BEHIND, MIB, message, session
from tests.fixtures.make_fixtures import write_history
from tests.fixtures.make_markdown_stores import aider, story
from tests.support.histories.every_store import STORES

PACKERS = {".gz": gzip.compress, ".xz": partial(lzma.compress, preset=0)}  # packed quickly; read like any other
LONG = b'{"t":"message","wide":"' + b"x" * (3 * MIB) + b'"}\n'


@pytest.fixture(autouse=True)
def limit(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv("RECALL_RANK_LIMITS", raising=False)
    return monkeypatch


def read(path: Path) -> Reading:
    source = HistoryJsonl(path)
    (unit,) = source.units()
    return source.read(unit)


def ids(reading: Reading) -> list[str]:
    return [session.id for session in reading.sessions]


def reasons(records: Sequence[Malformed]) -> list[str]:
    return [bad.reason for bad in records]


# --- limits themselves -----------------------------------------------------------------------------------


def test_limits_are_changed_by_name(limit: pytest.MonkeyPatch) -> None:
    assert limits() == ReadingLimits()
    limit.setenv("RECALL_RANK_LIMITS", " line=64M, sessions=7  unpacked=3G")
    assert limits() == ReadingLimits(line=64 * MIB, sessions=7, unpacked=3 << 30)
    limit.setenv("RECALL_RANK_LIMITS", "line=5")
    assert limits().line == MIB  # a block is as long
    assert [size_text(size) for size in (5, 1 << 20, 3 << 30, 1500)] == ["5 bytes", "1 MiB", "3 GiB", "1,500 bytes"]


@pytest.mark.parametrize("wrong", ["lines=5", "line", "line=-1", "line=5T", "line=5.5M"])
def test_a_wrong_limit_is_an_error_that_names_it(limit: pytest.MonkeyPatch, tmp_path: Path, wrong: str) -> None:
    limit.setenv("RECALL_RANK_LIMITS", wrong)
    with pytest.raises(ValueError, match=f"RECALL_RANK_LIMITS: '{wrong}' is not one of element, line, "):
        limits()


# --- archives ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_long_line_of_an_archive_is_passed_over(limit: pytest.MonkeyPatch, tmp_path: Path, suffix: str) -> None:
    limit.setenv("RECALL_RANK_LIMITS", "line=1M")
    path = tmp_path / f"h.jsonl{suffix}"
    path.write_bytes(PACKERS[suffix](BEFORE + LONG + BEHIND))
    reading = read(path)
    assert ids(reading) == ["s0", "s1"]
    assert reasons(reading.malformed) == [f"a line of {len(LONG) - 1:,} bytes: more than 1 MiB are not read"]


@pytest.mark.parametrize("suffix", PACKERS)
def test_an_archive_is_unpacked_up_to_the_limit(limit: pytest.MonkeyPatch, tmp_path: Path, suffix: str) -> None:
    limit.setenv("RECALL_RANK_LIMITS", "unpacked=2M")
    path = tmp_path / f"h.jsonl{suffix}"
    path.write_bytes(PACKERS[suffix](BEFORE + LONG + BEHIND))
    reading = read(path)
    assert ids(reading) == ["s0"]
    assert reasons(reading.malformed) == ["unpacks to more than 2 MiB: the rest is not read"]


def test_an_archive_that_needs_too_much_memory_is_an_error(limit: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl.xz"
    path.write_bytes(lzma.compress(BEFORE, preset=6))
    limit.setenv("RECALL_RANK_LIMITS", "unpacker=1M")
    sessions, (report,) = read_all([HistoryJsonl(path)])
    assert (sessions, report.errors) == ([], (f"{path}: needs more than 1 MiB of memory to unpack",))


def test_the_streams_of_an_archive_are_read_up_to_what_is_none(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl.xz"
    path.write_bytes(lzma.compress(BEFORE) + b"\0" * 8 + lzma.compress(BEHIND) + b"\0" * 4)
    assert (ids(read(path)), read(path).malformed) == (["s0", "s1"], [])
    path.write_bytes(lzma.compress(BEFORE) + b"no stream")
    assert (ids(read(path)), read(path).malformed) == (["s0"], [])
    path.write_bytes(lzma.compress(BEFORE + BEHIND * 1000)[:-40])
    assert reasons(read(path).malformed) == ["damaged archive: it ends inside a stream"]


# --- sparse files --------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "SEEK_HOLE"), reason="this system does not tell holes")
def test_holes_and_stored_bytes_alternate(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    with path.open("wb") as file:
        file.seek(5 * MIB)
        file.write(BEFORE)
        file.seek(64 * MIB, os.SEEK_CUR)
        file.write(b"\n" + BEHIND)
        file.truncate(100 * MIB)
    with path.open("rb", buffering=0) as file:
        found = list(blocks.read_blocks(file))
    assert sum(block.size if isinstance(block, blocks.Hole) else len(block) for block in found) == 100 * MIB
    assert sum(map(len, found)) < 3 * MIB
    reading = read(path)
    assert (ids(reading), reading.resume) == (["s0", "s1"], None)


def test_a_system_that_tells_no_holes_reads_all_bytes(limit: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit.setattr(blocks, "_SEEK_DATA", -1)
    limit.setenv("RECALL_RANK_LIMITS", "line=1M")
    path = tmp_path / "h.jsonl"
    path.write_bytes(BEFORE)
    os.truncate(path, len(BEFORE) + 8 * MIB)
    reading = read(path)
    assert (ids(reading), len(reading.malformed)) == (["s0"], 1)


# --- Markdown ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "text"), [(Aider, aider()), (SpecStory, story())])
def test_a_long_line_and_a_long_text(
    limit: pytest.MonkeyPatch, tmp_path: Path, kind: type[Aider | SpecStory], text: str | bytes
) -> None:
    path = tmp_path / "one.md"
    good = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(good + b"\n" + b"wide " * MIB + b"\nbehind it\n" + b"more\n" * 100_000)
    source = kind(path)
    (unit,) = source.units()
    limit.setenv("RECALL_RANK_LIMITS", "line=1M text=2M")
    reading = source.read(unit)
    said = json.dumps([part.text for each in reading.sessions for one in each.messages for part in one.parts])
    assert "behind it" in said
    assert "wide wide" not in said
    first, second = reasons(reading.malformed)[:2]
    assert first.startswith("a line of 5,242,880 characters")
    assert second == "more than 2 MiB of text: the rest is not read"


# --- sessions of one file ------------------------------------------------------------------------------------


def test_of_too_many_sessions_the_last_are_kept(limit: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit.setenv("RECALL_RANK_LIMITS", "sessions=4")
    path = tmp_path / "h.jsonl"
    path.write_bytes(b"".join(session(number) + message(number, "lit") for number in range(50)) + message(3, "late"))
    reading = read(path)
    assert ids(reading) == ["s46", "s47", "s48", "s49"]
    most = "more than 4 sessions or 524,288 messages in one file"
    assert list(reading.warnings) == [f"{most}: the first 46 sessions and 47 messages were left out"]


def test_of_too_many_messages_the_last_sessions_are_kept(limit: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit.setenv("RECALL_RANK_LIMITS", "messages=20")
    path = tmp_path / "h.jsonl"
    said = [session(at // 8) + message(at // 8, "lit").replace(b'"id": "m', b'"id": "m%d-' % at) for at in range(80)]
    path.write_bytes(b"".join(said))
    reading = read(path)
    assert [(each.id, len(each.messages)) for each in reading.sessions] == [("s8", 8), ("s9", 8)]
    path.write_bytes(
        session(0) + b"".join(message(0, "lit").replace(b'"id": "m', b'"id": "m%d-' % at) for at in range(80))
    )
    (only,) = read(path).sessions
    assert [each.id for each in only.messages] == [f"m{at}-0" for at in range(60, 80)]


def test_a_file_over_the_limit_is_read_whole_when_it_grows(limit: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit.setenv("RECALL_RANK_LIMITS", "sessions=4")
    path = tmp_path / "h.jsonl"
    path.write_bytes(b"".join(session(number) + message(number, "lit") for number in range(50)))
    with Recall([HistoryJsonl(path)], tmp_path / "cache") as recall:
        assert recall.refresh().sources[0].sessions == 4
        with path.open("ab") as file:
            file.write(session(50) + message(50, "the petrel"))
        (report,) = recall.refresh().sources
        assert (report.sessions, recall.search("petrel").results[0].session_id) == (4, "s50")
        assert "the first 47 sessions" in report.warnings[0]


# --- databases ---------------------------------------------------------------------------------------------

MESSAGES = {  # the table of each store in which a message is a row
    "opencode": "part",
    "hermes": "messages",
    "goose": "messages",
    "memo-agent": "messages",
    "cursor": "cursorDiskKV",
    "cursor-cli": "blobs",
}


def database(home: Path, store: str) -> Path:
    """The database of a store that is made below `home`."""
    STORES[store](home / "store")
    found = [path for path in home.rglob("*.*") if path.is_file() and path.read_bytes().startswith(b"SQLite format")]
    return max(found, key=lambda path: path.stat().st_size)


def multiply(path: Path, table: str, copies: int) -> None:
    """Insert many copies, with other keys, of the shortest row of a table; in Cursor's, of the shortest message."""
    connection = sqlite3.connect(path)
    columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
    row = min(
        connection.execute(f"SELECT * FROM {table}"), key=lambda row: ("bubble" not in str(row[0]), len(repr(row)))
    )
    for number in range(copies):
        key = f"{row[0]}{number}" if isinstance(row[0], str) else row[0] + 1000 + number
        marks = ", ".join("?" * len(columns))
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", (key, *row[1:]))
    connection.commit()
    connection.close()
    os.utime(path, (1_700_000_000, 1_700_000_000))


@pytest.mark.parametrize("store", MESSAGES)
def test_many_short_rows_of_a_session_count_for_the_memory_they_take(
    limit: pytest.MonkeyPatch, tmp_path: Path, store: str
) -> None:
    path = database(tmp_path, store)
    multiply(path, MESSAGES[store], 3000)
    source = open_source(path)
    assert "rows of more than" not in str([source.read(unit).malformed for unit in source.units()])
    limit.setenv("RECALL_RANK_LIMITS", "rows=1M listed=5")  # as much as 2,048 rows take
    found = [bad for unit in source.units() for bad in source.read(unit).malformed]
    assert "rows of more than 1 MiB together are not read" in reasons(found)
    assert sum(bad.count for bad in found) > 900
    assert len(found) < 30


@pytest.mark.parametrize("store", [store for store in MESSAGES if store != "cursor-cli"])
def test_of_too_many_sessions_of_a_database_the_last_are_kept(
    limit: pytest.MonkeyPatch, tmp_path: Path, store: str
) -> None:
    path = database(tmp_path, store)
    source = next(each for each in open_sources(tmp_path) if isinstance(each, SessionDatabase))
    keys = [unit.key for unit in source.units()]
    stored = Database(path).read(source.keys)
    assert sorted(stored) == keys
    assert len(set(keys)) > 1
    assert not source.warnings
    limit.setenv("RECALL_RANK_LIMITS", "sessions=1")
    assert [unit.key for unit in source.units()] == stored[-1:]
    assert source.warnings == [f"more than 1 sessions in one database: the first {len(keys) - 1} were left out"]
    limit.delenv("RECALL_RANK_LIMITS")
    assert [unit.key for unit in source.units()] == keys
    assert not source.warnings


# --- progress ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["", *(pytest.param(name, marks=pytest.mark.slow) for name in (".gz", ".xz"))])
@pytest.mark.parametrize("cached", [True, False])
def test_the_reading_of_a_large_file_is_reported(
    limit: pytest.MonkeyPatch, tmp_path: Path, cached: bool, suffix: str
) -> None:
    limit.setattr(progress, "LARGE", 2 * MIB)
    path = tmp_path / f"h.jsonl{suffix}"
    noise = b"".join(message(0, os.urandom(MIB // 2).hex()) for _ in range(8))
    path.write_bytes(PACKERS.get(suffix, bytes)(session(0) + noise + BEHIND))
    told: list[tuple[str, int, int | None]] = []
    with Recall([HistoryJsonl(path)], tmp_path / "cache" if cached else None) as recall:
        recall.prepare(lambda *stage: told.append(stage))
        found = [(done, total) for stage, done, total in told if stage == progress.FILE]
        assert len(found) >= 4
        assert found == sorted(found)
        assert found[-1] == (path.stat().st_size >> 20,) * 2
        told.clear()
        recall.refresh(None)
    assert told == []


# --- titles --------------------------------------------------------------------------------------------------


class Titled(BaseSource):
    """A source of one session whose title and folders have a million characters."""

    name = location = "titled"

    def units(self) -> list[Unit]:
        return [Unit("u", "titled")]

    def signature(self, unit: Unit) -> bytes:
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        wide = "wide " * 200_000
        return Reading([Session("s", (), wide, wide, wide, wide, repository=wide, source="titled")])


@pytest.mark.parametrize("cached", [True, False])
def test_long_titles_and_folders_are_cut(tmp_path: Path, cached: bool) -> None:
    with Recall([Titled()], tmp_path / "cache" if cached else None) as recall:
        ((found,),) = (recall.sessions(),)
    for name in (found.title, found.directory, found.project, found.worktree):
        assert name is not None
        assert (len(name), name[-1]) == (2000, "…")


def test_a_history_holds_no_long_title(tmp_path: Path) -> None:
    path = write_history(tmp_path / "h.jsonl", [{"t": "session", "id": "s", "title": "wide " * MIB}])
    assert len(read(path).sessions[0].title or "") == 2000


# --- what is told --------------------------------------------------------------------------------------------


def test_what_is_not_listed_is_counted() -> None:
    bad = [Malformed(f"file {number % 2}", f"line {number}", "torn") for number in range(5000)]
    found = bounded_malformed(bad)
    assert found[:1000] == bad[:1000]
    assert found[1000:] == [Malformed("", "line 1000 and on", "not listed one by one", 4000)]
    assert sum(each.count for each in bounded_malformed([*found, *found])) == 10_000
    assert bounded_warnings(list("ab") * 501)[-2:] == ["b", "2 more warnings are not listed"]


@pytest.mark.parametrize("cached", [True, False])
def test_every_report_counts_all_malformed_records(limit: pytest.MonkeyPatch, tmp_path: Path, cached: bool) -> None:
    limit.setenv("RECALL_RANK_LIMITS", "listed=5")
    path = tmp_path / "h.jsonl"
    path.write_bytes(BEFORE + b"{torn\n" * 1234 + BEHIND)
    for _ in range(2):  # the second time the report of the cache
        with Recall([open_source(path)], tmp_path / "cache" if cached else None) as recall:
            (report,) = recall.prepare(None)
            assert (report.malformed_count, len(report.malformed)) == (1234, 6)
            told = source_to_dict(report, verbose=True)
            assert (told["malformed"], told["malformed_records"][-1]["count"]) == (1234, 1229)
            assert recall.search("petrel").coverage.per_source[0].malformed_count == 1234
