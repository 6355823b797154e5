"""`get`, `context`, `messages` and `sessions`: output for people, JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recall_rank.frontends.demo.generate import history
from tests.frontends.conftest import Machine, Run


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


def test_context_marks_the_message(run: Run, file: Path) -> None:
    shown = run("context", "demo-10", "demo-10-m2", "--window", 1, "--history", file).stdout.splitlines()
    assert [line[:6] for line in shown if line.startswith("> ")] == ["> assi"]
    assert "... more after" in shown
    only = run("context", "demo-10", "demo-10-m2", "--before", 0, "--after", 0, "--history", file).stdout
    assert "... more before" in only


def test_context_shows_the_message_asked_for_first_and_then_outward(run: Run, file: Path) -> None:
    """Regression: whoever saw only the beginning of the output, as an agent may, saw the oldest neighbour."""
    shown = run("context", "demo-10", "demo-10-m2", "--window", 2, "--history", file).stdout
    headings = [line for line in shown.splitlines() if "demo-10-m" in line]
    assert [line.split(" ")[0] for line in headings] == [">", "-1", "+1", "+2"]
    assert [line.rsplit(" ", 1)[1] for line in headings] == [f"demo-10-m{number}" for number in (2, 1, 3, 4)]


def test_pages(run: Run, file: Path) -> None:
    shown = run("messages", "demo-10", "-n", 1, "--history", file).stdout
    assert "messages 1-1 of " in shown
    assert "(next: --offset 1)" in shown
    none = run("messages", "demo-10", "--query", "nothingatall", "--history", file)
    assert (none.exit_code, none.stdout.splitlines()[-1]) == (1, "No messages")
    behind = run("messages", "demo-10", "--offset", 100, "--history", file)
    assert (behind.exit_code, behind.stdout.splitlines()[-1]) == (1, "None left of 4 messages")


def test_sessions(run: Run, file: Path) -> None:
    shown = run("sessions", "--search", "rate limit", "--history", file).stdout.splitlines()
    assert len(shown) == 3
    assert shown[0].startswith("Rate limiting for the booking API · ")
    assert shown[1:] == ["    /home/sam/harborline · opencode · demo-10", "1 session"]
    none = run("sessions", "--scope", "project", "--history", file)
    assert (none.exit_code, none.stdout.splitlines()[0]) == (1, "No sessions")


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


@pytest.mark.parametrize("title", ["ls  -l\n", "List"])
def test_a_title_that_repeats_an_argument_is_shown_once(run: Run, tmp_path: Path, title: str) -> None:
    path = tmp_path / "titled.jsonl"
    part = {"id": "p", "type": "tool", "tool": "bash", "title": title, "input": {"command": "ls -l", "n": 1}}
    said = {"t": "message", "id": "m", "session": "one-call", "role": "assistant", "time": 0, "parts": [part]}
    path.write_text("\n".join(map(json.dumps, [{"t": "session", "id": "one-call"}, said])), encoding="utf-8")
    kept = ": List" if title == "List" else ""
    for command in (("get", "one-call", "m"), ("context", "one-call", "m"), ("messages", "one-call")):
        lines = run(*command, "--history", path).stdout.splitlines()
        assert lines[lines.index("    command: ls -l") - 1].removeprefix("> ") == f"    bash{kept}"
    exported = run("export", "one-call", "--history", path).stdout
    assert f"**bash{kept}**" in exported
    assert exported.count("ls -l") == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("get", "demo-10", "nothing"), 5, "Message not found: nothing"),
        (("get", "demo-10", "demo-10-m"), 5, "4 messages have ids that begin with 'demo-10-m': demo-10-m1, demo-10-m2"),
        (("context", "demo-10", "demo-10-m"), 5, "4 messages have ids that begin with 'demo-10-m': demo-10-m1"),
        (("get", "demo-10", "dem"), 5, "Message not found: dem; a beginning of an id has 4 characters or more"),
        (("get", "nosuch", "m3"), 5, "no session 'nosuch'"),
        (("get", "demo-1", "m3"), 5, " sessions have ids that begin with 'demo-1': demo-10, demo-11"),
        (("messages", "demo-1"), 5, " sessions have ids that begin with 'demo-1': demo-10, demo-11"),
        (("messages", "nobody"), 5, "no session 'nobody'"),
        (("context", "nobody", "m"), 5, "no session 'nobody'"),
        (("get", " ", "m"), 2, "are required"),
        (("context", "demo-10", "demo-10-m2", "--window", -1), 2, "--window"),
        (("get", "demo-10"), 2, "MESSAGE"),
        (("get", "0"), 2, "There is no hit 0: hits are numbered from 1"),
        (("context", "01"), 2, "There is no hit 01: hits are numbered from 1, without leading zeros"),
    ],
)
def test_exit_codes_and_errors(run: Run, file: Path, words: tuple[object, ...], code: int, said: str) -> None:
    result = run(*words, "--history", file)
    assert result.exit_code == code
    assert said in result.stderr


def test_exit_code_when_every_source_failed(run: Run, machine: Machine) -> None:
    assert run("sessions", "--history", "bad").exit_code == 3
    assert run("sessions").exit_code == 3


@pytest.mark.parametrize(
    "words",
    [
        ("search", "rate limit"),
        ("get", "demo-10", "demo-10-m2"),
        ("context", "demo-10", "demo-10-m2"),
        ("messages", "demo-10"),
        ("sessions",),
        ("sources",),
        ("stats",),
        ("get", "nowhere", "nothing"),
    ],
)
def test_json_has_a_schema_version(run: Run, file: Path, words: tuple[str, ...]) -> None:
    assert json.loads(run(*words, "--history", file, "--json").stdout)["schema_version"] == 1


def test_sessions_show_the_command_that_reopens_them(run: Run, file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace('"agent_app":', '"source": "opencode", "agent_app":')
    file.write_text(text, encoding="utf-8")
    folder = file.parent / "harborline"
    folder.mkdir()
    file.write_text(file.read_text(encoding="utf-8").replace("/home/sam/harborline", str(folder)), encoding="utf-8")
    command = f"cd {folder} && opencode --session demo-10"
    found = json.loads(run("search", "token bucket", "-n", 1, "--history", file, "--json").stdout)["results"]
    assert found[0].get("reopen") == command
    listed = json.loads(run("sessions", "--search", "rate limiting", "--history", file, "--json").stdout)["sessions"]
    assert listed[0].get("reopen") == command
    assert f"    reopen: {command}\n" in run("sessions", "--search", "rate limiting", "--history", file).stdout


def test_a_file_filter_matches_absolute_and_relative_paths(run: Run, file: Path) -> None:
    for name in ("src/booking/reserveSeat.ts", "./src/booking/reserveSeat.ts", "reserveSeat.ts"):
        result = run("search", "reserve seat", "--file", name, "--history", file, "--json")
        hits = json.loads(result.stdout)["results"]
        assert hits, name
        assert {hit["session_id"] for hit in hits} == {"demo-08"}


@pytest.mark.parametrize(
    ("filters", "reason"),
    [
        (["--file", "nope.py"], "file"),
        (["--must", "nope.py"], "required text"),
        (["--must", "nope.py", "--file", "nope.py"], "required text or file"),
        (["--must-not", "e"], "unwanted text"),
        (["--session-prefix", "nope"], "session prefix"),
    ],
)
def test_the_filter_that_left_everything_out_is_named(run: Run, file: Path, filters: list[str], reason: str) -> None:
    result = run("search", "reserve seat", *filters, "--history", file)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines if line.startswith("left out")] == [f"left out by {reason}"]
    assert ("try: nothing holds 'nope.py'" in lines) == ("nope.py" in filters)


def test_a_file_that_leaves_everything_out_is_the_reason_in_json(run: Run, file: Path) -> None:
    found = json.loads(run("search", "seat", "--file", "nope.py", "--history", file, "--json").stdout)
    assert found["coverage"]["parts"]["skipped"].keys() == {"file"}


def test_the_beginning_of_a_session_id_is_enough_in_a_search(run: Run, file: Path) -> None:
    result = run("search", "rate limit", "--session", "demo-10", "--history", file, "--json")
    hits = json.loads(result.stdout)["results"]
    text = file.read_text(encoding="utf-8").replace("demo-10", "only-this-one-10")
    file.write_text(text, encoding="utf-8")
    again = json.loads(run("search", "rate limit", "--session", "only-t", "--history", file, "--json").stdout)[
        "results"
    ]
    assert len(again) == len(hits) > 0
    none = run("search", "rate limit", "--session", "nowhere", "--history", file)
    assert (none.exit_code, none.stderr) == (5, "recall-rank: no session 'nowhere'\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--scope", "session"), "--scope session needs --session ID: a shell has no session of its own"),
        (("--tool", "bash", "--type", "text"), "--tool goes with type 'all' or 'tool', not 'text'"),
        (("--width", "0"), "--width must be a whole number from 20 to 10000, not 0"),
        (("--last", "7x"), "--last must be a duration"),
    ],
)
def test_an_error_names_the_option_as_typed(run: Run, file: Path, words: tuple[str, ...], said: str) -> None:
    result = run("search", "rate", *words, "--history", file)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"recall-rank: {said}")


def test_a_project_without_sessions_is_named(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    result = run("search", "rate", "--scope", "project", "--history", file)
    assert result.exit_code == 1
    assert f"note: no session ran in {file.parent} or below it" in result.stdout
