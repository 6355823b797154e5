"""Hooks in the settings of a host: their commands are known again, and the plugin's hooks are silent beside them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from recall_rank.frontends.hosts.events.hook_settings import claude_settings_run, hook_command, is_our_hook
from tests.frontends.hosts.conftest import HookedMachine

EVENT = "SessionStart"


@pytest.mark.parametrize("program", [("/opt/a b/recall-rank",), ("/usr/bin/python3", "-m", "recall_rank")])
def test_a_command_of_ours_is_known_wherever_the_program_lies(program: tuple[str, ...]) -> None:
    command = hook_command(program, "codex", EVENT)
    assert is_our_hook(command, "codex", EVENT)
    assert not is_our_hook(command, "codex", "SessionEnd")
    assert not is_our_hook(command, "claude-code", EVENT)


@pytest.mark.parametrize(
    "command",
    [
        f"other hook codex {EVENT}",
        f"recall-rank codex {EVENT}",
        f"recall-rank hook codex {EVENT}Later",
        f"recall-rank hook codex '{EVENT}",
        f"hook codex {EVENT}",
    ],
)
def test_other_commands_are_not_ours(command: str) -> None:
    assert not is_our_hook(command, "codex", EVENT)


def test_a_hook_whose_program_is_gone_ends_with_0() -> None:
    command = hook_command(("/nowhere/it's/recall-rank",), "codex", EVENT)
    assert subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False).returncode == 0


def put(path: Path, event: str = EVENT, program: str = "/opt/recall-rank") -> None:
    group = {"hooks": [{"type": "command", "command": hook_command((program,), "claude-code", event)}]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": {event: [group]}}))


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("home/.claude/settings.json", True),
        ("work/.claude/settings.json", True),
        ("work/.claude/settings.local.json", True),
        ("home/.claude/other.json", False),
    ],
)
def test_the_settings_of_claude_code_run_the_hook(tmp_path: Path, name: str, runs: bool) -> None:
    work, home = str(tmp_path / "work"), tmp_path / "home"
    put(tmp_path / name)
    assert claude_settings_run(EVENT, work, {}, home) == runs
    assert not claude_settings_run("PreCompact", work, {}, home)
    (tmp_path / name).write_text("{ no JSON")
    assert not claude_settings_run(EVENT, work, {}, home)


def test_variables_name_the_folders_of_the_settings(tmp_path: Path) -> None:
    put(tmp_path / "config/settings.json")
    put(tmp_path / "project/.claude/settings.json", "PreCompact")
    environ = {"CLAUDE_CONFIG_DIR": str(tmp_path / "config"), "CLAUDE_PROJECT_DIR": str(tmp_path / "project")}
    assert claude_settings_run(EVENT, "/elsewhere", environ, tmp_path)
    assert claude_settings_run("PreCompact", "/elsewhere", environ, tmp_path)
    assert not claude_settings_run(EVENT, "/elsewhere", {}, tmp_path)


def test_the_hooks_of_the_plugin_say_nothing_beside_those_of_the_settings(
    hooked: HookedMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hooked.run("claude-code", EVENT, source="startup").stdout
    put(Path(os.environ["HOME"]) / ".claude/settings.json")
    assert hooked.run("claude-code", EVENT, source="startup").stdout
    hooked.refreshes.clear()
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", "/plugins/recall-rank")
    answer = hooked.run("claude-code", EVENT, source="startup")
    assert (answer.stdout, answer.problems, hooked.refreshes) == ("", [], [])
    assert hooked.given("claude-code", "PreCompact", hooked.claude.before("s")).problems  # it is in no settings
