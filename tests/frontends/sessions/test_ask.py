"""The command ask: what it prints, its exit statuses, and calls of session_recall in a batch."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.frontends.conftest import Run
from tests.support.frontends.curators import without_curators
from tests.support.frontends.tallow_home import LONG, SECRET, write_home

WANTED = ("--for", "the decision how to order locks")
RAW = ("delivery order", "docs/locks.md", "KilnError")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    without_curators(monkeypatch, tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return write_home(tmp_path / "home")


def script(tmp_path: Path, body: str) -> str:
    """The name of a curator that runs these lines of Python; `prompt` is what it reads from stdin."""
    path = tmp_path / "curator.py"
    path.write_text(f"import sys\nprompt = sys.stdin.read()\n{body}\n", encoding="utf-8")
    return f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def test_only_what_the_command_prints_is_shown(run: Run, home: Path, tmp_path: Path) -> None:
    body = """
assert prompt.count("<<<search results ") == 1
assert "the decision how to order locks" in prompt
print(next(line for line in prompt.splitlines() if line.startswith("Decision: ")))
"""
    result = run("ask", "furnace", "locks", *WANTED, "--curator", script(tmp_path, body), "--history", home)
    assert result.exit_code == 0, result.output
    shown = result.stdout.splitlines()
    assert shown[:2] == ["Decision: sort furnace ids before locking them.", ""]
    assert shown[2].startswith("picked by command python")
    assert not any(raw in result.output for raw in RAW)


def test_the_answer_as_json(run: Run, home: Path, tmp_path: Path) -> None:
    result = run("ask", "furnace", *WANTED, "--curator", "extractive", "--history", home, "--json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["ok"], answer["status"], answer["schema_version"]) == (0, True, "found", 1)
    assert answer["details"]["curator"] == "extractive"
    assert "sort furnace ids" in answer["text"]


def test_the_environment_names_the_curator(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_RANK_CURATOR", "extractive")
    result = run("ask", "furnace", *WANTED, "--history", home)
    assert result.exit_code == 0
    assert "picked by extractive" in result.stdout


def test_without_a_curator_nothing_is_shown(run: Run, home: Path) -> None:
    result = run("ask", "furnace", *WANTED, "--history", home)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "RECALL_RANK_CURATOR" in result.stderr
    assert not any(raw in result.output for raw in RAW)
    answer = json.loads(run("ask", "furnace", *WANTED, "--history", home, "--json").stdout)
    assert (answer["status"], answer["details"]["match_count"] > 0) == ("no_curator", True)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.exit(3)", "status 3"),
        ("print('asleep', file=sys.stderr); sys.exit(1)", "asleep"),
        ("", "nothing"),
        ("print('x' * 10_000_000)", "more than"),
        ("sys.stdout.buffer.write(bytes(range(128, 256)) * 10_000)", "more than"),
        ("print('\\x1b]0;raw\\x07\\x1b[2J')", "nothing"),
    ],
)
def test_a_command_that_fails_has_a_status_of_its_own(
    run: Run, home: Path, tmp_path: Path, body: str, reason: str
) -> None:
    result = run("ask", "furnace", *WANTED, "--curator", script(tmp_path, body), "--history", home)
    assert (result.exit_code, result.stdout) == (8, "")
    assert reason in result.stderr
    assert not any(raw in result.output for raw in RAW)


def test_what_a_command_prints_moves_no_cursor(run: Run, home: Path, tmp_path: Path) -> None:
    body = "print('\\x1b[2Jsort \\u202efurnace ids\\x07')"
    result = run("ask", "furnace", *WANTED, "--curator", script(tmp_path, body), "--history", home)
    assert result.exit_code == 0
    assert not {"\x1b", "\u202e", "\x07"} & set(result.stdout)
    assert "furnace ids" in result.stdout


def test_no_secret_reaches_the_command_or_the_terminal(run: Run, home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "prompt"
    body = f"open({str(kept)!r}, 'w').write(prompt); print('{SECRET} deploys the beacon')"
    result = run("ask", "deploy the beacon token", *WANTED, "--curator", script(tmp_path, body), "--history", home)
    assert "deploy" in kept.read_text(encoding="utf-8").lower()
    assert SECRET not in kept.read_text(encoding="utf-8")
    assert SECRET not in result.output


def test_a_secret_in_the_arguments_reaches_neither_the_command_nor_the_terminal(
    run: Run, home: Path, tmp_path: Path
) -> None:
    kept, key = tmp_path / "prompt", "sk-" + "proj-Qm7vX2pLr9TzB4cWn8Ys" * 2
    body = f"open({str(kept)!r}, 'w').write(prompt); print('sort furnace ids')"
    words = ("ask", "furnace", key, "--for", f"locks of {key}", "--curator", script(tmp_path, body), "--history", home)
    for more in ((), ("--json",)):
        result = run(*words, *more)
        assert result.exit_code == 0
        assert key[:12] not in result.output
        assert key[:12] not in kept.read_text(encoding="utf-8")


def test_a_command_that_fails_is_told_with_the_option_that_helps(run: Run, home: Path) -> None:
    result = run("ask", "furnace", *WANTED, "--curator", "command:false", "--history", home)
    assert (result.exit_code, "--curator extractive" in result.stderr) == (8, True)
    result = run("ask", "furnace", *WANTED, "--curator", "sampling", "--history", home)
    assert result.exit_code == 2
    assert "sampling or extractive" not in result.stderr


def test_projects_and_days_narrow(run: Run, home: Path) -> None:
    words = ("ask", "lens furnace heliograph", *WANTED, "--curator", "extractive", "--history", home)
    assert run(*words).exit_code == 0
    narrow = run(*words, "--project", "lamp-room")
    assert "brick-kiln" not in narrow.stdout
    assert run(*words, "--since", "2026-05-28", "--until", "2026-05-28").exit_code == 0
    for more in (("--until", "2026-05-27"), ("--date-from", "2026-05-29"), ("--project", "nowhere")):
        result = run(*words, *more)
        assert result.exit_code == 1
        assert result.stdout.startswith("No past conversation matches")


def test_the_current_session_is_left_out(run: Run, home: Path) -> None:
    words = ("ask", "heliograph tripod hinge", *WANTED, "--curator", "extractive", "--history", home)
    assert "tripod is fine" in run(*words).stdout
    shown = run(*words, "--session", LONG)
    assert "tripod is fine" not in shown.output


@pytest.mark.parametrize(
    "words",
    [
        ("ask",), ("ask", "furnace"), ("ask", "--for", "x"), ("ask", "furnace", "--for", " "),
        ("ask", " ", "--for", "x"),
        ("ask", "furnace", "--for", "x", "--until", "whenever"), ("ask", "furnace", "--for", "x", "--nonsense"),
        ("ask", "furnace", "--for", "x", "--since", "2026-03-05", "--until", "2026-03-04"),
        ("ask", "furnace", "--for", "x", "--curator", "nonsense"),
    ],
)  # fmt: skip
def test_wrong_usage_is_said(run: Run, home: Path, words: tuple[str, ...]) -> None:
    result = run(*words, "--history", home)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr


@pytest.mark.parametrize("query", ["C++", "100%", "what's next", '"', "foo-bar", "NOT (", "灯台の点滅", "🚨"])
def test_any_text_is_a_query(run: Run, home: Path, query: str) -> None:
    result = run("ask", *WANTED, "--curator", "extractive", "--history", home, "--", query)
    assert result.exit_code in (0, 1), result.output
    assert "syntax" not in result.output


def test_no_history_is_told(run: Run, home: Path, tmp_path: Path) -> None:
    assert run("ask", "x", *WANTED, "--history", tmp_path / "nowhere").exit_code == 3


def batch(run: Run, home: Path, tmp_path: Path, *calls: dict[str, Any]) -> list[dict[str, Any]]:
    asked, told = tmp_path / "calls.jsonl", tmp_path / "answers.jsonl"
    asked.write_text("".join(json.dumps({"tool": "session_recall", **each}) + "\n" for each in calls), encoding="utf-8")
    assert run("batch", "--history", home, "--calls", asked, "--out", told).exit_code == 0
    return [json.loads(line)["output"] for line in told.read_text(encoding="utf-8").splitlines()]


def test_a_batch_answers_in_both_forms(run: Run, home: Path, tmp_path: Path) -> None:
    args = {"query": "furnace locks", "looking_for": "sort furnace ids", "curator": "extractive"}
    ours, original, bare, wrong, blank = batch(
        run, home, tmp_path,
        {"id": 1, "args": args},
        {"id": 2, "args": args, "wire": "camel"},
        {"id": 3, "args": {"query": "furnace", "looking_for": "x"}, "wire": "camel"},
        {"id": 4, "args": {"query": "furnace"}},
        {"id": 5, "args": {"query": "", "looking_for": "x"}, "wire": "camel", "mode": "raw"},
    )  # fmt: skip
    assert (ours["status"], list(ours["details"])) == (
        "found", ["query", "match_count", "session_count", "curator"],
    )  # fmt: skip
    assert list(original) == ["content", "details"]
    assert original["content"] == [{"type": "text", "text": ours["text"]}]
    assert original["details"] == {
        "query": "furnace locks",
        "matchCount": ours["details"]["match_count"],
        "sessionCount": ours["details"]["session_count"],
        "curatorModel": "extractive",
        "status": "found",
    }
    assert bare["details"]["status"] == "fallback"
    assert (wrong["ok"], wrong["status"], wrong["error_category"]) == (False, "error", "schema")
    assert (blank["isError"], blank["details"]["status"]) == (True, "error")
