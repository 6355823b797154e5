"""What a user got wrong ends a command with one line and its status, never with a traceback, whatever the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recall_rank.frontends.cli.output.console import HITS, NOT_WRITTEN, USAGE
from tests.frontends.conftest import Run

DEMO = ("--history", "demo")
READING = [
    ("search", "token bucket", *DEMO),
    ("search", "token bucket", "--json", *DEMO),
    ("session-search", "token bucket", *DEMO),
    ("ask", "token bucket", "--for", "the decision", "--curator", "extractive", *DEMO),
    ("get", "demo-10", "demo-10-m2", *DEMO),
    ("context", "demo-10", "demo-10-m2", *DEMO),
    ("messages", "demo-10", *DEMO),
    ("sessions", *DEMO),
    ("chain", "demo-10", *DEMO),
    ("sources", *DEMO),
    ("refresh", *DEMO),
    ("stats", *DEMO),
    ("export", "demo-10", *DEMO),
    ("transcript", "demo-10", *DEMO),
    ("condense", "demo-10", "--query", "token bucket", *DEMO),
    ("notes", "suggest", "demo-10", *DEMO),
    ("build", "demo", "--workers", "1", "--out", "shards"),
    ("push", "shared", "--project", "*", *DEMO),
    ("demo", "token bucket"),
    ("hosts", "--no-check"),
    ("forget", "--list"),
    ("install", "codex", "--dry-run"),
    ("uninstall", "codex", "--dry-run"),
]
NAMING = [  # a place by a path that means nothing without a working directory
    ("search", "token bucket", "--cache", "here", *DEMO),
    ("search", "token bucket", "--history", "."),
    ("export", "demo-10", "--out", "page.md", *DEMO),
    ("transcript", "demo-10", "--out", "page.md", *DEMO),
    ("condense", "demo-10", "--query", "token bucket", "--out", "page.md", *DEMO),
    ("stats", "--svg", "page.svg", *DEMO),
    ("web", "demo-10", "--share", "page.html", *DEMO),
    ("build", "demo", "--workers", "1", "--out", "shards"),
    ("push", "shared", "--project", "*", *DEMO),
    ("compact", "status"),
    ("compact", "on", "--yes"),
    ("notes", "show"),
    ("notes", "add", "We use SQLite."),
    ("install", "codex", "--scope", "project", "--dry-run"),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, below in (("HOME", ""), ("XDG_CACHE_HOME", "caches"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / below))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("given", ["lines=3", "sessions=many", "sessions", "="])
def test_limits_that_do_not_exist(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("RECALL_RANK_LIMITS", given)
    for words in READING:
        done = run(*words)
        assert done.exit_code == USAGE, (words, done.output)
        said = done.stdout if "--json" in words else done.stderr
        assert f"RECALL_RANK_LIMITS: {given!r} is not one of " in said
        assert len(said.splitlines()) == 1


@pytest.mark.posix
@pytest.mark.parametrize("words", [*READING, *NAMING], ids=" ".join)
def test_a_working_directory_that_was_removed(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """What needs no directory goes on without it, the rest says what is wrong."""
    (home / "removed").mkdir()
    monkeypatch.chdir(home / "removed")
    (home / "removed").rmdir()
    done = run(*words)
    assert "Traceback" not in done.output
    if words in NAMING:
        assert done.exit_code in (USAGE, NOT_WRITTEN), done.output
        assert done.stderr.strip()
    else:
        assert done.exit_code == HITS, done.output


@pytest.mark.posix
@pytest.mark.parametrize(
    "words", [("--help",), ("help",), ("--version",), ("completion", "bash"), ("nosuch",), *READING], ids=" ".join
)
def test_a_stdout_that_cannot_be_written_to(home: Path, words: tuple[str, ...]) -> None:
    """Python itself would end with 120, after a traceback."""
    with Path(os.devnull).open("rb") as reading:
        done = subprocess.run(
            [sys.executable, "-m", "recall_rank", *words], stdout=reading, stderr=subprocess.PIPE, check=False, cwd=home
        )
    said = done.stderr.decode()
    assert "Traceback" not in said
    if words != ("nosuch",):
        assert done.returncode == NOT_WRITTEN, said
        assert "the answer could not be written: Bad file descriptor" in said
    else:
        assert done.returncode == USAGE
