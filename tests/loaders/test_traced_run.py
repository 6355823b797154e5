"""The shell command under strace: it opens no file of a history for writing and creates none beside it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures import (
    make_chat_stores,
    make_codex,
    make_copilot,
    make_cursor,
    make_fixtures,
    make_gemini,
    make_hermes,
    make_opencode_json,
    make_pi,
)
from tests.loaders.conftest import Seal, age, contents

WRITES = re.compile(r"\b(?:O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE)\b")
CHANGES = ("rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "link", "linkat")
CHANGES += ("symlink", "symlinkat", "truncate", "chmod", "fchmodat", "chown", "utimensat", "mknod", "mknodat")
CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)$")

# Where there is no strace, Python itself tells what it is about to do.
WATCHED = """
import json, os, sys
told = open(sys.argv[1], "a")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
def hook(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        mode, flags = arguments[1], arguments[2] or 0
        if flags & WRITING or (isinstance(mode, str) and set(mode) & set("wax+")):
            told.write(json.dumps([event, os.fsdecode(arguments[0])]) + "\\n")
    elif event.startswith(("os.", "shutil.")) and event.split(".")[1] in (
        "rename", "remove", "mkdir", "rmdir", "link", "symlink", "truncate", "chmod", "chown", "utime", "move", "rmtree"
    ):
        told.write(json.dumps([event, str(arguments[0])]) + "\\n")
    told.flush()
sys.addaudithook(hook)
sys.argv = ["recall-rank", *sys.argv[2:]]
from recall_rank.frontends.cli.main import main
main()
"""


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    """A folder with a store of every agent."""
    root = tmp_path / "stores"
    make_fixtures.write_history(root / "history.jsonl")
    make_fixtures.write_claude(root / "claude")
    age(make_fixtures.write_opencode(root / "opencode"))
    make_opencode_json.write_tree(root / "opencode-tree")
    for name, write in (("codex", make_codex.write_codex), ("gemini", make_gemini.write_gemini)):
        (root / name).mkdir()
        write(root / name)
    for name, store in (("copilot", make_copilot.write_copilot), ("cursor", make_cursor.write_cursor_cli)):
        (root / name).mkdir()
        store(root / name)
    age(make_hermes.write_hermes(root / "hermes"))
    make_pi.write_pi(root / "pi")
    make_pi.write_tallow(root / "tallow")
    make_chat_stores.write_praison(root / "praison")
    age(make_chat_stores.write_memo(root / "memo" / "sessions.db"))
    age(make_chat_stores.write_goose(root / "goose") / "sessions.db")
    return root


def changes(trace: str) -> Iterator[str]:
    """The system calls in a trace that may have changed a file."""
    for line in trace.splitlines():
        found = CALL.match(line)
        if found and (found[1] in CHANGES or WRITES.search(found[2])):
            yield line


def run(told: Path, *words: str) -> tuple[str, list[str]]:
    """The output of the command, and every system call of it and its children that may change a file."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(told.parent / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    start = "from recall_rank.frontends.cli.main import main; main()"
    if shutil.which("strace"):
        command = ["strace", "-f", "-qq", "-e", "trace=%file", "-o", str(told), sys.executable, "-c", start, *words]
    else:
        command = [sys.executable, "-c", WATCHED, str(told), *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode and "ptrace" in done.stderr:
        command = [sys.executable, "-c", WATCHED, str(told), *words]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    text = told.read_text() if told.exists() else ""
    return done.stdout, list(changes(text)) if text[:1] != "[" else text.splitlines()


COMMANDS = {
    "sources": ["sources", "--json"],
    "search": ["search", "lens motor", "--json"],
    "sessions": ["sessions", "--json"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_run_of_the_command_changes_nothing(stores: Path, tmp_path: Path, seal: Seal, name: str) -> None:
    seal(stores)
    output, changed = run(tmp_path / "told", *COMMANDS[name], "--history", str(stores))
    assert json.loads(output)["ok"]
    assert [line for line in changed if str(stores) in line] == []


def test_beside_a_running_program_nothing_but_its_shared_memory_changes(stores: Path, tmp_path: Path) -> None:
    database = stores / "opencode" / "opencode.db"
    writer = sqlite3.connect(database, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("UPDATE session SET title = 'while it runs' WHERE id = 'ses_a'")
    before = contents(stores)
    output, changed = run(tmp_path / "told", "sessions", "--json", "--history", str(database))
    assert "while it runs" in output
    # SQLite opens a log that is there as if it might write, also for those who only read.
    here = [line for line in changed if str(stores) in line]
    assert [line for line in here if not re.search(r"opencode\.db-(?:shm|wal)\b", line)] == []
    after = contents(stores)
    assert {path for path in after if after[path] != before.get(path)} <= {f"{database}-shm"}
    assert after.keys() == before.keys()
    writer.close()


@pytest.mark.shared
def test_a_run_over_real_stores_changes_nothing(shared: Path, tmp_path: Path, seal: Seal) -> None:
    seal(shared / "stores")
    output, changed = run(tmp_path / "told", "sources", "--json", "--history", str(shared / "stores"))
    assert len(json.loads(output)["sources"]) == 13
    assert [line for line in changed if str(shared) in line] == []


def test_what_changes_is_seen_in_a_trace() -> None:
    trace = """7 openat(AT_FDCWD, "/h/a", O_RDONLY|O_CLOEXEC) = 3
7 openat(AT_FDCWD, "/h/b", O_RDWR|O_CREAT, 0644) = 3
rename("/h/c", "/h/d") = 0
8 unlink("/h/e") = -1 ENOENT (No such file or directory)
8 stat("/h/f", {st_mode=S_IFREG|0644}) = 0"""
    assert [line[-20:] for line in changes(trace)] == [line[-20:] for line in trace.splitlines()[1:4]]
