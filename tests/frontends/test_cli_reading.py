"""get, context, messages and sessions in the shell: what a person sees, and how the commands end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from frontends.conftest import Machine, Run

from recall_rank.demo.generate import history


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "history.jsonl"
    path.write_text(history(), encoding="utf-8")
    return path


def test_a_message_in_full(run: Run, file: Path) -> None:
    result = run("get", "demo-10", "demo-10-m2", "--history", file)
    assert result.exit_code == 0
    assert result.stdout.startswith("Rate limiting for the booking API · /home/sam/harborline\n")
    assert "assistant · " in result.stdout
    assert "    A fixed window lets a client send 120 requests" in result.stdout


def test_the_json_is_that_of_the_tool(run: Run, file: Path) -> None:
    for words, key in (
        (("get", "demo-10", "demo-10-m2"), "message"),
        (("context", "demo-10", "demo-10-m2", "--window", 0), "messages"),
        (("messages", "demo-10", "-n", 1), "pagination"),
        (("sessions", "-n", 1), "sessions"),
    ):
        answer = json.loads(run(*words, "--history", file, "--json").stdout)
        assert answer["ok"] is True
        assert answer[key]


def test_surroundings_with_the_message_marked(run: Run, file: Path) -> None:
    shown = run("context", "demo-10", "demo-10-m2", "--window", 1, "--history", file).stdout.splitlines()
    assert [line[:6] for line in shown if line.startswith("> ")] == ["> assi"]
    assert "... more after" in shown
    only = run("context", "demo-10", "demo-10-m2", "--before", 0, "--after", 0, "--history", file).stdout
    assert "... more before" in only


def test_pages(run: Run, file: Path) -> None:
    shown = run("messages", "demo-10", "-n", 1, "--history", file).stdout
    assert "messages 1-1 of " in shown
    assert "(next: --offset 1)" in shown
    none = run("messages", "demo-10", "--query", "nothingatall", "--history", file)
    assert (none.exit_code, none.stdout.splitlines()[-1]) == (1, "No messages")


def test_sessions(run: Run, file: Path) -> None:
    shown = run("sessions", "--search", "rate limit", "--history", file).stdout.splitlines()
    assert len(shown) == 3
    assert shown[0].startswith("Rate limiting for the booking API · ")
    assert shown[1:] == ["    /home/sam/harborline · demo-10", "1 session"]
    none = run("sessions", "--scope", "project", "--history", file)
    assert (none.exit_code, none.stdout.strip()) == (1, "No sessions")


def test_tools_and_controls_are_shown_safely(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    part = {
        "id": "p",
        "type": "tool",
        "tool": "ba\u001bsh",
        "title": "List",
        "input": {"command": "ls", "n": [1]},
        "output": "one\r\n\ttwo\u001b[31m\n",
        "error": "three",
        "pruned": True,
    }
    said = {"t": "message", "id": "m", "session": "odd-one", "role": "assistant", "time": 0, "parts": [part]}
    lines = [{"t": "session", "id": "odd-one"}, said]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    result = run("get", "odd-one", "m", "--history", path)
    assert result.stdout.splitlines() == [
        "untitled",
        "",
        "assistant · time unknown · m",
        "    ba\\x1bsh: List (no longer in the agent's context)",
        "    command: ls",
        "    n: [1]",
        "    one",
        "        two\\x1b[31m",
        "    three",
        "",
    ]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("get", "demo-10", "nothing"), 1, "Message not found: nothing"),
        (("messages", "nobody"), 1, "Unknown session"),
        (("context", "nobody", "m"), 1, "Unknown session"),
        (("get", " ", "m"), 2, "are required"),
        (("context", "demo-10", "demo-10-m2", "--window", -1), 2, "--window"),
        (("get", "demo-10"), 2, "MESSAGE"),
    ],
)
def test_how_they_end(run: Run, file: Path, words: tuple[object, ...], code: int, said: str) -> None:
    result = run(*words, "--history", file)
    assert result.exit_code == code
    assert said in result.stderr


def test_nothing_could_be_read(run: Run, machine: Machine) -> None:
    assert run("sessions", "--history", "bad").exit_code == 3
    assert run("sessions").exit_code == 1
