"""`install`, `uninstall` and `hosts` through the command line, on a machine with a home folder of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from recall_rank.frontends.cli.commands.setup import hosts as commands
from recall_rank.frontends.hosts import launch
from recall_rank.frontends.hosts.every_host import HOSTS
from recall_rank.frontends.hosts.probe import probe_program, probe_server
from tests.frontends.conftest import Run

SERVER = """import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        tools = [{"name": "recall"}] if asked["method"] == "tools/list" else None
        print("no frame", json.dumps({"id": asked["id"], "result": {"tools": tools}}), sep="\\n", flush=True)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home/work").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("PI_CODING_AGENT_DIR", "TALLOW_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path / "home/work")
    return tmp_path / "home"


def test_the_command_knows_every_host() -> None:
    assert tuple(HOSTS) == commands._NAMES


def test_changes_need_consent(home: Path, run: Run) -> None:
    refused = run("install", "codex")
    assert refused.exit_code == 2
    assert "consent" in refused.stderr
    assert "+required = true" in refused.stdout
    dry = run("install", "codex", "--dry-run", "--tools", "recall,session_search")
    assert dry.exit_code == 0
    assert '"--tools", "recall,session_search"' in dry.stdout
    assert not (home / ".codex").exists()


def test_install_and_uninstall(home: Path, run: Run) -> None:
    (home / "work/.gemini").mkdir()
    settings = home / "work/.gemini/settings.json"
    settings.write_text('{"a": 1} // mine')
    assert run("install", "gemini", "--scope", "project", "--yes").exit_code == 0
    assert "already" in run("install", "gemini", "--scope", "project", "--yes").stdout
    state = {each["host"]: each for each in json.loads(run("hosts", "--json", "--no-check").stdout)["hosts"]}
    (user, project) = state["gemini"]["scopes"]
    assert (user["installed"], project["installed"], project["works"]) == (False, True, None)
    assert project["version"]
    assert run("uninstall", "gemini", "--scope", "project").exit_code == 2
    gone = run("uninstall", "gemini", "--scope", "project", "--yes")
    assert "no longer installed" in gone.stdout
    assert settings.read_text() == '{"a": 1} // mine'
    assert "not installed" in run("uninstall", "gemini", "--scope", "project", "--yes").stdout


@pytest.mark.parametrize("hooks", [True, False])
def test_the_hooks_of_the_plugin_are_on_or_off(home: Path, run: Run, hooks: bool) -> None:
    options = home / ".config/opencode/plugins/recall-rank.json"
    assert run("install", "opencode", "--yes", *([] if hooks else ["--no-hooks"])).exit_code == 0
    written = json.loads(options.read_text())
    assert written.pop("command")[-1] == "recall_rank"
    assert written == dict.fromkeys(("nudge", "autoRecall", "compactionRecall"), hooks)


@pytest.mark.parametrize(
    "words",
    [
        ("install", "hermes", "--scope", "project"),
        ("install", "emacs"),
        ("install", "codex", "--tools", "x"),
        ("install",),
    ],
)
def test_wrong_usage_changes_nothing(home: Path, run: Run, words: tuple[str, ...]) -> None:
    assert run(*words, "--yes").exit_code == 2
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_a_command_that_no_install_wrote_is_not_started(home: Path, run: Run) -> None:
    started = home / "started"
    program = home / "recall-rank"
    program.write_text(f"#!/bin/sh\ntouch {started}\n")
    program.chmod(0o755)
    (home / "work/.mcp.json").write_text(
        json.dumps({"mcpServers": {"recall": {"command": str(program), "args": ["mcp"]}}})
    )
    told = json.loads(run("hosts", "--json").stdout)["hosts"]
    (project,) = (each for row in told if row["host"] == "claude-code" for each in row["scopes"][1:])
    assert (project["installed"], project["works"]) == (True, False)
    assert "not started" in project["problem"]
    assert not started.exists()


def test_what_is_installed_is_asked_for_its_tools(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    answer = probe_server((sys.executable, str(tmp_path / "server.py")))
    assert (answer.works, answer.tools) == (True, ("recall",))
    assert "cannot be started" in probe_server((str(tmp_path / "none"),)).problem
    assert "ended without" in probe_server((sys.executable, "-c", "")).problem
    assert "not answer within" in probe_server((sys.executable, "-c", "import time; time.sleep(60)"), 0.2).problem
    assert probe_program((sys.executable, "-c", "print('recall-rank 1')")).works
    assert not probe_program((sys.executable, "-c", "")).works


def test_the_program_is_named_by_its_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "recall-rank"
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["./recall-rank", "install"])
    assert launch.running_program() == (str(program),)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "recall_rank/__main__.py")])
    assert launch.running_program() == (sys.executable, "-m", "recall_rank")
