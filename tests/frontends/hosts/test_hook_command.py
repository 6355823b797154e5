"""`recall-rank hook` as a process: always status 0, at most one line on stderr, in time."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import subprocess
import sys
import threading
from pathlib import Path
from typing import Self

import pytest
from click.testing import CliRunner

from recall_rank.frontends.cli import start
from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.hosts.events import background_refresh, hook_command
from recall_rank.frontends.hosts.events.host_hooks import HostAnswer
from recall_rank.recall import Recall
from tests.frontends.hosts.conftest import ASKS, HookedMachine
from tests.support.frontends.process import recall_rank
from tests.support.semantic.embedding_server import embedding_server


@pytest.mark.parametrize(
    "words", [(), ("claude-code",), ("--json", "x"), ("a", "b", "c"), ("emacs", "Start"), ("codex", "Stop"), ("-x",)]
)
def test_wrong_words_end_with_0(hooked: HookedMachine, words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(cli, ["hook", *words], input="{}", prog_name="recall-rank")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith("recall-rank hook: ")
    assert done.stderr.count("\n") == 1


def test_a_defect_ends_with_0(hooked: HookedMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> HostAnswer:
        raise MemoryError

    monkeypatch.setattr("recall_rank.frontends.hosts.events.host_hooks.host_answer", fail)
    done = CliRunner().invoke(cli, ["hook", "codex", "SessionStart"], input="{}", prog_name="recall-rank")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "recall-rank hook: MemoryError while the answer was made or written\n"


def test_the_command_line_and_the_short_way_answer_alike(hooked: HookedMachine) -> None:
    call = hooked.call("claude-code", "UserPromptSubmit", prompt="what is the weather")
    done = CliRunner().invoke(cli, ["hook", "claude-code", "UserPromptSubmit"], input=call, prog_name="recall-rank")
    assert (done.exit_code, done.output) == (0, "")
    asks = hooked.call("claude-code", "UserPromptSubmit", prompt=ASKS).decode()
    short = recall_rank("hook", "claude-code", "UserPromptSubmit", input=asks)
    assert (short.returncode, short.stderr) == (0, "")
    assert "amber" in json.loads(short.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    "words", [("hook", "-h", "x"), ("hook", "codex"), ("search", "a", "b"), ("hook", "a", "b", "c")]
)
def test_only_a_plain_call_takes_the_short_way(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    monkeypatch.setattr(sys, "argv", ["recall-rank", *words])
    assert not start._is_hook()
    monkeypatch.setattr(sys, "argv", ["recall-rank", "hook", "codex", "SessionStart"])
    assert start._is_hook()
    monkeypatch.setattr(sys, "stdin", None)
    assert not start._is_hook()


def test_a_closed_stdout_or_stderr_ends_with_0(hooked: HookedMachine) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    asks = hooked.call("claude-code", "UserPromptSubmit", prompt=ASKS).decode()
    try:
        for stream in ("stdout", "stderr"):
            kept = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: writer}
            words = ("hook", "claude-code", "UserPromptSubmit")
            done = recall_rank(*words, input=asks, capture_output=False, **kept)
            assert done.returncode == 0
    finally:
        os.close(writer)


def test_errors_of_writing_problems_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        def write(self, _: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Closed())
    hook_command.run_hook(())


# --- the refresh in the background ---------------------------------------------------------------------


def test_a_refresh_in_a_process_of_its_own_makes_the_index(
    tmp_path: Path, hooked: HookedMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(hooked.claude.home))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    cache = hooked.claude.cache
    assert background_refresh.start_refresh(cache, os.environ, 600.0) is None  # it is new
    assert background_refresh.start_refresh(cache, os.environ, 1e9) is None
    (cache / "machine").rename(tmp_path / "moved")
    for wait in (False, True):
        child = background_refresh.start_refresh(cache, os.environ, wait=wait)
        assert child is not None
        assert os.waitpid(child, 0)[1] == 0
    with Recall.discover() as recall:
        assert recall.search("amber").results


def test_one_refresh_at_a_time(hooked: HookedMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("another process refreshes")

    held = os.open(hooked.claude.cache, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        monkeypatch.setattr(Recall, "discover", refuse)
        assert background_refresh.refresh_once() == 0
    finally:
        os.close(held)
    with pytest.raises(AssertionError, match="another process"):
        background_refresh.refresh_once()


def test_the_refresh_of_an_ended_session_waits_for_another(
    hooked: HookedMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()
    found: list[int] = []

    class Noted:
        def __enter__(self) -> Self:
            begun.set()
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def refresh(self) -> None:
            pass

    monkeypatch.setattr(Recall, "discover", lambda *_, **__: Noted())
    held = os.open(hooked.claude.cache, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    waiting = threading.Thread(target=lambda: found.append(background_refresh.refresh_once(wait=True)))
    waiting.start()
    assert not begun.wait(0.1)
    os.close(held)
    waiting.join(10)
    assert (begun.is_set(), found) == (True, [0])


def test_a_refresh_makes_the_vectors_of_the_embedder_in_the_settings(hooked: HookedMachine) -> None:
    settings = hooked.claude.home / ".config" / "recall_rank" / "config.toml"
    settings.parent.mkdir(parents=True)
    with embedding_server() as server:
        settings.write_text(f'embedder = "ollama:mini@{server.url}"\n')
        assert background_refresh.refresh_once() == 0
        assert server.asked
    assert list(hooked.claude.cache.rglob("vectors-*"))


def test_settings_without_a_cache_refresh_nothing(hooked: HookedMachine) -> None:
    settings = hooked.claude.home / ".config" / "recall_rank" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("cache = false\n")
    assert background_refresh.refresh_once() == 1
    assert hooked.run("codex", "SessionEnd").problems == []
    assert hooked.run("claude-code", "UserPromptSubmit", prompt=ASKS).stdout == ""
    assert hooked.refreshes == []


# --- the files of the plugins --------------------------------------------------------------------------


FILES = Path(background_refresh.__file__).parents[1] / "files"


def test_a_hook_of_a_plugin_ends_with_0_whatever_its_command_does(hooked: HookedMachine, tmp_path: Path) -> None:
    hooks = json.loads((FILES / "claude_code/hooks/hooks.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"}
    for event, groups in hooks.items():
        ((handler,),) = [group["hooks"] for group in groups]
        assert shlex.split(handler["command"])[:4] == ["recall-rank", "hook", "claude-code", event]
        assert 5 <= handler["timeout"] <= 300
        for fails in ("exit 2", "exit 1"):  # an older version, and one that is damaged
            program = tmp_path / "recall-rank"
            program.write_text(f"#!/bin/sh\n{fails}\n")
            program.chmod(0o700)
            done = subprocess.run(
                ["/bin/sh", "-c", handler["command"]], env={"PATH": str(tmp_path)}, check=False, input=b"{}"
            )
            assert done.returncode == 0
        program.write_text("#!/nowhere/python\n")  # Python was removed, then the program, too
        for _ in range(2):
            gone = subprocess.run(
                ["/bin/sh", "-c", handler["command"]], env={"PATH": str(tmp_path)}, check=False, capture_output=True
            )
            assert (gone.returncode, gone.stdout) == (0, b"")
            assert gone.stderr.count(b"\n") == 1
            program.unlink(missing_ok=True)


def test_the_manifests_name_this_version() -> None:
    import recall_rank

    plugin = json.loads((FILES / "claude_code/.claude-plugin/plugin.json").read_text())
    market = json.loads((FILES / "claude_code/.claude-plugin/marketplace.json").read_text())
    extension = json.loads((FILES / "gemini/gemini-extension.json").read_text())
    assert plugin["version"] == extension["version"] == recall_rank.__version__
    assert [(each["name"], each["source"]) for each in market["plugins"]] == [(plugin["name"], "./")]
    servers = json.loads((FILES / "claude_code/.mcp.json").read_text())["mcpServers"]
    assert servers == {"recall-rank": {"command": "recall-rank", "args": ["mcp"]}}


@pytest.mark.parametrize("page", sorted((FILES / "claude_code/commands").glob("*.md")), ids=lambda page: page.stem)
def test_a_slash_command_runs_commands_that_exist(page: Path) -> None:
    lines = page.read_text().splitlines()
    assert lines[0] == "---"
    assert lines[1].startswith("description: ")
    runs = [line.split() for line in lines if line.startswith("    recall-rank ")]
    assert runs
    for words in runs:
        done = CliRunner().invoke(
            cli, [*words[1 : 3 if words[1] == "compact" else 2], "--help"], prog_name="recall-rank"
        )
        assert done.exit_code == 0


def test_every_slash_command_is_there() -> None:
    names = {page.stem for page in (FILES / "claude_code/commands").glob("*.md")}
    assert names == {"recall", "recall-session", "compact-on", "compact-off", "compact-status"}
