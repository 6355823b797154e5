"""Stores of other machines are copied by rsync, found beside those of this machine, and read as they are there."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from recall_rank.exchange.pull import PullError, pull, remove_pulled
from recall_rank.exchange.pulled import machine_sources, pulled_machines, pulled_sources
from recall_rank.exchange.pulled_databases import PulledDatabases
from recall_rank.loaders import discover, read_all
from recall_rank.model import Session
from recall_rank.model.record_classes import replace
from recall_rank.recall import Recall
from tests.fixtures import make_fixtures
from tests.loaders.test_store_hints import furnish

KEY = "zq81mmfk2pl0xv93-refresh-token"
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


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a program before rsync that runs `script`, in which $REAL is rsync."""
    real = shutil.which("rsync")
    folder.mkdir()
    (folder / "rsync").write_text(f"#!/bin/sh\nREAL={real}\n{script}\n")
    (folder / "rsync").chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def furnish_with_keys(home: Path) -> Path:
    """Write stores of all agents, with keys in the tables that their programs keep beside the sessions."""
    furnish(home)
    (home / ".config" / "tallow-work-dirs").unlink()
    for place in ("globalStorage", "workspaceStorage/w2"):
        database = home / ".config" / "Cursor" / "User" / place / "state.vscdb"
        with closing(sqlite3.connect(database)) as opened:
            for table in ("ItemTable", "cursorDiskKV"):
                opened.execute(f"CREATE TABLE IF NOT EXISTS {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
                opened.execute(f"INSERT INTO {table} VALUES ('cursorAuth/refreshToken', '{KEY}')")
                opened.execute(f"INSERT INTO {table} VALUES ('secret://mcp', '{KEY}')")
            opened.execute("CREATE TABLE gone (key)")
            opened.execute(f"INSERT INTO gone VALUES ('{KEY}')")
            opened.execute("DROP TABLE gone")  # whose rows stay in free pages of the file
            opened.commit()
    share = home / ".local" / "share"
    databases = [home / ".hermes/state.db", home / ".codex/state_5.sqlite", home / ".memo-agent/sessions.db"]
    databases += [share / "opencode/opencode.db", share / "goose/sessions/sessions.db"]
    for database in databases:
        with closing(sqlite3.connect(database)) as opened:
            opened.execute("CREATE TABLE account (access_token)")
            opened.execute("INSERT INTO account VALUES (?)", (KEY,))
            if database.parts[-3] == "goose":
                opened.execute("UPDATE sessions SET extension_data = ?", (KEY,))
            opened.commit()
    for name in ("storage/session_share/ses_1.json", "project/p/storage/session/share/ses_1.json"):
        path = share / "opencode" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KEY)
    return home


def raw_holders(folder: Path) -> list[str]:
    return [name for name, data in contents(folder).items() if KEY.encode() in data]


@needs_rsync
def test_no_key_of_a_database_stays_in_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is one ever in the place of the copy: only what was cleaned gets its final name."""
    home = furnish_with_keys(tmp_path / "there")
    assert len(raw_holders(home)) == 9
    machines = tmp_path / "data" / "recall_rank" / "machines"
    real = PulledDatabases.put

    def put(self: PulledDatabases, listing: bytes, *, complete: bool) -> None:
        assert raw_holders(machines / "quay" / "home") == []
        real(self, listing, complete=complete)

    monkeypatch.setattr(PulledDatabases, "put", put)
    done = pull(str(home), "quay")
    assert done.damaged == (".config/Cursor/User/workspaceStorage/w3/state.vscdb: file is not a database",)
    assert raw_holders(machines) == []
    there, here = read_all(discover({}, home))[0], read_all(machine_sources("quay"))[0]
    assert told(here) == told(there)
    assert len(raw_holders(home)) == 9, "the other machine's files are as they were"


@needs_rsync
def test_a_copy_with_keys_of_an_earlier_version_is_cleaned(tmp_path: Path) -> None:
    home = furnish_with_keys(tmp_path / "quay")
    pull(str(home))
    machine = tmp_path / "data" / "recall_rank" / "machines" / "quay"
    (machine / "databases").unlink()
    (machine / "transfer").mkdir()
    (machine / "transfer" / "left.db").write_text(KEY)  # by a pull that was killed
    place = Path(".config/Cursor/User/globalStorage/state.vscdb")
    shutil.copy2(home / place, machine / "home" / place)
    (machine / "home" / f"{place}-wal").write_text(KEY)
    torn = machine / "home" / ".config" / "Cursor" / "User" / "workspaceStorage" / "w3" / "state.vscdb"
    torn.parent.mkdir(parents=True, exist_ok=True)
    torn.write_text(KEY)  # what is there now cannot be read, so that nothing takes its place
    pull(str(home))
    assert raw_holders(machine) == []
    assert sorted(path.name for path in machine.iterdir()) == ["databases", "home", "origin"]


@needs_rsync
def test_databases_follow_those_of_the_other_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "mole"
    database = there / ".local" / "share" / "opencode" / "opencode.db"
    make_fixtures.write_opencode(database.parent)
    make_fixtures.write_claude(there)
    pull(str(there))
    copied = tmp_path / "data" / "recall_rank" / "machines" / "mole" / "home" / database.relative_to(there)
    first = copied.stat().st_ino
    pull(str(there))
    assert copied.stat().st_ino == first, "what has not changed is not transferred again"
    with closing(sqlite3.connect(database)) as opened:  # with rows that are in the log alone
        opened.execute("PRAGMA journal_mode = WAL")
        opened.execute("UPDATE session SET title = 'Amber falcon'")
        opened.commit()
        pull(str(there))
        assert {each.title for each in read_all(machine_sources("mole"))[0] if each.source == "opencode"} == {
            "Amber falcon"
        }
    database.write_bytes(b"torn")
    for _ in range(2):
        assert pull(str(there)).damaged == (".local/share/opencode/opencode.db: file is not a database",)
    assert {each.title for each in read_all(machine_sources("mole"))[0]} >= {"Amber falcon"}
    database.unlink()
    pull(str(there))
    assert not copied.exists()
    assert {source.name for source in machine_sources("mole")} == {"claude-code"}


@needs_rsync
@pytest.mark.posix
def test_a_pull_that_is_cut_off_leaves_the_copy_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The link breaks behind the first file: what was transferred is not put in place, and nothing is deleted."""
    there, held = tmp_path / "mole", tmp_path / "data" / "recall_rank" / "machines" / "mole" / "home"
    project = there / ".claude" / "projects" / "-somewhere"
    project.mkdir(parents=True)
    for name in ("a", "b", "c"):
        (project / f"{name}.jsonl").write_text("{}\n" * 4)
    pull(str(there))
    before = contents(held)
    for name in ("a", "b"):
        (project / f"{name}.jsonl").write_text("{}\n" * 2_000_000)
    (project / "c.jsonl").unlink()
    # a limit of the rate makes sure that the transfer still runs when it is ended, once a part of it has arrived
    stand_in(
        tmp_path / "bin",
        monkeypatch,
        f"""case "$*" in *--list-only*) exec $REAL "$@";; esac
$REAL --bwlimit=3000 "$@" & child=$!
while [ -z "$(find {held} -name '*.jsonl' -path '*.~tmp~*' -o -name '*.jsonl' -size +5000k)" ]; do
kill -0 $child 2>/dev/null || break; sleep 0.02; done
kill $child; wait $child""",
    )
    with pytest.raises(PullError, match="rsync ended with"):
        pull(str(there))
    assert {name: data for name, data in contents(held).items() if ".~tmp~" not in name} == before
    monkeypatch.undo()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert pull(str(there)).files == 2
    assert set(contents(held)) == {f".claude/projects/-somewhere/{name}.jsonl" for name in ("a", "b")}


@needs_rsync
@pytest.mark.posix
def test_a_file_that_cannot_be_read_there_leaves_the_others_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_fixtures.write_claude(tmp_path / "mole")
    told = "rsync: send_files failed to open one.jsonl: Permission denied (13)"
    stand_in(tmp_path / "bin", monkeypatch, f'$REAL "$@" || exit $?; echo "{told}" >&2; exit 23')
    done = pull(str(tmp_path / "mole"))
    assert done.problem == told
    assert read_all(machine_sources("mole"))[0]
    shutil.rmtree(tmp_path / "mole" / ".claude")
    with pytest.raises(PullError, match="ended with 23: rsync: send_files failed"):
        pull(str(tmp_path / "mole"))


@needs_rsync
@pytest.mark.posix
def test_a_machine_that_says_nothing_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = tmp_path / "ssh"
    shell.write_text("#!/bin/sh\nexec sleep 100\n")
    shell.chmod(0o700)
    monkeypatch.setenv("RSYNC_RSH", str(shell))
    monkeypatch.setattr("recall_rank.exchange.pull.SILENT_SECONDS", 1)
    with pytest.raises(PullError, match="timeout"):
        pull("build-7.example")


@needs_rsync
def test_what_is_being_transferred_is_not_read(tmp_path: Path) -> None:
    home = furnish(tmp_path / "there")
    pull(str(home), "quay")
    before = read_all(machine_sources("quay"))[0]
    copy = tmp_path / "data" / "recall_rank" / "machines" / "quay" / "home"
    for path in [path for path in copy.rglob("*") if path.is_file()]:
        (path.parent / ".~tmp~").mkdir(exist_ok=True)
        shutil.copyfile(path, path.parent / ".~tmp~" / path.name)
    units = [unit for source in machine_sources("quay") for unit in source.units()]
    assert not [unit.location for unit in units if ".~tmp~" in unit.location]
    assert read_all(machine_sources("quay"))[0] == before


@needs_rsync
def test_a_folder_that_no_pull_made_is_neither_written_to_nor_removed(tmp_path: Path) -> None:
    make_fixtures.write_claude(tmp_path / "mole")
    machines = tmp_path / "data" / "recall_rank" / "machines"
    (machines / "mole" / "home").mkdir(parents=True)
    (machines / "mole" / "home" / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match="no pull made"):
        pull(str(tmp_path / "mole"))
    with pytest.raises(LookupError, match="'mole'"):
        remove_pulled("mole")
    assert (machines / "mole" / "home" / "thesis.txt").read_text() == "mine"
    pull(str(tmp_path / "mole"), "vole")
    (machines / "vole" / "thesis.txt").write_text("mine")
    remove_pulled("vole")
    assert contents(machines / "vole") == {"thesis.txt": b"mine"}


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
