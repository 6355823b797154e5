"""The completion scripts in real shells: what stands on the line after a tab, and what is listed."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_rank.frontends.demo.generate import history
from tests.support.frontends.shells import InteractiveShell, shell_environment

pytestmark = pytest.mark.slow

SHELLS = ("bash", "zsh", "fish")
TITLE = 'A title, with: comma and [brackets] $HOME `x` "q" it\'s'
ZSH_COMPINIT = 'autoload -Uz compinit; compinit -u -d "$HOME/dump"\neval "$(recall-rank completion zsh)"'
ZSH_AUTOLOAD = 'fpath=("$HOME/functions" $fpath)\nautoload -Uz compinit; compinit -u -d "$HOME/dump"'
ODD = [
    {"t": "session", "id": "odd:one", "title": TITLE, "directory": "/srv/my project", "agent_app": "my agent"},
    {
        "t": "message", "session": "odd:one", "id": "m:1", "role": "assistant",
        "parts": [
            {"id": "p", "type": "tool", "tool": "do it, now", "input": {"a": "rate limit"}, "output": "x"},
            {"id": "q", "type": "tool", "tool": "*glob*", "input": {"a": "rate limit"}, "output": "x"},
        ],
    },
    {"t": "session", "id": "new$two (2)", "title": "Second", "directory": "/srv/other; dir"},
    {"t": "message", "session": "new$two (2)", "id": "m2", "role": "user",
     "parts": [{"id": "r", "type": "text", "text": "rate limit"}]},
]  # fmt: skip
CASES = [  # what is typed, and the words that then stand there
    ("st", ["stats"]),
    ("help trans", ["help", "transcript"]),
    ("search --mat", ["search", "--match"]),
    ("search --match s", ["search", "--match", "smart"]),
    ("search --match=s", ["search", "--match=smart"]),
    ('search "rate l" --mat', ["search", "rate l", "--match"]),
    ("open -h", ["open", "-h"]),
    ("open --history odd.jsonl odd:", ["open", "--history", "odd.jsonl", "odd:one"]),
    ("open --history odd.jsonl o", ["open", "--history", "odd.jsonl", "odd:one"]),
    ("open --history odd.jsonl n", ["open", "--history", "odd.jsonl", "new$two (2)"]),
    ("open --history odd.jsonl new\\$", ["open", "--history", "odd.jsonl", "new$two (2)"]),
    ("get --history odd.jsonl odd:one ", ["get", "--history", "odd.jsonl", "odd:one", "m:1"]),
    ("search x --history odd.jsonl --tool d", ["search", "x", "--history", "odd.jsonl", "--tool", "do it, now"]),
    ("search x --history odd.jsonl --tool 'd", ["search", "x", "--history", "odd.jsonl", "--tool", "do it, now"]),
    ('search x --history odd.jsonl --tool "d', ["search", "x", "--history", "odd.jsonl", "--tool", "do it, now"]),
    ("search x --history odd.jsonl --tool=d", ["search", "x", "--history", "odd.jsonl", "--tool=do it, now"]),
    ("search x --history odd.jsonl --tool \\*", ["search", "x", "--history", "odd.jsonl", "--tool", "*glob*"]),
    ("search x --history odd.jsonl --session=odd:", ["search", "x", "--history", "odd.jsonl", "--session=odd:one"]),
    (
        "search x --history odd.jsonl --directory /srv/my\\ p",
        ["search", "x", "--history", "odd.jsonl", "--directory", "/srv/my project"],
    ),
    ("search x --directory fol", ["search", "x", "--directory", "folder of mine/"]),
    ("search x --file fol", ["search", "x", "--file", "folder of mine/"]),
    ("search x --file folder\\ of\\ mine/a", ["search", "x", "--file", "folder of mine/a file.txt"]),
    ("search x --file=folder\\ of\\ mine/a", ["search", "x", "--file=folder of mine/a file.txt"]),
    ("search x --history ~/fol", ["search", "x", "--history", "~/folder of mine/"]),
    ("search x --history gem", ["search", "x", "--history", "gemini-cli"]),
    ("search x --nothing", ["search", "x", "--nothing"]),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two histories that are indexed, and a folder with blanks in its name."""
    made = tmp_path_factory.mktemp("home")
    (made / "odd.jsonl").write_text("".join(json.dumps(line) + "\n" for line in ODD))
    (made / "demo.jsonl").write_text(history(), encoding="utf-8")
    (made / "folder of mine").mkdir()
    (made / "folder of mine" / "a file.txt").write_text("")
    env = shell_environment(made)
    for name in ("odd.jsonl", "demo.jsonl"):
        command = ["recall-rank", "search", "rate limit", "--history", name]
        program = str(made / "bin" / command[0])
        subprocess.run([program, *command[1:]], check=True, capture_output=True, env=env, cwd=made)
    return made


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest, home: Path) -> Iterator[InteractiveShell]:
    with InteractiveShell(request.param, home) as there:
        yield there


@pytest.mark.parametrize(("typed", "words"), CASES, ids=[typed for typed, _ in CASES])
def test_what_is_typed_is_completed(shell: InteractiveShell, typed: str, words: list[str]) -> None:
    if shell.name == "fish" and typed.endswith("\\*"):
        pytest.skip("fish completes no word with an asterisk, whatever it is offered")
    line, _ = shell.complete(typed)
    if line.count("'") % 2 or line.count('"') % 2:
        line += typed[-2]  # a shell may leave the quote to its user
    assert shlex.split(line) == ["recall-rank", *words]


def test_sessions_are_listed_newest_first(shell: InteractiveShell) -> None:
    line, drawn = shell.complete("open --history demo.jsonl demo-1")
    assert line == "recall-rank open --history demo.jsonl demo-1"
    listed = drawn[drawn.index("demo-12") :]
    assert listed.index("demo-12") < listed.index("demo-11") < listed.index("demo-10")
    if shell.name != "bash":  # which shows no explanations
        assert "Rate limiting for the booking API" in listed


def test_explanations_stand_in_full(shell: InteractiveShell) -> None:
    if shell.name == "bash":
        pytest.skip("bash shows no explanations")
    _, drawn = shell.complete("open --history odd.jsonl ")
    assert TITLE in drawn
    _, drawn = shell.complete("s")
    assert "Count messages by period, project and agent." in drawn


def test_names_of_agents_and_files_are_listed_together(shell: InteractiveShell, home: Path) -> None:
    (home / "copies").mkdir(exist_ok=True)
    _, drawn = shell.complete("search x --history co")
    assert all(name in drawn for name in ("codex", "copilot-cli", "copies"))


def test_a_failure_shows_nothing_on_the_screen(shell: InteractiveShell, home: Path) -> None:
    settings = home / ".config" / "recall_rank" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    program = home / "bin" / "recall-rank"
    kept = program.read_text()
    try:
        settings.write_text("[")
        assert shell.complete("open --history demo.jsonl demo-1")[0].endswith(" demo-1")
        program.write_text("#!/bin/sh\necho a great failure >&2\nexit 7\n")
        line, drawn = shell.complete("search --mat")
    finally:
        settings.unlink()
        program.write_text(kept)
    assert line == "recall-rank search --mat"
    assert "failure" not in drawn


@pytest.mark.parametrize("script", [ZSH_COMPINIT, ZSH_AUTOLOAD], ids=["compinit", "autoload"])
def test_zsh_completes_however_the_script_is_read(home: Path, script: str) -> None:
    functions = home / "functions"
    functions.mkdir(exist_ok=True)
    with InteractiveShell("zsh", home, script=script) as there:
        for _ in range(3):
            (functions / "_recall-rank").write_text(there.run("completion", "zsh"))
            assert there.complete("st")[0] == "recall-rank stats "


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_starts_without_a_message(home: Path, name: str) -> None:
    with InteractiveShell(name, home) as there:
        assert re.sub(r"[#%⏎\s]|ready>", "", there.start) == ""  # besides the marks of a line without an end


@pytest.mark.parametrize(("name", "check"), [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_the_script_is_without_errors(home: Path, name: str, check: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    env = shell_environment(home)
    command = [str(home / "bin" / "recall-rank"), "completion", name]
    (home / "script").write_text(subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout)
    ended = subprocess.run([name, check, "script"], check=False, capture_output=True, text=True, env=env, cwd=home)
    assert (ended.returncode, ended.stderr) == (0, "")
