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
from tests.support.privileges import modes_bind

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
    assert "  new      .codex/config.toml (" in refused.stdout
    dry = run("install", "codex", "--dry-run", "--full", "--tools", "recall,session_search")
    assert dry.exit_code == 0
    assert "+startup_timeout_sec = 30" in dry.stdout
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


@pytest.mark.parametrize(
    ("host", "folder"),
    [("codex", ".codex"), ("claude-code", ".claude"), ("gemini", ".gemini"), ("copilot", ".copilot"),
     ("cursor", ".cursor"), ("pi", ".pi/agent"), ("tallow", ".tallow"), ("hermes", ".hermes"),
     ("opencode", ".config/opencode")],
)  # fmt: skip
def test_a_folder_of_a_host_that_may_not_be_read(home: Path, run: Run, host: str, folder: str) -> None:
    """Regression: `hosts` ended with a traceback."""
    (home / folder).mkdir(parents=True, exist_ok=True)
    (home / folder).chmod(0)
    with modes_bind():
        told = run("hosts", "--json", "--no-check")
        ended = run("install", host, "--yes")
    (home / folder).chmod(0o700)
    assert told.exit_code == 0, told.output
    (row,) = (each for each in json.loads(told.stdout)["hosts"] if each["host"] == host)
    assert row["settings"]
    assert ended.exit_code == 2
    assert "cannot be read: Permission denied" in ended.stderr


def test_claude_code_gets_tools_hooks_and_slash_commands_at_once(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "running_program", lambda: ("/opt/a b/recall-rank",))
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"enabledPlugins": {"recall-rank@recall-rank": true, "other@x": true}}')
    told = run("install", "claude-code", "--yes")
    assert told.exit_code == 0
    assert "the plugin recall-rank@recall-rank is enabled, too" in told.stderr
    assert json.loads((home / ".claude.json").read_text())["mcpServers"]["recall"]["command"] == "/opt/a b/recall-rank"
    hooks = json.loads(settings.read_text())["hooks"]
    assert list(hooks) == ["SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"]
    commands = sorted(path.name for path in (home / ".claude/commands/recall-rank").iterdir())
    assert commands == ["compact-off.md", "compact-on.md", "compact-status.md", "recall-session.md", "recall.md"]
    session = (home / ".claude/commands/recall-rank/recall-session.md").read_text()
    assert session.startswith("---\n# Put here by `recall-rank install`")
    assert "\n    '/opt/a b/recall-rank' condense '<id or title>'\n    '/opt/a b/recall-rank' transcript" in session
    assert run("install", "claude-code", "--yes", "--no-hooks").exit_code == 0
    assert "hooks" not in json.loads(settings.read_text())
    assert run("uninstall", "claude-code", "--yes").exit_code == 0
    assert settings.read_text() == '{"enabledPlugins": {"recall-rank@recall-rank": true, "other@x": true}}'
    assert [
        str(path.relative_to(home)) for path in home.rglob("*") if path.is_file() and ".local" not in str(path)
    ] == [".claude/settings.json"]


def test_claude_code_has_a_folder_of_its_own_by_a_variable(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "settings"))
    assert run("install", "claude-code", "--yes").exit_code == 0
    assert sorted(path.name for path in (home / "settings").iterdir()) == [".claude.json", "commands", "settings.json"]
    assert run("uninstall", "claude-code", "--yes").exit_code == 0
    assert not (home / "settings").exists()


def test_codex_tells_that_its_hooks_have_to_be_trusted(home: Path, run: Run) -> None:
    assert "/hooks" not in run("install", "codex", "--yes", "--no-hooks").stderr
    assert not (home / ".codex/hooks.json").exists()
    told = run("install", "codex", "--yes")
    assert "until you have trusted it" in told.stderr
    assert len(json.loads((home / ".codex/hooks.json").read_text())["hooks"]) == 4


def test_an_install_and_compaction_of_a_project_do_not_disturb_each_other(home: Path, run: Run) -> None:
    settings = home / "work/.claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "x"}')
    (home / "work/CLAUDE.md").write_text("Quay.\n")
    assert run("install", "claude-code", "--scope", "project", "--yes").exit_code == 0
    assert run("compact", "on", "--yes").exit_code == 0
    before = json.loads(settings.read_text())["hooks"]
    assert [len(before[event]) for event in before] == [2, 1, 2, 1]
    assert "already" in run("install", "claude-code", "--scope", "project", "--yes").stdout
    assert run("compact", "off", "--yes").exit_code == 0
    assert run("uninstall", "claude-code", "--scope", "project", "--yes").exit_code == 0
    assert settings.read_text() == '{"model": "x"}'


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
    assert launch.running_program() == (sys.executable, "-P", "-m", "recall_rank")


@pytest.mark.parametrize("host", HOSTS)
def test_what_is_changed_begins_with_a_summary(home: Path, run: Run, host: str) -> None:
    """New files are shown whole by --full alone; of an existing one its changes always are."""
    place = HOSTS[host].place("user", {}, home, home / "work")
    assert place is not None
    mine = [place.folder / name for name in (*place.config[-1:], place.hooks) if name and host != "opencode"]
    for path in mine:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("" if HOSTS[host].syntax != "json" and path.suffix != ".json" else "{\n}\n", encoding="utf-8")
    shown = run("install", host, "--dry-run").stdout
    first, *lines = shown.splitlines()
    summary = [line for line in lines if line.startswith(("  new  ", "  changed  "))]
    assert first == f"{len(summary)} file{'s' if len(summary) != 1 else ''} in {place.folder}:"
    assert lines[: len(summary)] == summary
    assert sum(line.startswith("  changed  ") for line in summary) == len(mine)
    assert "--- /dev/null" not in shown
    assert shown.count("--- a/") == len(mine)
    whole = run("install", host, "--dry-run", "--full").stdout
    assert whole.count("--- ") >= len(summary)
    assert whole.startswith(first)
    assert run("install", host, "--yes").exit_code == 0
    gone = run("uninstall", host, "--dry-run").stdout
    assert gone.startswith(first)
    assert "+++ /dev/null" not in gone


def test_a_missing_interpreter_is_named(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Regression: the script was named, which is there."""
    script = tmp_path / "recall-rank"
    script.write_text("#!/opt/gone/python3.11 -P\nprint()\n", encoding="utf-8")
    script.chmod(0o755)
    for ask in (probe_program, probe_server):
        assert ask((str(script),)).problem == "it cannot be started: /opt/gone/python3.11: No such file or directory"
        assert str(tmp_path / "none") in ask((str(tmp_path / "none"),)).problem
    monkeypatch.setattr(launch, "running_program", lambda: (str(script),))
    assert run("install", "codex", "--yes").exit_code == 0
    assert "/opt/gone/python3.11" in run("hosts").stdout
