"""The command `browse` on a terminal: what it prints, how it ends, and bare `recall-rank`."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("textual")

from recall_rank import Recall
from recall_rank.frontends.cli.browse.entries import entry_of_session
from recall_rank.frontends.cli.browse.export import file_name
from recall_rank.frontends.cli.browse.outcome import printed
from recall_rank.frontends.cli.browse.terminal import page
from recall_rank.frontends.cli.commands.hits import browse
from recall_rank.loaders import open_sources
from recall_rank.model import Session
from tests.frontends.conftest import Run
from tests.support.frontends.own_history import write_own_history
from tests.support.frontends.process import ROOT, recall_rank


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The demo history as one of OpenCode, whose folder is there."""
    return write_own_history(tmp_path, tmp_path)


def on_terminal(
    words: Sequence[object], typed: Sequence[tuple[str, str]], home: Path, *, stdin: int | None = None, **env: str
) -> tuple[int, str, str]:
    """Return exit status, stdout and what was drawn of `recall-rank WORDS`, whose controlling terminal is a new one.

    `typed` has pairs: what must have been drawn behind that of the pair before, and what is typed then. stdout is a
    pipe, as in a script.
    """
    command = [sys.executable, "-m", "recall_rank", *map(str, words)]
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "caches"), "XDG_CONFIG_HOME": str(home / "settings")}
    own |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LINES": "24", "COLUMNS": "80"}
    control, side = pty.openpty()
    with subprocess.Popen(
        command, stdin=side if stdin is None else stdin, stdout=subprocess.PIPE, stderr=side,
        env={**os.environ, **own, **env}, start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(side), os.O_RDWR)),  # noqa: PLW1509 - the controlling terminal
    ) as process:  # fmt: skip
        os.close(side)
        drawn, at = b"", 0
        left = list(typed)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if select.select([control], [], [], 0.05)[0]:
                try:
                    drawn += os.read(control, 65536)
                except OSError:
                    break
            if left and (found := drawn.find(left[0][0].encode(), at)) >= 0:
                at = found + len(left[0][0].encode())
                os.write(control, left.pop(0)[1].encode())
                drawn = drawn if left else drawn + b"|typed|"
            if process.poll() is not None:
                break
        if time.monotonic() >= end:
            process.kill()
        assert process.stdout is not None
        shown = process.stdout.read().decode()
        status = process.wait(10)
    os.close(control)
    assert not left, drawn.decode("utf-8", "replace")[-2000:]
    return status, shown, drawn.decode("utf-8", "replace")


@pytest.mark.parametrize("form", ["id", "path", "command"])
def test_print_writes_the_choice_on_stdout_alone(own: Path, tmp_path: Path, form: str) -> None:
    expected = {"id": "demo-10", "path": str(own), "command": f"cd {tmp_path} && opencode --session demo-10"}
    status, shown, drawn = on_terminal(
        ["browse", "burst", "--print", form, "--history", own], [("4 hits", "\r")], tmp_path
    )
    assert (status, shown) == (0, expected[form] + "\n")
    assert "\x1b[?1049h" in drawn


def test_print_ends_with_1_when_nothing_is_picked(own: Path, tmp_path: Path) -> None:
    for keys in ("\x1b\x1b", "\x03"):
        status, shown, _ = on_terminal(["browse", "--print", "id", "--history", own], [("12 sessions", keys)], tmp_path)
        assert (status, shown) == (1, "")


def test_a_pipe_on_stdin_leaves_the_keys_to_the_terminal(own: Path, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"not a key\n")
    os.close(writing)
    status, shown, _ = on_terminal(
        ["browse", "burst", "--print", "id", "--history", own], [("4 hits", "\r")], tmp_path, stdin=reading
    )
    os.close(reading)
    assert (status, shown) == (0, "demo-10\n")


def test_reopen_shows_the_command_and_runs_it_after_enter(own: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "opencode").write_text(f'#!/bin/sh\npwd > {tmp_path}/ran; echo "$@" >> {tmp_path}/ran; exit 3\n')
    (programs / "opencode").chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    words = ["browse", "burst", "--history", own]
    status, _, _ = on_terminal(
        words, [("4 hits", "\r"), ("Enter runs it", "\x1b"), ("4 hits", "\x03")], tmp_path, PATH=path
    )
    assert status == 0
    assert not (tmp_path / "ran").exists()
    status, _, drawn = on_terminal(words, [("4 hits", "\r"), ("Enter runs it", "\r")], tmp_path, PATH=path)
    assert status == 3
    assert (tmp_path / "ran").read_text() == f"{tmp_path}\n--session demo-10\n"
    assert "opencode --session demo-10" in drawn


def test_the_pager_gets_the_transcript_and_the_picker_comes_back(own: Path, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ncat > {tmp_path}/paged; echo PAGED\n")
    pager.chmod(0o755)
    status, shown, _ = on_terminal(
        ["browse", "burst", "--print", "id", "--history", own],
        [("4 hits", "\t"), ("copy", "o"), ("PAGED", ""), ("4 hits", "\r")],
        tmp_path,
        PAGER=str(pager),
    )
    assert (status, shown) == (0, "demo-10\n")
    assert (tmp_path / "paged").read_text(encoding="utf-8").startswith("# Rate limiting for the booking API")


def test_what_is_typed_before_the_picker_is_there_is_not_lost(own: Path, tmp_path: Path) -> None:
    status, shown, _ = on_terminal(
        ["browse", "--print", "id", "--history", own], [("opening the histories", "burst"), ("4 hits", "\r")], tmp_path
    )
    assert (status, shown) == (0, "demo-10\n")


def test_without_a_terminal_it_says_so(own: Path) -> None:
    done = recall_rank("browse", "--history", own, stdin=subprocess.DEVNULL, start_new_session=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "browse needs a terminal" in done.stderr


def test_a_history_that_names_nothing_is_told_on_the_first_screen(tmp_path: Path) -> None:
    status, _, drawn = on_terminal(["browse", "--history", "~nobody-at-all/x"], [], tmp_path)
    assert status == 2
    assert "nobody-at-all" in drawn.rpartition("\x1b[?1049l")[2]


def test_a_history_that_cannot_be_read_is_told_in_the_picker(tmp_path: Path) -> None:
    typed = [("not read: ", "\x1b")]
    assert on_terminal(["browse", "--history", tmp_path / "none"], typed, tmp_path)[0] == 0


def test_without_textual_it_names_the_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse, "has_textual", lambda: False)
    done = run("browse")
    assert done.exit_code == 2
    assert "pip install 'recall-rank[tui]'" in done.stderr


def test_bare_recall_rank_on_a_terminal_is_the_picker(own: Path, tmp_path: Path) -> None:
    (tmp_path / "bare.py").write_text(BARE)
    for installed, expected in ((True, "browse needs a terminal"), (False, "pip install 'recall-rank[tui]'")):
        done = subprocess.run(
            [sys.executable, str(tmp_path / "bare.py"), str(installed)],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == 2
        assert expected in done.stderr
        assert ("Usage: recall-rank" in done.stderr + done.stdout) is not installed
    assert "Usage: recall-rank" in recall_rank().stderr  # in a pipe as ever, without the line on the extra
    assert "[tui]" not in recall_rank().stderr


BARE = """
import sys
from recall_rank.frontends.cli import main
from recall_rank.frontends.cli.commands.hits import browse
main._has_terminals = lambda: True
browse.has_textual = lambda: sys.argv.pop() == "True"
installed = browse.has_textual()
browse.has_textual = lambda: installed
main.main()
"""


def test_other_commands_do_not_import_textual() -> None:
    code = """
import sys
from recall_rank.frontends.cli.main import cli
try:
    cli(["demo", "burst"], prog_name="recall-rank")
except SystemExit:
    pass
print([name for name in sys.modules if name.startswith("textual") or "cli.browse" in name])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_session_that_no_command_reopens_is_named_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text('{"t":"session","id":"a","source":"codex","directory":"/not/there"}\n', encoding="utf-8")
    with Recall(open_sources(path), None) as recall:
        entries = [entry_of_session(session) for session in recall.sessions()]
        with pytest.raises(ValueError, match="no command reopens a: its folder /not/there is not on this machine"):
            list(printed(recall, entries, "command"))


def test_a_choice_with_control_characters_is_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text('{"t":"session","id":"a\\u001b[2Jb"}\n{"t":"session","id":"plain"}\n', encoding="utf-8")
    with Recall(open_sources(path), None) as recall:
        entries = [entry_of_session(session) for session in recall.sessions()]
        for entry in entries:
            if entry.session_id == "plain":
                assert list(printed(recall, [entry, entry], "id")) == ["plain"]
            else:
                with pytest.raises(ValueError, match="control characters"):
                    list(printed(recall, [entry], "id"))


def test_pagers_that_are_not_there() -> None:
    assert page(["x"], ()) == "there is no pager: set $PAGER to a command"
    assert "is not installed" in page(["x"], ("no-such-pager",))
    assert page(["x"], ("false",)) == "the pager false ended with 1"
    assert page(["x"] * 100_000, ("true",)) == ""  # it was left before the end


@pytest.mark.parametrize(
    ("session_id", "name"),
    [
        ("demo-10", "demo-10.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("\x1b\n", "session.md"),
        ("a" * 300, "a" * 80 + ".md"),
    ],
)
def test_names_of_files_hold_no_folder(session_id: str, name: str) -> None:
    assert file_name(session_id) == name
    assert entry_of_session(Session(session_id)).message_id == ""
