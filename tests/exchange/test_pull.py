"""Stores of other machines are copied by rsync, found beside those of this machine, and read as they are there."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from recall_rank.exchange.pull import PullError, pull, remove_pulled
from recall_rank.exchange.pulled import machine_sources, pulled_machines, pulled_sources
from recall_rank.loaders import discover, read_all
from recall_rank.model import Session
from recall_rank.model.record_classes import replace
from recall_rank.recall import Recall
from tests.fixtures import make_fixtures
from tests.loaders.test_store_hints import furnish

needs_rsync = pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed")


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, name in (("XDG_DATA_HOME", "data"), ("XDG_CACHE_HOME", "cache"), ("HOME", "empty")):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.delenv("PWD", raising=False)


def told(sessions: list[Session]) -> list[Session]:
    """Return sessions without what a copy changes: where it lies, and whose it is."""
    bare = [replace(each, places=(), host=None) for each in sessions]
    return sorted(bare, key=lambda each: (each.source or "", each.id, repr(each)))


@needs_rsync
def test_every_store_of_a_home_is_copied_and_nothing_else(tmp_path: Path) -> None:
    home = furnish(tmp_path / "there")
    (home / ".config" / "tallow-work-dirs").unlink()  # it names homes of tallow in other places, which are not copied
    secrets = [".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json", ".ssh/id_ed25519"]
    for secret in secrets:
        path = home / secret
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret")
    (home / ".claude" / "projects" / "linked").symlink_to(home / ".ssh")
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    done = pull(str(home), "quay")
    assert done.name == "quay"
    assert pulled_machines() == ["quay"]
    copy = tmp_path / "data" / "recall_rank" / "machines" / "quay" / "home"
    assert done.folder == str(copy)
    assert done.files == sum(path.is_file() for path in copy.rglob("*"))
    there = read_all(discover({}, home))[0]
    here = read_all(machine_sources("quay"))[0]
    assert {each.host for each in here} == {"quay"}
    assert {each.source for each in there} == {each.source for each in here}
    for one, other in zip(told(here), told(there), strict=True):
        assert one == other
    assert not [secret for secret in secrets if (copy / secret).exists()]
    assert not (copy / ".claude" / "projects" / "linked").exists()
    for path in copy.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before


@needs_rsync
def test_a_second_pull_brings_the_copy_up_to_date(tmp_path: Path) -> None:
    there = tmp_path / "mole"
    make_fixtures.write_claude(there)
    assert pull(str(there)).name == "mole"
    with Recall.discover() as recall:
        first = {each.id for each in recall.sessions()}
        assert first
        assert {each.host for each in recall.search("the").results} == {"mole"}
    path = next((there / ".claude" / "projects").rglob("*.jsonl"))
    path.unlink()
    make_fixtures.write_opencode(there / ".local" / "share" / "opencode")
    pull(str(there))
    assert {source.name for source in pulled_sources()} == {"claude-code", "opencode"}
    with Recall.discover() as recall:
        recall.refresh()
        assert recall.search("the", agent="opencode", budget_ms=60_000).total
    remove_pulled("mole")
    assert pulled_machines() == pulled_sources() == []
    with pytest.raises(LookupError, match="'mole'"):
        remove_pulled("mole")


@needs_rsync
def test_a_place_without_stores_and_another_place_leave_a_copy_alone(tmp_path: Path) -> None:
    make_fixtures.write_claude(tmp_path / "mole")
    make_fixtures.write_claude(tmp_path / "elsewhere" / "mole")
    pull(str(tmp_path / "mole"))
    copied = sorted((tmp_path / "data").rglob("*"))
    with pytest.raises(ValueError, match=r"mole is the copy of .*: choose another --name"):
        pull(str(tmp_path / "elsewhere" / "mole"))
    shutil.rmtree(tmp_path / "mole" / ".claude")
    with pytest.raises(LookupError, match="no store of an agent was found"):
        pull(str(tmp_path / "mole"))
    with pytest.raises(LookupError):
        pull(str(tmp_path / "mole"), "another")
    assert sorted((tmp_path / "data").rglob("*")) == copied
    assert pulled_machines() == ["mole"]


@needs_rsync
def test_the_same_session_from_two_machines_is_one(tmp_path: Path) -> None:
    for name in ("quay", "mole"):
        make_fixtures.write_claude(tmp_path / name)
        pull(str(tmp_path / name))
    make_fixtures.write_claude(tmp_path / "alone")
    with Recall.discover() as recall, Recall(discover({}, tmp_path / "alone")) as alone:
        assert sorted(each.id for each in recall.sessions()) == sorted(each.id for each in alone.sessions())
        assert recall.search("the", budget_ms=60_000).total == alone.search("the", budget_ms=60_000).total


@needs_rsync
def test_a_host_is_asked_by_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that stands for ssh runs the command of rsync here, in the folder that stands for the home."""
    there = tmp_path / "there"
    make_fixtures.write_claude(there)
    shell = tmp_path / "ssh"
    pretended = f'echo "$1 $2 $3" > {tmp_path}/asked; [ "$1" = -l ] && shift 2; shift; cd {there} && exec sh -c "$*"'
    shell.write_text(f"#!/bin/sh\n{pretended}\n")
    shell.chmod(0o700)
    monkeypatch.setenv("RSYNC_RSH", str(shell))
    assert pull("ana@build-7.example").name == "build-7.example"
    assert (tmp_path / "asked").read_text().startswith("-l ana build-7.example")
    assert read_all(machine_sources("build-7.example"))[0]
    shell.write_text("#!/bin/sh\necho 'Permission denied (publickey).' >&2\nexit 255\n")
    with pytest.raises(PullError, match=r"build-7.example: rsync ended with \d+: Permission denied \(publickey\)"):
        pull("ana@build-7.example")
    with pytest.raises(PullError):
        pull("other.example")
    assert pulled_machines() == ["build-7.example"]
    assert read_all(machine_sources("build-7.example"))[0], "the copy is still there"


@pytest.mark.parametrize(
    "where",
    ["-oProxyCommand=touch", "host:-x", "host:22", "ssh://host", "a b", "/nowhere/at/all", "", "h;id", "@host", "-e"],
)
def test_a_place_that_is_no_host_and_no_folder_is_refused(where: str) -> None:
    with pytest.raises(ValueError, match="neither a folder nor a host"):
        pull(where)


@pytest.mark.parametrize("name", ["..", ".", "a/b", "-x", "a b", "x" * 101])
def test_a_name_that_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name"):
        pull(str(tmp_path), name)


def test_without_rsync_a_pull_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PullError, match="rsync is needed"):
        pull(str(tmp_path), "quay")
