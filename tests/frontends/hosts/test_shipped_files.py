"""The files that an install puts into Gemini CLI, Copilot CLI and Cursor: what is in them, and in which scope."""

from __future__ import annotations

import json
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest

from recall_rank.frontends.hosts.events.hook_table import HOOK_HOSTS
from recall_rank.frontends.hosts.every_host import HOSTS
from recall_rank.model.recalled_text import NUDGE
from tests.frontends.conftest import Run

EXTENSION = ".gemini/extensions/recall-rank"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home/work").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_STATE_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path / "home/work")
    return tmp_path / "home"


def files(folder: Path) -> set[str]:
    found = (str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    return {name for name in found if not name.startswith(".local/")}


def test_gemini_gets_an_extension_of_its_user(home: Path, run: Run) -> None:
    done = run("install", "gemini", "--yes", "--full")
    assert '"trust": true' in done.stdout
    assert '"trust": true' in done.stderr
    everything = {
        ".gemini/settings.json",
        *(f"{EXTENSION}/{name}" for name in ("gemini-extension.json", "recall-rank.md", "hooks/hooks.json")),
        f"{EXTENSION}/commands/recall.toml",
    }
    assert files(home) == everything
    manifest = json.loads((home / EXTENSION / "gemini-extension.json").read_text())
    assert "mcpServers" not in manifest  # a server of an extension cannot be trusted
    assert NUDGE in (home / EXTENSION / manifest["contextFileName"]).read_text()
    assert "{{args}}" in tomllib.loads((home / EXTENSION / "commands/recall.toml").read_text())["prompt"]
    assert "hooks" not in json.loads((home / ".gemini/settings.json").read_text())
    hooks = json.loads((home / EXTENSION / "hooks/hooks.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "BeforeAgent", "SessionEnd"}
    for event, (group,) in hooks.items():
        (handler,) = group["hooks"]
        assert shlex.split(handler["command"])[-5:] == ["hook", "gemini", event, "||", "true"]
        assert 5_000 <= handler["timeout"] <= 10_000  # milliseconds
    assert run("install", "gemini", "--yes", "--no-hooks").exit_code == 0
    assert files(home) == everything - {f"{EXTENSION}/recall-rank.md", f"{EXTENSION}/hooks/hooks.json"}
    assert run("uninstall", "gemini", "--yes").exit_code == 0
    assert not (home / ".gemini").exists()


def test_gemini_is_found_in_the_home_that_its_variable_names(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_CLI_HOME", str(home / "elsewhere"))
    assert run("install", "gemini", "--yes").exit_code == 0
    assert (home / "elsewhere/.gemini/settings.json").exists()
    assert (home / "elsewhere" / EXTENSION / "hooks/hooks.json").exists()
    assert not (home / ".gemini").exists()
    assert run("uninstall", "gemini", "--yes").exit_code == 0
    assert files(home) == set()


def test_gemini_gets_hooks_and_a_command_of_a_project(home: Path, run: Run) -> None:
    done = run("install", "gemini", "--scope", "project", "--yes", "--full")
    assert "trusts the folder" in done.stderr
    assert files(home) == {"work/.gemini/settings.json", "work/.gemini/commands/recall.toml"}
    hooks = json.loads((home / "work/.gemini/settings.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "BeforeAgent", "SessionEnd"}
    assert run("uninstall", "gemini", "--scope", "project", "--yes").exit_code == 0
    assert not (home / "work/.gemini").exists()


@pytest.mark.parametrize("named", [False, True])
def test_copilot_gets_hooks_and_a_skill_of_its_user_only(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    folder = home / ("elsewhere" if named else ".copilot")
    if named:
        monkeypatch.setenv("COPILOT_HOME", str(folder))
    assert run("install", "copilot", "--yes").exit_code == 0
    assert files(folder) == {"mcp-config.json", "hooks/recall-rank.json", "skills/recall/SKILL.md"}
    written = json.loads((folder / "hooks/recall-rank.json").read_text())
    assert written["version"] == 1
    assert set(written["hooks"]) < set(HOOK_HOSTS["copilot"].events)
    for event, (handler,) in written["hooks"].items():
        assert shlex.split(handler["bash"])[-5:] == ["hook", "copilot", event, "||", "true"]
        assert 5 <= handler["timeoutSec"] <= 10
    lines = (folder / "skills/recall/SKILL.md").read_text().splitlines()
    assert (lines[0], lines[2], lines[4]) == ("---", "name: recall", "---")
    assert lines[1].startswith("# Put here by ")
    assert lines[3].startswith("description: ")
    assert ": " not in lines[3].removeprefix("description: ")  # else it is no YAML text without quotes
    assert run("uninstall", "copilot", "--yes").exit_code == 0
    assert not folder.exists()
    assert run("install", "copilot", "--scope", "project", "--yes").exit_code == 0
    assert files(home) == {"work/.github/mcp.json"}


def test_cursor_gets_a_rule_in_a_project_only(home: Path, run: Run) -> None:
    assert run("install", "cursor", "--yes").exit_code == 0
    assert files(home) == {".cursor/mcp.json"}
    assert run("install", "cursor", "--scope", "project", "--yes").exit_code == 0
    rule = (home / "work/.cursor/rules/recall-rank.mdc").read_text()
    assert rule.startswith("---\ndescription: ")
    assert rule.endswith(f"-->\n{NUDGE}\n")
    assert run("install", "cursor", "--scope", "project", "--yes", "--no-hooks").exit_code == 0
    assert files(home / "work") == {".cursor/mcp.json"}


def test_a_hook_ends_with_0_where_the_program_is_gone(home: Path, run: Run) -> None:
    run("install", "copilot", "--yes")
    hooks = json.loads((home / ".copilot/hooks/recall-rank.json").read_text())["hooks"]
    for (handler,) in hooks.values():
        command = handler["bash"].replace(shlex.split(handler["bash"])[0], "/nowhere/recall-rank")
        assert subprocess.run(["/bin/sh", "-c", command], check=False, capture_output=True, input=b"").returncode == 0


def test_every_event_of_an_install_is_one_that_is_answered() -> None:
    for name, host in HOSTS.items():
        assert set(host.hooks) <= set(HOOK_HOSTS[name].events if host.hooks else ())
