"""The commands `push` and `pull`, and `search --index URL`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from recall_rank.frontends.cli.output.console import NOT_WRITTEN
from recall_rank.index.remote.store_url import STORES
from tests.frontends.conftest import Run
from tests.support.index.stores import contents, memory, new_url

needs_rsync = pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed")


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, name in (("HOME", "home"), ("XDG_DATA_HOME", "data"), ("XDG_CACHE_HOME", "cache")):
        (tmp_path / name).mkdir(exist_ok=True)
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("PWD", raising=False)


@pytest.fixture
def url() -> str:
    return new_url()


def test_two_machines_push_and_one_searches(run: Run, url: str) -> None:
    shared = ("push", url, "--history", "demo", "--user", "ana")
    first = json.loads(run(*shared, "--host", "quay", "--project", "mossgarden", "--json").stdout)
    assert first["ok"] is True
    assert (first["host"], first["user"], first["machines"], first["written"]) == ("quay", "ana", 1, 1)
    assert 0 < first["sessions"] == first["all_sessions"] < 12
    told = run(*shared, "--host", "mole", "--project", "*").stdout
    assert told.startswith(f"12 sessions of ana@mole in {url}, 12 from 2 machines in all; in ")
    copies = (
        f"note: {first['sessions']} further copies of sessions that several machines have; searches find the newest"
    )
    assert copies in told
    assert "nothing had changed" in run(*shared, "--host", "mole", "--project", "*").stdout
    found = json.loads(run("search", "--index", url, "rate limit", "--json", "--budget-ms", "60000").stdout)
    plain = json.loads(run("search", "--history", "demo", "rate limit", "--json", "--budget-ms", "60000").stdout)
    assert [hit["part_id"] for hit in found["results"]] == [hit["part_id"] for hit in plain["results"]]
    assert {hit["host"] for hit in found["results"]} == {"mole"}
    shown = run("search", "--index", url, "rate limit", "--host", "mole").stdout
    assert " · ana@mole" in shown
    assert run("search", "--index", url, "rate limit", "--user", "bo").exit_code == 1
    gone = run("push", url, "--withdraw", "--host", "mole", "--user", "ana").stdout
    assert gone == f"ana@mole was removed from {url}, which has {first['sessions']} sessions from 1 machine now\n"
    missing = run("push", url, "--withdraw", "--host", "mole", "--user", "ana")
    assert missing.exit_code == 5


def test_a_dry_run_shows_what_would_leave_and_writes_nothing(run: Run, url: str) -> None:
    shown = run("push", url, "--history", "demo", "--project", "mossgarden", "--dry-run").stdout.splitlines()
    count = int(shown[1].split()[0])
    assert shown[0] == f"{count} sessions would be pushed:"
    assert shown[1].split() == [str(count), "/home/sam/mossgarden"]
    assert shown[2] == f"{12 - count} sessions stay here:"
    told = json.loads(run("push", url, "--history", "demo", "--dry-run", "--json").stdout)
    assert told["projects"] == []
    assert sum(each["sessions"] for each in told["staying"]) == 12
    assert contents(url) == {}


def write_talk(path: Path, text: str, **more: object) -> None:
    """Write a transcript of Claude Code with one message."""
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"type": "user", "uuid": f"u-{text}", "sessionId": path.stem, "timestamp": "2026-05-01T10:00:00Z"}
    path.write_text(json.dumps({**told, "message": {"role": "user", "content": text}, **more}) + "\n", encoding="utf-8")


def test_a_push_takes_the_sessions_of_its_dry_run(run: Run, url: str, tmp_path: Path) -> None:
    """A subagent without a folder is of the project of its caller, and a folder of that of its repository."""
    clone = tmp_path / "clone"
    (clone / ".git").mkdir(parents=True)
    (clone / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (clone / ".git" / "config").write_text('[remote "origin"]\n\turl = git@forge.example:acme/api.git\n')
    store = tmp_path / "claude" / "projects"
    write_talk(store / "-w-acme" / "one.jsonl", "amber lantern", cwd="/w/acme")
    write_talk(store / "-w-acme" / "one" / "subagents" / "agent-a.jsonl", "brass lantern", isSidechain=True)
    write_talk(store / "-w-diary" / "two.jsonl", "private lantern", cwd="/w/diary")
    write_talk(store / "-w-diary" / "two" / "subagents" / "agent-b.jsonl", "hidden lantern", isSidechain=True)
    write_talk(store / "-clone" / "three.jsonl", "copper lantern", cwd=str(clone))
    shared = (
        "push",
        url,
        "--history",
        tmp_path / "claude",
        "--project",
        "/w/acme",
        "--project",
        "forge.example/acme/*",
    )
    seen = json.loads(run(*shared, "--dry-run", "--json").stdout)
    leaving, staying = (sum(each["sessions"] for each in seen[name]) for name in ("projects", "staying"))
    assert (leaving, staying) == (3, 2)
    for _ in range(2):  # the second one reads nothing again
        told = run(*shared, "--host", "quay", "--user", "ana").stdout
        assert told.startswith("3 sessions of ana@quay")
        assert "note: 2 sessions of projects that are not allowed, or not known, stay here" in told.splitlines()
    assert json.loads(run(*shared, "--json").stdout)["staying"] == 2
    found = json.loads(run("search", "--index", url, "lantern", "--json").stdout)["results"]
    assert {hit["snippet"] for hit in found} == {"amber lantern", "brass lantern", "copper lantern"}
    assert not any(word in data for data in contents(url).values() for word in (b"private", b"hidden"))


def test_a_pattern_that_names_nothing_is_told_or_refused(run: Run, url: str) -> None:
    shared = ("push", url, "--history", "demo", "--user", "ana", "--host", "quay", "--project", "typo")
    noted = "note: no session is of a project that 'typo' names"
    for _ in range(2):
        refused = run(*shared)
        assert refused.exit_code == 2
        assert "no session is of a project that may leave this machine: nothing was pushed" in refused.stderr
        assert contents(url) == {}
    both = (*shared, "--project", "mossgarden")
    for _ in range(2):  # the second one reads nothing again
        assert noted in run(*both).stdout.splitlines()
    assert json.loads(run(*both, "--json").stdout)["unmatched"] == ["typo"]
    assert noted in run(*both, "--dry-run").stdout.splitlines()
    assert json.loads(run(*both, "--dry-run", "--json").stdout)["unmatched"] == ["typo"]
    assert run("push", url, "--withdraw", "--user", "ana", "--host", "never").exit_code == 5
    missing = run("push", url, "--withdraw", "--user", "ana", "--host", "never").stderr
    assert missing == f"recall-rank: ana@never has pushed nothing to {url}: ana@quay has\n"
    assert run("push", url, "--withdraw", "--user", "ana", "--host", "quay").exit_code == 0
    assert run("push", url, "--withdraw", "--user", "ana", "--host", "quay").exit_code == 5


def test_the_settings_may_allow_projects(run: Run, url: str, tmp_path: Path) -> None:
    refused = run("push", url, "--history", "demo")
    assert refused.exit_code == 2
    assert "name the projects that may leave this machine" in refused.stderr
    assert "with --project, or with `projects` in the section [push] of the settings" in refused.stderr
    config = tmp_path / "config" / "recall_rank" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[push]\nprojects = ["moss*"]\n')
    assert json.loads(run("push", url, "--history", "demo", "--json").stdout)["sessions"] > 0
    config.write_text('[push]\nprojects = "moss*"\n')
    assert "push.projects must be a list of patterns" in run("push", url, "--history", "demo").stderr
    config.write_text('[push]\nproject = ["moss*"]\n')
    assert "push has no 'project': it has projects" in run("push", url, "--history", "demo").stderr


def test_what_is_forgotten_leaves_the_store_with_the_next_push(run: Run, url: str) -> None:
    shared = ("push", url, "--history", "demo", "--project", "*", "--host", "quay")
    run(*shared)
    assert any(b"MapLibre" in data for data in contents(url).values())
    assert run("forget", "demo-01", "--history", "demo").exit_code == 0
    run(*shared)
    assert not any(b"MapLibre" in data for data in contents(url).values())
    assert run("search", "--index", url, "MapLibre", "-m", "literal").exit_code == 1


KILLED = """
import os, sys
from recall_rank.frontends.cli.main import cli
sound = os.link

def link(old, new, **options):
    if str(new).startswith(sys.argv[2]):
        os._exit(9)
    sound(old, new, **options)

os.link = link
cli(sys.argv[1:])
"""


def killed_push(folder: Path, *arguments: str) -> None:
    """Push to a folder in a process that ends when its manifest is to be linked to its name."""
    words = ("push", str(folder), "--history", "demo", "--host", "quay", "--user", "ana", *arguments)
    done = subprocess.run([sys.executable, "-c", KILLED, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 9, done.stderr


def stored(folder: Path) -> list[str]:
    """Return the kinds of the objects in a folder, sorted."""
    return sorted(path.name.split("-")[0] for path in folder.iterdir())


@pytest.mark.posix
def test_a_first_push_that_was_killed_blocks_nobody(run: Run, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    killed_push(shared, "--project", "mossgarden")
    assert stored(shared) == ["segment", "table", "temporary"]
    assert run("push", shared, "--history", "demo", "--project", "*", "--host", "mole").exit_code == 0
    assert stored(shared) == ["manifest", "segment", "table"]


@pytest.mark.posix
@pytest.mark.parametrize("first", [True, False])
def test_what_a_killed_push_left_goes_with_the_next_one(run: Run, tmp_path: Path, first: bool) -> None:
    shared = tmp_path / "shared"
    push = ("push", shared, "--history", "demo", "--host", "quay", "--user", "ana", "--project")
    if not first:
        run(*push, "mossgarden")
    killed_push(shared, "--project", "*")
    assert any(b"MapLibre" in path.read_bytes() for path in shared.iterdir())
    run("forget", "demo-01", "--history", "demo")
    assert run(*push, "*").exit_code == 0
    assert not any(b"MapLibre" in path.read_bytes() for path in shared.iterdir())
    assert stored(shared) == ["manifest", "segment", "table"]


@pytest.mark.posix
def test_what_cannot_be_deleted_fails_the_push(run: Run, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def rm_file(self: object, path: str) -> None:
        raise PermissionError(13, "AccessDenied")

    shared = ("push", url, "--history", "demo", "--project", "*", "--host", "quay")
    run(*shared)
    run("forget", "demo-01", "--history", "demo")
    monkeypatch.setattr(type(memory()), "rm_file", rm_file)
    for _ in range(2):
        refused = run(*shared)
        assert refused.exit_code == NOT_WRITTEN
        assert "could not be deleted, and may hold the text of removed sessions: 2 of its objects" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    told = json.loads(run(*shared, "--json").stdout)
    assert told["ok"] is False
    assert "AccessDenied" in told["error"]


@pytest.mark.parametrize("named", [True, False], ids=["a cache of its own", "the usual cache"])
def test_forget_and_purge_remove_what_was_read_of_stores(run: Run, url: str, tmp_path: Path, named: bool) -> None:
    cache = tmp_path / "own" if named else tmp_path / "cache" / "recall_rank"
    options = ("--history", "demo", *(("--cache", cache) if named else ()))
    blocks = cache / STORES

    def left() -> list[str]:
        return [path.name for path in blocks.rglob("*") if path.is_file()]

    for host in ("quay", "mole"):
        run("push", url, "--project", "*", "--host", host, *options)
    if not named:
        run("search", "--index", url, "MapLibre", "-m", "literal")
    assert left()
    (blocks / "notes.txt").write_text("mine")
    assert run("forget", "demo-01", *options).exit_code == 0
    assert left() == ["notes.txt"]
    run("push", url, "--project", "*", "--host", "mole", *options)
    assert not any(b"MapLibre" in path.read_bytes() for path in cache.rglob("*") if path.is_file())
    (blocks / "notes.txt").unlink()
    purged = run("purge", *options[2:])
    assert (purged.exit_code, purged.stderr) == (0, "")
    assert sorted(path.name for path in cache.iterdir()) == ["forgotten"]


def test_a_folder_is_a_place_to_push_to(run: Run, tmp_path: Path) -> None:
    shared = tmp_path / "team index #1"
    assert run("push", shared, "--history", "demo", "--project", "*").exit_code == 0
    assert shared.is_dir()
    for place in (shared, f"file://{shared}"):
        assert run("search", "--index", place, "rate limit").exit_code == 0
    for wrong in ("file://", "file://rel/index", "file://localhost/srv", "s3:/bucket/x"):
        assert run("push", wrong, "--history", "demo", "--project", "*").exit_code == 2


def test_what_would_leave_nothing_is_refused_and_a_place_with_other_files_left_alone(
    run: Run, url: str, tmp_path: Path
) -> None:
    shared = ("push", url, "--host", "quay", "--user", "ana")
    run(*shared, "--history", "demo", "--project", "*")
    before = contents(url)
    slip = run(*shared, "--history", "demo", "--project", "mosgarden")
    assert slip.exit_code == 2
    assert "nothing would be left of the 12 sessions that ana@quay has pushed" in slip.stderr
    assert run(*shared, "--history", tmp_path / "nowhere", "--project", "*").exit_code in (2, 3, 4)
    assert contents(url) == before
    told = json.loads(run(*shared, "--history", "demo", "--project", "mossgarden", "--json").stdout)
    assert told["changed"] is True
    assert told["removed"] == 12 - told["sessions"] > 0
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "notes.txt").write_text("mine")
    other = run("push", tmp_path / "built", "--history", "demo", "--project", "*")
    assert other.exit_code == 2
    assert "has other files, such as notes.txt" in other.stderr


def test_wrong_use_of_push_ends_the_command(run: Run, url: str, tmp_path: Path) -> None:
    none = run("push", url, "--project", "*")
    assert none.exit_code == 3
    assert "no agent history was found" in none.stderr
    assert run("push", url, "--dry-run", "--withdraw").exit_code == 2
    assert run("push", url, "--history", "demo", "--project", "*", "--host", "a\tb").exit_code == 2
    unknown = run("push", "nosuch://there", "--history", "demo", "--project", "*")
    assert unknown.exit_code == 2
    (tmp_path / "file").write_text("here")
    assert run("push", f"file://{tmp_path}/file", "--history", "demo", "--project", "*").exit_code == 2
    assert run("search", "--index", url, "rate").exit_code == 3
    assert run("search", "--index", "nosuch://there", "rate").exit_code == 3


@needs_rsync
def test_histories_of_another_machine_are_copied_and_searched(run: Run, tmp_path: Path) -> None:
    from tests.fixtures.make_fixtures import write_claude

    write_claude(tmp_path / "quay")
    shown = run("pull", tmp_path / "quay").stdout
    assert re.fullmatch(rf"quay: \d+ files of claude-code, in {re.escape(str(tmp_path))}/data/\S+/quay/home\n", shown)
    assert run("pull", "--list").stdout == "quay\n1 machine copied\n"
    assert json.loads(run("pull", "--list", "--json").stdout) == {"ok": True, "schema_version": 1, "machines": ["quay"]}
    hits = json.loads(run("search", "the", "--host", "quay", "--json").stdout)["results"]
    assert {hit["host"] for hit in hits} == {"quay"}
    empty = run("pull", tmp_path / "data", "--name", "none")
    assert empty.exit_code == 3
    assert "no store of an agent was found" in empty.stderr
    assert run("pull", "quay", "--remove").stdout == "the histories of quay were deleted here\n"
    assert run("pull", "quay", "--remove").exit_code == 5
    assert run("search", "the").exit_code == 3


@needs_rsync
@pytest.mark.posix
def test_files_that_could_not_be_copied_are_told(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.fixtures.make_fixtures import write_claude

    write_claude(tmp_path / "quay")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "rsync"
    program.write_text(f'#!/bin/sh\n{shutil.which("rsync")} "$@"; echo "one.jsonl: Permission denied" >&2; exit 23\n')
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    shown = run("pull", tmp_path / "quay")
    assert shown.exit_code == 0
    note = "note: some files could not be copied, and nothing was deleted: one.jsonl: Permission denied\n"
    assert shown.stdout.endswith(note)
    told = json.loads(run("pull", tmp_path / "quay", "--json").stdout)
    assert (told["ok"], told["problem"]) == (True, "one.jsonl: Permission denied")


@pytest.mark.parametrize(
    "words", [(), ("a", "--list"), ("--list", "--remove"), ("--remove",), ("a", "--remove", "--name", "b")]
)
def test_wrong_use_of_pull_ends_the_command(run: Run, words: tuple[str, ...]) -> None:
    assert run("pull", *words).exit_code == 2


def test_a_place_that_cannot_be_pulled_ends_the_command(run: Run, tmp_path: Path) -> None:
    assert run("pull", "-oProxyCommand=x").exit_code == 2
    assert run("pull", "--", "-oProxyCommand=x").exit_code == 2
    assert run("pull", tmp_path / "nowhere").exit_code == 2
