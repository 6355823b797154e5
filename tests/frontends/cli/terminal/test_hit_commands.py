"""`open`, `copy` and `reopen`: the transcript in pager or editor, the clipboard, the agent after a question."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from recall_rank.frontends.cli.output import clipboard
from recall_rank.frontends.cli.output.clipboard import MOST, ClipboardError, copy_to_clipboard
from recall_rank.frontends.transcripts.reopen import ReopenCommand, reopen_command
from tests.frontends.conftest import Run
from tests.support.frontends.own_history import write_own_history
from tests.support.frontends.terminal import PersonAtTerminal, rows_of, screen

DEMO = ("--history", "demo")


def program(folder: Path, name: str, script: str) -> None:
    """Put a shell script into a folder of programs."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def bin_path(tmp_path: Path) -> str:
    (tmp_path / "bin").mkdir()
    return f"{tmp_path / 'bin'}:/usr/bin:/bin"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A history of OpenCode whose folder is there."""
    return write_own_history(tmp_path, tmp_path / "harbor line")


# --- open ---------------------------------------------------------------------------------------------------------


def test_open_writes_the_transcript_into_a_pipe(run: Run) -> None:
    assert run("open", "demo-10", *DEMO).stdout == run("transcript", "demo-10", *DEMO).stdout
    assert run("open", "rate limiting", *DEMO).stdout.startswith("# Rate limiting")
    assert run("open", "nobody", *DEMO).exit_code == 5


def test_open_pages_on_a_terminal(tmp_path: Path) -> None:
    with PersonAtTerminal(80, 24, tmp_path, PAGER=f"sh -c 'cat > {tmp_path}/paged'") as person:
        person.run("demo", "token bucket")
        assert person.run("open", "1")[0] == 0
    paged = rows_of((tmp_path / "paged").read_text())
    assert paged[0] == "# Rate limiting for the booking API"
    assert max(map(len, paged)) <= 80


def test_open_in_an_editor_is_private_and_removed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "edit", f'stat -c %a "$(dirname "$2")" > {tmp_path}/mode; cp "$2" {tmp_path}/copy')
    monkeypatch.setenv("VISUAL", f"{tmp_path / 'bin' / 'edit'} --wait")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert run("open", "demo-10", "--editor", *DEMO).exit_code == 0
    assert (tmp_path / "copy").read_text() == run("transcript", "demo-10", *DEMO).stdout
    assert (tmp_path / "mode").read_text() == "700\n"
    assert not list(tmp_path.glob("recall-rank-*"))


@pytest.mark.parametrize(
    ("visual", "status", "said"),
    [
        ("", 2, "no editor is named"),
        ("'", 2, "no editor is named"),
        ("/no/such/editor", 4, "/no/such/editor cannot open the transcript"),
        ("false", 4, "false ended with 1"),
    ],
)
def test_an_editor_that_fails(run: Run, monkeypatch: pytest.MonkeyPatch, visual: str, status: int, said: str) -> None:
    monkeypatch.setenv("VISUAL", visual)
    monkeypatch.delenv("EDITOR", raising=False)
    result = run("open", "demo-10", "--editor", *DEMO)
    assert (result.exit_code, said in result.stderr) == (status, True), result.stderr


# --- copy ---------------------------------------------------------------------------------------------------------


def osc52(written: str) -> str:
    (sent,) = re.findall("\x1b]52;c;([A-Za-z0-9+/=]*)\x07", written)
    return base64.b64decode(sent).decode()


def test_copy_puts_the_part_of_a_hit_on_the_terminals_clipboard(tmp_path: Path, bin_path: str) -> None:
    with PersonAtTerminal(80, 24, tmp_path, PATH=bin_path, TMUX="", DISPLAY="", WAYLAND_DISPLAY="") as person:
        person.run("demo", "partners hammer", "-n", "1")
        status, written = person.run("copy", "1")
    assert status == 0
    assert osc52(written) == (
        "Partners hammer /v1/sailings every few seconds. Add a rate limit per API key, 60 requests a minute."
    )
    assert "copied through the terminal: 99 characters, Partners hammer" in " ".join(screen(written))


@pytest.mark.parametrize(
    ("name", "variable"), [("xclip", "DISPLAY"), ("xsel", "DISPLAY"), ("wl-copy", "WAYLAND_DISPLAY"), ("tmux", "TMUX")]
)
def test_copy_uses_a_program_that_is_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bin_path: str, name: str, variable: str
) -> None:
    program(tmp_path / "bin", name, f"cat > {tmp_path}/board")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    for each in ("DISPLAY", "WAYLAND_DISPLAY", "TMUX", "SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(variable, ":0")
    monkeypatch.setattr(clipboard.shutil, "which", lambda word: word if (tmp_path / "bin" / word).exists() else None)
    result = run("copy", "demo-10", "demo-10-m1", *DEMO)
    assert result.exit_code == 0, result.output
    assert f"copied through {name}" in result.stderr
    assert (tmp_path / "board").read_text().startswith("Partners hammer")


def test_over_ssh_no_program_of_this_machine_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard.sys, "platform", "darwin")
    found = clipboard._programs({"SSH_TTY": "/dev/pts/1", "DISPLAY": ":0", "WAYLAND_DISPLAY": "w"})
    assert list(found) == []
    assert next(iter(clipboard._programs({}))) == ("pbcopy",)


def test_without_a_clipboard_copy_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "_programs", lambda _: iter(()))
    result = run("copy", "demo-10", "demo-10-m1", *DEMO)
    assert (result.exit_code, "there is no clipboard here" in result.stderr) == (4, True)
    assert run("copy", "nobody", "m", *DEMO).exit_code == 5
    assert run("copy", "demo-10", "nothing", *DEMO).exit_code == 5
    assert run("copy", "demo-10", *DEMO).exit_code == 2


def test_a_text_that_terminals_do_not_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "_programs", lambda _: iter(()))
    monkeypatch.setattr(clipboard.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(ClipboardError, match="more than terminals take"):
        copy_to_clipboard("x" * (MOST + 1))


def test_what_is_copied_cannot_act_when_it_is_pasted(tmp_path: Path, bin_path: str) -> None:
    path = tmp_path / "odd.jsonl"
    text = "rm\\u001b[201~\\r\\u0007 \\u202e\\n\\tkept"
    path.write_text(
        '{"t":"session","id":"odd-one"}\n'
        f'{{"t":"message","session":"odd-one","id":"m1","role":"user","parts":[{{"id":"p","type":"text","text":"{text}"}}]}}\n'
    )
    with PersonAtTerminal(80, 24, tmp_path, PATH=bin_path, TMUX="", DISPLAY="", WAYLAND_DISPLAY="") as person:
        _, written = person.run("copy", "odd-one", "m1", "--history", path)
    assert osc52(written) == "rm\\x1b[201~\\x0d\\x07 \\u202e\n\tkept"


def test_copy_redacts_where_it_is_told(tmp_path: Path, bin_path: str) -> None:
    path = tmp_path / "key.jsonl"
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    part = f'{{"id":"p","type":"text","text":"the key is {key} today"}}'
    path.write_text(
        f'{{"t":"session","id":"key-one"}}\n{{"t":"message","session":"key-one","id":"m1","role":"user","parts":[{part}]}}\n'
    )
    settings = tmp_path / "settings" / "recall_rank"
    with PersonAtTerminal(80, 24, tmp_path, PATH=bin_path, TMUX="", DISPLAY="", WAYLAND_DISPLAY="") as person:
        words = ("copy", "key-one", "m1", "--history", path)
        assert key in osc52(person.run(*words)[1])
        assert key not in osc52(person.run(*words, "--redact")[1])
        settings.mkdir(parents=True)
        (settings / "config.toml").write_text("[defaults]\nredact = true\n")
        assert key not in osc52(person.run(*words)[1])
        assert key in osc52(person.run(*words, "--no-redact")[1])


# --- reopen -------------------------------------------------------------------------------------------------------


def test_reopen_only_prints_where_nobody_can_be_asked(run: Run, own: Path) -> None:
    result = run("reopen", "demo-10", "--history", own)
    assert (result.exit_code, result.stdout) == (0, f"cd '{own.parent}/harbor line' && opencode --session demo-10\n")


@pytest.mark.parametrize(("typed", "ran"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_reopen_asks_before_it_runs(tmp_path: Path, own: Path, bin_path: str, typed: str, ran: bool) -> None:
    program(tmp_path / "bin", "opencode", f'echo "$PWD: $*" > {tmp_path}/ran; exit 7')
    with PersonAtTerminal(200, 24, tmp_path, PATH=bin_path) as person:
        person.run("search", "token bucket", "-n", "1", "--history", own)
        status, written = person.run("reopen", "1", typed=typed)
    shown = " ".join(screen(written))
    assert f"cd '{own.parent}/harbor line' && opencode --session demo-10" in shown
    assert "Run it? [y/N]" in shown
    assert (tmp_path / "ran").exists() == ran
    assert status == (7 if ran else 0)
    assert not ran or (tmp_path / "ran").read_text() == f"{own.parent}/harbor line: --session demo-10\n"


def test_reopen_with_yes_runs_without_a_question(
    run: Run, tmp_path: Path, own: Path, bin_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", bin_path)
    result = run("reopen", "demo-10", "--yes", "--history", own)
    assert (result.exit_code, "opencode is not installed here" in result.stderr) == (2, True)
    program(tmp_path / "bin", "opencode", f"echo $1 > {tmp_path}/ran")
    assert run("reopen", "demo-10", "-y", "--history", own).exit_code == 0
    assert (tmp_path / "ran").read_text() == "--session\n"


def test_a_session_that_no_command_reopens(run: Run, own: Path) -> None:
    result = run("reopen", "demo-10", *DEMO)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no command reopens demo-10: its folder /home/sam/harborline is not on this machine" in result.stderr
    text = own.read_text().replace('"source": "opencode"', '"source": "aider"')
    own.write_text(text)
    assert "has no command for it" in run("reopen", "demo-10", "--history", own).stderr
    assert run("reopen", "nobody", "--history", own).exit_code == 5


def test_the_words_of_the_command_are_run_without_a_shell() -> None:
    command = reopen_command("memo-agent", "a-1", None, places=("/home/ana/.memo-agent/profiles/harbor/sessions.db",))
    assert command == ReopenCommand(("memo", "--resume", "a-1", "--profile", "harbor"), None)
    assert command.line == "memo --resume a-1 --profile harbor"
