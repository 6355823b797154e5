"""`recall-rank compact` through the real command line: on, compactions of real session files, off."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from recall_rank.frontends.compaction.context_file import EMPTY
from recall_rank.frontends.compaction.records import remove_record
from recall_rank.histories.records.session_copies import copy_path
from tests.frontends.conftest import Run
from tests.support.frontends.claude_machine import FIRST, SECOND, ClaudeMachine, tree
from tests.support.frontends.process import ROOT
from tests.support.frontends.terminal import on_terminal
from tests.support.privileges import modes_bind

FILES = {
    "CLAUDE.md": b"# Quay\r\n\r\nUse tabs.",
    ".gitignore": b"*.log",
    ".claude/settings.json": (
        b'{\n\t"permissions": {"allow": ["Bash(ls)"]},\n\t"hooks": {\n\t\t"PreCompact": [\n\t\t\t{"matcher": "", '
        b'"hooks": [{"type": "command", "command": "other-tool save"}]}\n\t\t]\n\t}\n}'
    ),
}


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeMachine:
    machine = ClaudeMachine(tmp_path)
    for name in ("CLAUDE_PROJECT_DIR", "RECALL_RANK_CURATING"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(machine.home))
    monkeypatch.setenv("PATH", machine.path_with_program())
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(machine.project)
    for name, data in FILES.items():
        (machine.project / name).parent.mkdir(exist_ok=True)
        (machine.project / name).write_bytes(data)
    machine.session(FIRST, "first asks for the tariff of the ferry", "the tariff is amber")
    machine.session(SECOND, "second asks for the lighthouse", "the lighthouse is indigo")
    return machine


def hook_of(claude: ClaudeMachine, event: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run the command that settings.json names for an event, in a shell as Claude Code does."""
    settings = json.loads((claude.project / ".claude" / "settings.json").read_text())
    ours = [
        handler
        for group in settings["hooks"][event]
        for handler in group["hooks"]
        if handler["command"].startswith("recall-rank ")
    ]
    (handler,) = ours
    program = f"{shlex.quote(sys.executable)} -m recall_rank"
    command = handler["command"].replace("recall-rank", program, 1)
    return subprocess.run(
        ["/bin/sh", "-c", command], input=data, capture_output=True, check=False, timeout=60, cwd=claude.project
    )


def test_a_project_is_as_it_was_after_two_compactions(claude: ClaudeMachine, run: Run) -> None:
    before = tree(claude.project)
    shown = run("compact", "on", "--yes")
    assert shown.exit_code == 0
    assert "+@.claude/recall-context.md" in shown.stdout
    assert "+.claude/recall-context.md*" in shown.stdout
    assert run("compact", "on").stdout == f"compact is on in {claude.project} already: nothing was changed\n"

    done = hook_of(claude, "PreCompact", claude.before(FIRST))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert run("compact", "hook", "pre-compact", input=claude.before(SECOND)).output == ""
    cache = claude.home / ".cache" / "recall_rank"
    copies = {each: copy_path(cache, each).read_text() for each in (FIRST, SECOND)}
    assert "amber" in copies[FIRST]
    assert "indigo" not in copies[FIRST]
    assert "indigo" in copies[SECOND]
    assert "amber" not in copies[SECOND]
    assert claude.context.read_text() == copies[SECOND]
    told = run("compact", "hook", "session-start", input=claude.start(SECOND, "compact"))
    assert told.exit_code == 0
    assert SECOND in json.loads(told.stdout)["hookSpecificOutput"]["additionalContext"]
    status = json.loads(run("compact", "status", "--json").stdout)
    assert (status["state"], status["session_id"]) == ("on", SECOND)

    hidden = run("compact", "off", "--yes")
    assert "indigo" not in hidden.stdout  # an off shows edits, and no history
    assert ".claude/recall-context.md is removed" in hidden.stdout
    assert tree(claude.project) == before
    assert json.loads(run("compact", "status", "--json").stdout)["state"] == "off"


def test_the_next_start_empties_the_file_through_the_command_line(claude: ClaudeMachine, run: Run) -> None:
    run("compact", "on", "--yes")
    run("compact", "hook", "pre-compact", input=claude.before(FIRST))
    assert "amber" in claude.context.read_text()
    done = run("compact", "hook", "session-start", input=claude.start(SECOND, "startup"))
    assert (done.exit_code, done.output) == (0, "")
    assert claude.context.read_bytes() == EMPTY


def test_what_was_forgotten_is_nowhere(claude: ClaudeMachine, run: Run) -> None:
    run("compact", "on", "--yes")
    run("compact", "hook", "pre-compact", input=claude.before(FIRST))
    cache = claude.home / ".cache" / "recall_rank"
    assert run("forget", FIRST).exit_code == 0
    for path in (*cache.rglob("*"), *claude.project.rglob("*")):
        assert path.is_dir() or b"amber" not in path.read_bytes(), path
    assert claude.context.read_bytes() == EMPTY
    told = run("compact", "hook", "pre-compact", input=claude.before(FIRST))
    assert told.exit_code == 0
    assert "forgotten" in told.stderr
    for path in (*cache.rglob("*"), *claude.project.rglob("*")):
        assert path.is_dir() or b"amber" not in path.read_bytes(), path


def test_a_purge_removes_the_copies(claude: ClaudeMachine, run: Run) -> None:
    run("compact", "on", "--yes")
    run("compact", "hook", "pre-compact", input=claude.before(FIRST))
    assert copy_path(claude.cache, FIRST).exists()
    assert json.loads(run("purge", "--json").stdout)["left"] == []
    assert not claude.cache.exists()


@pytest.mark.parametrize("data", [b"", b"garbage", b"\xff" * 2_000_000])
@pytest.mark.parametrize("hook", ["pre-compact", "session-start"])
def test_a_hook_ends_with_0_for_any_stdin(claude: ClaudeMachine, run: Run, hook: str, data: bytes) -> None:
    run("compact", "on", "--yes")
    done = run("compact", "hook", hook, input=data)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith("recall-rank compact: stdin ")


def test_a_hook_ends_with_0_where_settings_are_wrong(claude: ClaudeMachine, run: Run) -> None:
    run("compact", "on", "--yes")
    config = claude.home / ".config" / "recall_rank" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("ignore = 1\n")
    done = run("compact", "hook", "pre-compact", input=claude.before(FIRST))
    assert (done.exit_code, done.stdout) == (0, "")
    assert "config.toml" in done.stderr
    assert claude.context.read_bytes() == EMPTY
    config.write_text("cache = false\n")
    assert run("compact", "hook", "pre-compact", input=claude.before(FIRST)).exit_code == 0
    assert "amber" in claude.context.read_text()
    assert not claude.cache.exists()


def test_a_missing_or_older_program_does_not_block_a_compaction(claude: ClaudeMachine, run: Run) -> None:
    run("compact", "on", "--yes")
    settings = json.loads((claude.project / ".claude" / "settings.json").read_text())
    for event, at in (("PreCompact", 1), ("SessionStart", 0)):
        command = settings["hooks"][event][at]["hooks"][0]["command"]
        for program in ("no-such-program", f"{shlex.quote(sys.executable)} -m recall_rank no-such-command"):
            done = subprocess.run(["/bin/sh", "-c", command.replace("recall-rank", program, 1)], check=False)
            assert done.returncode == 0


def test_consent_is_needed(claude: ClaudeMachine, run: Run) -> None:
    before = tree(claude.project)
    asked = run("compact", "on")
    assert asked.exit_code == 2
    assert "need consent" in asked.stderr
    assert "+@.claude/recall-context.md" in asked.stdout
    assert tree(claude.project) == before
    run("compact", "on", "--yes")
    there = tree(claude.project)
    assert run("compact", "off").exit_code == 2
    assert tree(claude.project) == there


@pytest.mark.parametrize(("typed", "status"), [("y\n", 0), ("n\n", 130)])
def test_consent_on_a_terminal(claude: ClaudeMachine, typed: str, status: int) -> None:
    ended, shown, _ = on_terminal(("compact", "on"), cwd=claude.project, typed=typed)
    assert ended == status
    assert "Make these edits" in shown
    assert claude.context.exists() == (status == 0)


def test_what_cannot_be_edited_is_an_error(claude: ClaudeMachine, run: Run) -> None:
    settings = claude.project / ".claude" / "settings.json"
    for words, text in ((("on", "--yes"), "{,}"), (("off", "--yes"), '{"recall-rank compact hook pre-compact",}')):
        settings.write_text(text)
        before = tree(claude.project)
        refused = run("compact", *words)
        assert refused.exit_code == 2
        assert "nothing was changed: .claude/settings.json: it is no valid JSON" in refused.stderr
    assert "no valid JSON" in run("compact", "status").stdout
    assert run("compact", "status", "--project", "absent").exit_code == 2
    assert run("compact", "on", "--project", claude.home, "--yes").exit_code == 2
    assert run("compact", "on", "--project", "").exit_code == 2
    assert tree(claude.project) == before


def test_a_project_that_cannot_be_written_is_told(claude: ClaudeMachine, run: Run) -> None:
    before = tree(claude.project)
    claude.project.chmod(0o500)
    with modes_bind():
        refused = run("compact", "on", "--yes")
    claude.project.chmod(0o700)
    assert refused.exit_code == 4
    assert "nothing was changed: Permission denied" in refused.stderr
    assert tree(claude.project) == before
    assert not json.loads(run("compact", "status", "--json").stdout)["recorded"]


def test_status_tells_what_is_missing(claude: ClaudeMachine, run: Run) -> None:
    assert run("compact", "status").stdout.splitlines()[0] == f"compact is off in {claude.project}"
    run("compact", "on", "--yes")
    run("compact", "hook", "pre-compact", input=claude.before(FIRST))
    (claude.project / ".gitignore").write_bytes(b"*.log\n")
    told = run("compact", "status").stdout
    assert told.startswith(f"compact is partly on in {claude.project}\n")
    assert "missing: the line that keeps that file out of git, .gitignore (it was there after" in told
    assert f"the shared file holds session {FIRST}" in told
    assert "amber" not in told


def test_edits_that_a_colleague_committed_count_after_on(claude: ClaudeMachine, run: Run) -> None:
    assert run("compact", "on", "--yes").exit_code == 0
    remove_record(claude.project)
    files = tree(claude.project)
    assert "no hook does anything until `on` makes one" in run("compact", "status").stdout
    assert "count on this machine now" in run("compact", "on").stdout
    assert "no record" not in run("compact", "status").stdout
    assert "already: nothing was changed" in run("compact", "on").stdout
    assert "was there before `compact on` and stays" in run("compact", "off").stderr
    assert tree(claude.project) == files
