"""A shell completes ids, agents, tools, projects, folders and paths from the index as it is, and reads no history."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import CompletionItem, ShellComplete

from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.cli.options.completions import complete_agents
from recall_rank.frontends.demo.generate import history
from recall_rank.histories import unit_reader
from tests.conftest import state
from tests.frontends.conftest import Run
from tests.support.frontends.process import recall_rank


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """A history that is indexed in a cache of its own."""
    for name, folder in (("HOME", ""), ("XDG_CACHE_HOME", "caches"), ("XDG_CONFIG_HOME", "settings")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    made = tmp_path / "history.jsonl"
    made.write_text(history(), encoding="utf-8")
    assert run("search", "rate", "--history", made).exit_code == 0
    return made


def items(words: list[object], begun: str) -> list[CompletionItem]:
    complete = ShellComplete(cli, {}, "recall-rank", "_RECALL_RANK_COMPLETE")
    return complete.get_completions([str(word) for word in words], begun)


def values(words: list[object], begun: str) -> list[str]:
    return [item.value for item in items(words, begun) if item.type == "plain"]


@pytest.mark.parametrize("command", ["get", "context", "open", "copy", "reopen", "messages", "transcript", "export",
                                     "condense", "chain", "forget"])  # fmt: skip
def test_ids_of_sessions(path: Path, command: str) -> None:
    found = items([command, "--history", path], "demo-1")
    assert [item.value for item in found] == ["demo-12", "demo-11", "demo-10"]  # newest first
    assert found[2].help == "Rate limiting for the booking API"


def test_what_is_completed_is_redacted_where_the_settings_say_so(path: Path, tmp_path: Path, run: Run) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    told = {"t": "session", "id": "s-secret", "title": f"{'x ' * 25}{secret}", "directory": f"/srv/{secret}"}
    said = {"t": "message", "id": "m1", "session": "s-secret", "role": "user", "parts": [{"type": "text", "text": "a"}]}
    path.write_text(f"{json.dumps(told)}\n{json.dumps(said)}\n", encoding="utf-8")
    assert run("search", "a", "--history", path).exit_code == 0
    assert [each.help for each in items(["get", "--history", path], "s-")] == [f"{'x ' * 25}{secret[:10]}"]
    assert values(["search", "x", "--history", path, "--project"], "") == [secret]
    settings = tmp_path / "settings" / "recall_rank" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[defaults]\nredact = true\n")
    assert [each.help for each in items(["get", "--history", path], "s-")] == [f"{'x ' * 25}[redacted "]
    assert values(["search", "x", "--history", path, "--project"], "") == []


def test_ids_of_messages(path: Path) -> None:
    for command in ("get", "context", "copy"):
        assert values([command, "--history", path, "demo-10"], "demo-10-m") == [
            "demo-10-m1", "demo-10-m2", "demo-10-m3", "demo-10-m4"
        ]  # fmt: skip
    assert values(["get", "--history", path, "nobody"], "") == []


def test_tools_projects_folders_and_histories(path: Path) -> None:
    given: list[object] = ["search", "x", "--history", path]
    assert values([*given, "--tool"], "e") == ["edit"]
    assert values([*given, "--project"], "h") == ["harborline"]
    assert values([*given, "--directory"], "/home/sam/k") == ["/home/sam/kitewatch"]
    assert [item.type for item in items([*given, "--directory"], "/home")][-1] == "dir"
    assert values([*given, "--agent"], "co") == ["codex"]
    assert values(["sessions", "--history", path, "--agent"], "co") == ["codex"]
    assert values([*given, "--session"], "demo-06") == ["demo-06"]
    assert values([*given, "--exclude-session"], "demo-06") == ["demo-06"]
    assert "codex" in values(["search", "--history"], "co")
    assert values(["search", "--history"], "dem") == ["demo"]
    for option in ("--history", "--file"):
        assert [item.type for item in items(["search", "x", option], "/tmp/x")] == ["file"]


def test_agents(path: Path) -> None:
    context = cli.make_context("recall-rank", ["search"], resilient_parsing=True)
    command = cli.get_command(context, "search")
    assert command is not None
    inner = command.make_context("search", ["x", "--history", str(path)], parent=context, resilient_parsing=True)
    assert [item.value for item in complete_agents(inner, command.params[0], "c")] == ["claude-code", "codex"]


def test_nothing_is_read_or_written(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = state(tmp_path)

    def fails(*_: object) -> None:
        raise AssertionError("a history is read")

    monkeypatch.setattr(unit_reader.UnitReader, "read", fails)
    path.write_text("no history", encoding="utf-8")
    path.write_text(history(), encoding="utf-8")
    assert values(["open", "--history", path], "demo-10") == ["demo-10"]
    after = state(tmp_path)
    assert {name: size for name, (size, _) in after.items()} == {name: size for name, (size, _) in before.items()}


def test_without_an_index_nothing_is_completed(path: Path, tmp_path: Path) -> None:
    for given in (["--no-cache"], ["--cache", tmp_path / "empty"], ["--history", "/no/such/file"], ["--history", "\0"]):
        assert values(["open", *given, *([] if "--history" in given else ["--history", path])], "demo") == []
    (tmp_path / "settings" / "recall_rank").mkdir(parents=True)
    (tmp_path / "settings" / "recall_rank" / "config.toml").write_text("[")
    assert values(["open", "--history", path], "demo") == []


def test_a_forgotten_session_is_not_completed(path: Path, run: Run) -> None:
    assert run("forget", "demo-11", "--history", path).exit_code == 0
    assert values(["open", "--history", path], "demo-1") == ["demo-12", "demo-10"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_an_answer_without_rich_or_the_engine(path: Path, tmp_path: Path, shell: str) -> None:
    env = {"_RECALL_RANK_COMPLETE": f"{shell}_complete", "COMP_WORDS": f"recall-rank open --history {path} demo-10",
           "COMP_CWORD": "4"}  # fmt: skip
    if shell == "fish":
        env["COMP_CWORD"] = "demo-10"
    ended = recall_rank(python=("-X", "importtime"), env=env)
    assert ended.returncode == 0
    assert "demo-10" in ended.stdout
    assert "recall_rank.search.engine" not in ended.stderr
    assert not any(line.endswith("| rich") for line in ended.stderr.splitlines())


def test_the_script_of_bash_completes(path: Path, tmp_path: Path) -> None:
    script = recall_rank("completion", "bash").stdout
    command = tmp_path / "bin" / "recall-rank"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m recall_rank "$@"\n')
    command.chmod(0o755)
    line = f"recall-rank open --history {path} demo-1"
    program = f'''PATH={command.parent}:$PATH
{script}
COMP_WORDS=({line}) COMP_CWORD=4
_recall_rank_completion recall-rank
printf '%s\\n' "${{COMPREPLY[@]}}"'''
    ended = subprocess.run(["bash", "-c", program], check=False, capture_output=True, text=True)
    assert ended.stdout.split() == ["demo-12", "demo-11", "demo-10"], ended.stderr


def test_forgotten_sessions_are_completed_by_their_digests(path: Path, run: Run) -> None:
    assert values(["forget", "--undo"], "") == []
    assert run("forget", "demo-10", "--history", path).exit_code == 0
    (item,) = items(["forget", "--undo"], "")
    listed = run("forget", "--list").stdout.split()
    assert item.value == listed[0]
    assert str(item.help).split() == listed[1:3]
    assert "demo-11" in values(["forget", "--history", path], "demo-1")
    assert run("forget", "--undo", item.value, "--history", path).stdout == "read again: demo-10\n"
