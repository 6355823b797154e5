"""Files of settings and state that cannot be read, of every kind: none counts as absent, none is waited for."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.file_edits.record_files import RecordError, read_record_file, record_folder
from recall_rank.frontends.hosts.events.hook_settings import claude_settings_run, hook_command
from recall_rank.histories.records.forgotten import FORGOTTEN, UnreadableListError, forgotten
from recall_rank.histories.settings import settings
from recall_rank.histories.vocabulary_file import read_vocabulary
from tests.support.privileges import modes_bind

pytestmark = pytest.mark.posix
IGNORES = '[ignore]\nsessions = ["demo-10"]\n'


def link_to_nothing(path: Path) -> None:
    path.symlink_to(path.parent / "unmounted" / path.name)


def link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def folder_on_a_disk_that_is_not_there(path: Path) -> None:
    path.parent.rmdir()
    path.parent.symlink_to(path.parent.parent / "unmounted")


def pipe(path: Path) -> None:
    os.mkfifo(path, 0o600)


def folder(path: Path) -> None:
    path.mkdir()


def unreadable(path: Path) -> None:
    path.write_text(IGNORES, encoding="utf-8")
    path.chmod(0)


def nested(path: Path) -> None:
    path.write_text("a = " + "[" * 100_000 + "]" * 100_000 + "\n", encoding="utf-8")
    path.chmod(0o600)


def too_large(path: Path) -> None:
    """What decides stands behind the bytes that are read."""
    path.write_text("# a comment\n" * (1 << 21) + IGNORES, encoding="utf-8")
    path.chmod(0o600)


def not_utf_8(path: Path) -> None:
    path.write_bytes(b"\xff\xfe[ignore]")
    path.chmod(0o600)


SPOILED = (
    link_to_nothing,
    link_to_itself,
    folder_on_a_disk_that_is_not_there,
    pipe,
    folder,
    unreadable,
    nested,
    too_large,
    not_utf_8,
)
spoiled = pytest.mark.parametrize("spoil", SPOILED)


def answered(ask: Callable[[], Any]) -> Any:
    """Return what a function returns, or the error that it raises. It must end: a pipe is not waited for."""
    said: list[Any] = []

    def run() -> None:
        with modes_bind():
            try:
                said.append(ask())
            except Exception as error:  # noqa: BLE001 - the tests look at it
                said.append(error)

    asking = threading.Thread(target=run, daemon=True)
    asking.start()
    asking.join(20)
    assert not asking.is_alive(), "it waits for a pipe"
    return said[0]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, below in (("HOME", ""), ("XDG_CACHE_HOME", "caches"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / below))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.chdir(tmp_path)
    for each in ("settings", "caches"):
        (tmp_path / each / "recall_rank").mkdir(parents=True, mode=0o700)
    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    (tmp_path / "calls.jsonl").write_text(
        '{"id": 1, "tool": "recall", "args": {"query": "token bucket"}}\n', encoding="utf-8"
    )
    return tmp_path


@spoiled
def test_settings_never_count_as_none(home: Path, spoil: Callable[[Path], None]) -> None:
    path = home / "settings" / "recall_rank" / "config.toml"
    spoil(path)
    said = answered(settings)
    assert isinstance(said, ValueError)
    assert str(path) in str(said)


@spoiled
def test_a_vocabulary_is_a_problem(home: Path, spoil: Callable[[Path], None]) -> None:
    path = home / "settings" / "recall_rank" / "vocabulary.toml"
    spoil(path)
    found = answered(read_vocabulary)
    assert found.vocabulary is None
    assert found.problem.startswith(f"{path} is not used: ")


@pytest.mark.parametrize("spoil", [each for each in SPOILED if each not in (nested, not_utf_8)])
def test_a_list_of_forgotten_sessions_never_counts_as_none(home: Path, spoil: Callable[[Path], None]) -> None:
    cache = home / "caches" / "recall_rank"
    spoil(cache / FORGOTTEN)
    said = answered(lambda: forgotten(cache))
    assert isinstance(said, UnreadableListError)
    assert str(cache) in str(said)


@pytest.mark.parametrize("spoil", [each for each in SPOILED if each is not folder_on_a_disk_that_is_not_there])
def test_a_record_is_an_error(home: Path, spoil: Callable[[Path], None]) -> None:
    place = record_folder("kind")
    assert place is not None
    place.mkdir(parents=True, mode=0o700)
    spoil(place / "one.json")
    said = answered(lambda: read_record_file("kind", "one.json"))
    assert isinstance(said, RecordError)
    assert str(place / "one.json") in str(said)


@spoiled
def test_settings_of_a_host_run_nothing(home: Path, spoil: Callable[[Path], None]) -> None:
    (home / ".claude").mkdir()
    event = "SessionStart"
    group = {"hooks": [{"command": hook_command(("recall-rank",), "claude-code", event)}]}
    (home / ".claude" / "settings.json").write_text(json.dumps({"hooks": {event: [group]}}), encoding="utf-8")
    assert claude_settings_run(event, str(home), {}, home)
    (home / ".claude" / "settings.json").unlink()
    spoil(home / ".claude" / "settings.json")
    assert answered(lambda: claude_settings_run(event, str(home), {}, home)) is False


COMMANDS = [
    ("search", "token bucket"),
    ("search", "token bucket", "--no-cache"),
    ("search", "token bucket", "--json"),
    ("session-search", "token bucket"),
    ("ask", "token bucket", "--for", "the decision", "--curator", "extractive"),
    ("get", "demo-10", "demo-10-m2"),
    ("context", "demo-10", "demo-10-m2"),
    ("messages", "demo-10"),
    ("sessions",),
    ("chain", "demo-10"),
    ("sources",),
    ("refresh",),
    ("stats",),
    ("open", "demo-10"),
    ("copy", "demo-10", "demo-10-m2"),
    ("reopen", "demo-10"),
    ("export", "demo-10"),
    ("transcript", "demo-10"),
    ("condense", "demo-10", "--query", "token bucket"),
    ("notes", "suggest", "demo-10"),
    ("web", "demo-10", "--share", "page.html"),
    ("batch", "--calls", "calls.jsonl", "--out", "-"),
    ("push", "shared", "--project", "*"),
    ("build", "history.jsonl", "--workers", "1", "--out", "shards"),
]


@pytest.mark.parametrize("spoil", [link_to_nothing, pipe, nested, too_large])
def test_no_command_reads_what_such_settings_may_ignore(home: Path, spoil: Callable[[Path], None]) -> None:
    path = home / "settings" / "recall_rank" / "config.toml"
    spoil(path)
    for words in COMMANDS:
        named = [] if words[0] == "build" else ["--history", "history.jsonl"]
        done = answered(lambda words=words, named=named: CliRunner().invoke(cli, [*words, *named]))
        assert done.exit_code == 2, (words, done.output)
        assert str(path) in done.output
        assert "Rate limit" not in done.output
        assert "Traceback" not in done.output
    assert not list((home / "caches" / "recall_rank").iterdir())
    assert not (home / "page.html").exists()
