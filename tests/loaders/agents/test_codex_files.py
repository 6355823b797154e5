"""Codex's files: what grows, the index beside them, packed ones, where they lie, and a real store."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders import open_source, open_sources, read_all
from recall_rank.loaders.codex import index as codex_index
from recall_rank.loaders.codex import source as codex
from recall_rank.loaders.codex.source import Codex
from recall_rank.loaders.files import archives
from recall_rank.model import Flag, Message
from tests.fixtures.make_codex import FORK, MAIN, OLD, main_rollout, write_codex
from tests.fixtures.make_fixtures import lines
from tests.loaders.conftest import Seal, age
from tests.support.loaders.finding import load, parts_of, places, said, views

NAME = f"rollout-2026-05-28T20-26-40-{MAIN}.jsonl"


@pytest.fixture
def home(tmp_path: Path, seal: Seal) -> Path:
    folder = write_codex(tmp_path)
    age(folder / "state_5.sqlite")
    return seal(folder)


def whole(path: Path, data: bytes) -> dict[str, Message]:
    """Every message of a file with this content."""
    path.write_bytes(data)
    (unit,) = Codex(path).units()
    return {message.id: message for session in Codex(path).read(unit).sessions for message in session.messages}


# --- reading on, and what else changes ----------------------------------------------------------------


def test_a_growing_file_is_always_seen_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.touch()
    for data, known in views(Codex(path), path, lines(main_rollout().records)):
        assert known == whole(path, data)


def test_signatures_change_with_the_file_and_its_name_in_the_index(tmp_path: Path) -> None:
    home = write_codex(tmp_path)
    before = {unit.key: Codex(home).signature(unit) for unit in Codex(home).units()}
    assert {unit.key: Codex(home).signature(unit) for unit in Codex(home).units()} == before
    with sqlite3.connect(home / "state_5.sqlite") as connection:
        connection.execute("UPDATE threads SET name='Renamed' WHERE id=?", (MAIN,))
    connection.close()
    after = {unit.key: Codex(home).signature(unit) for unit in Codex(home).units()}
    assert [key for key in before if before[key] != after[key]] == [f"sessions/2026/05/28/{NAME}"]


def test_an_index_that_cannot_be_read_hides_nothing(tmp_path: Path) -> None:
    home = write_codex(tmp_path)
    (home / "state_6.sqlite").write_bytes(b"not a database " * 300)  # the newest version counts
    age(home / "state_6.sqlite")
    sessions, report = load(home)
    assert len(sessions) == 4
    assert "names of sessions are not known" in report.warnings[0]
    assert sessions[MAIN].title == "Why is the foghorn so loud? See horn.c"


def test_parents_that_only_the_index_knows(tmp_path: Path) -> None:
    home = write_codex(tmp_path)
    with sqlite3.connect(home / "state_5.sqlite") as connection:
        connection.execute("CREATE TABLE thread_spawn_edges (parent_thread_id TEXT, child_thread_id TEXT)")
        connection.execute("INSERT INTO thread_spawn_edges VALUES (?, ?)", (FORK, MAIN))
    connection.close()
    main = load(home)[0][MAIN]
    assert (main.parent, main.flags) == (FORK, Flag.SUBAGENT)
    (home / "state_7.sqlite").write_bytes(b"")
    assert codex_index.threads_of(home)[0][FORK].title == "Smaller valve"


def test_packed_rollouts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = write_codex(tmp_path)
    folder = home / "sessions" / "2026" / "05" / "28"
    (folder / f"{NAME}.zst").write_bytes(b"\x28\xb5\x2f\xfd")  # beside its plain twin: passed over
    assert not load(home)[1].errors
    (folder / NAME).rename(tmp_path / "kept.jsonl")
    monkeypatch.setattr(archives.importlib, "import_module", _no_module)
    sessions, report = load(home)
    assert MAIN not in sessions
    assert len(sessions) == 3
    assert "packed by zstd" in report.errors[0]
    monkeypatch.setattr(archives.importlib, "import_module", lambda _: _Plain)
    (folder / f"{NAME}.zst").write_bytes((tmp_path / "kept.jsonl").read_bytes())
    assert load(home)[0][MAIN].title == "Quiet horn"
    monkeypatch.setattr(_Plain, "open", _Plain.broken)
    assert "damaged archive" in load(home)[1].errors[0]


def _no_module(name: str) -> Any:
    raise ImportError(name)


class _Plain:
    """Stands for a module that unpacks."""

    class ZstdError(Exception):
        pass

    @staticmethod
    def open(file: Any, mode: str) -> Any:
        assert mode == "rb"
        return file

    @staticmethod
    def broken(*_: Any) -> Any:
        raise _Plain.ZstdError("checksum")


# --- places --------------------------------------------------------------------------------------------


def test_every_way_to_name_a_store(home: Path) -> None:
    folder = home / "sessions" / "2026" / "05" / "28"
    assert [len(load(place)[0]) for place in (home, home / "sessions", folder)] == [4, 3, 3]
    assert list(load(folder / NAME)[0]) == [MAIN]
    assert load(home / "archived_sessions")[0][OLD].flags == Flag.ARCHIVED
    assert [source.location for source in open_sources(home.parent)] == [str(home)]


def test_stores_of_a_machine(home: Path, tmp_path: Path) -> None:
    assert [source.location for source in codex.stores({}, tmp_path)] == [str(home)]
    assert [source.location for source in codex.stores({"CODEX_HOME": str(home)}, tmp_path / "x")] == [str(home)]
    assert list(codex.stores({}, tmp_path / "x")) == []


def test_links_are_not_followed(tmp_path: Path, seal: Seal) -> None:
    home = write_codex(tmp_path)
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(lines(main_rollout().records))
    (home / "sessions" / "2026" / f"rollout-x-{MAIN}.jsonl").symlink_to(secret)
    seal(home)
    _, report = load(home)
    assert any("link that leads outside" in warning for warning in report.warnings)


# --- a real store ----------------------------------------------------------------------------------------


@pytest.mark.shared
def test_a_real_store(shared: Path) -> None:
    sessions, report = load(shared / "stores" / "codex")
    files = sorted((shared / "stores" / "codex").rglob("rollout-*.jsonl"))
    rows = [line for path in files for line in path.read_bytes().splitlines()]
    items = Counter(
        kind for line in rows if b'"type":"response_item"' in line for kind in ("message", "reasoning", "function_call")
        if b'"payload":{"type":"%b",' % kind.encode() in line
    )  # fmt: skip
    parts = [part for session in sessions.values() for part in parts_of(session)]
    kinds = Counter(part.type for part in parts)
    assert set(sessions) == {path.stem[-36:] for path in files}
    assert (report.malformed, report.errors, report.warnings) == ((), (), ())
    assert (kinds["reasoning"], kinds["tool"], kinds["compaction"]) == (items["reasoning"], items["function_call"], 1)
    answers = sum(message.role == "assistant" for session in sessions.values() for message in session.messages)
    assert answers == sum(b'"type":"token_usage_record"' in line for line in rows)
    failed = sum(b'"type":"function_call_output"' in line and b"exited with code 1" in line for line in rows)
    assert sum(part.status == "error" for part in parts) == failed == 6
    assert {part.tool for part in parts if part.tool} == {"exec_command"}


@pytest.mark.shared
def test_phrases_of_a_real_store(shared: Path) -> None:
    sessions, _ = load(shared / "stores" / "codex")
    job = next(session for session in sessions.values() if str(session.title).startswith("Show me the big log"))
    lost = places(job, "processed job_420 ")  # stands only in the events, not in the answers
    assert [message.flags for message, _ in lost] == [Flag.OUT_OF_CONTEXT] * 2
    assert said(job, "## Goal\nMake the client resilient.")[0].flags == Flag.SUMMARY
    assert places(job, "thundering herd comes from the cron fan-out")[0][1].type == "reasoning"
    assert all(part.error for _, part in places(job, "RuntimeError: SQLITE_BUSY"))
    (asked,) = [message for message, _ in places(job, "what was that error in the migration?")]
    assert (asked.role, asked.flags) == ("user", Flag.NONE)
    sources = read_all([open_source(shared / "stores" / "codex" / "sessions")])[1]
    assert sources[0].sessions == 4
