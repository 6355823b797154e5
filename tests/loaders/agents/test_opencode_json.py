"""OpenCode's older trees and its exports: the same session as in the database, whatever is damaged or missing."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from recall_rank.loaders import open_sources, read_all
from recall_rank.loaders.opencode import json_tree as opencode_json
from recall_rank.loaders.opencode.json_tree import OpenCodeTree
from recall_rank.model import Flag, Session
from tests.fixtures.make_fixtures import HOME, IMAGE, PARTS, SPILLED_WORD, START, write_opencode
from tests.fixtures.make_opencode_json import session, write, write_oldest_tree, write_tree
from tests.loaders.conftest import Seal
from tests.support.loaders.finding import load, parts_of, places, said
from tests.support.privileges import modes_bind


@pytest.fixture
def tree(tmp_path: Path, seal: Seal) -> Path:
    storage = write_tree(tmp_path / "opencode")
    seal(storage.parent)
    return storage


def bare(session: Session) -> Session:
    """The session without what tells where it was read."""
    return replace(session, source=None, places=())


# --- the tree --------------------------------------------------------------------------------------------


def test_a_tree_gives_what_the_database_gives(tree: Path, tmp_path: Path) -> None:
    sessions, report = load(tree)
    database, _ = load(write_opencode(tmp_path / "database"))
    assert bare(sessions["ses_a"]) == bare(database["ses_a"])
    child = sessions["ses_b"]
    assert (child.parent, child.flags, child.title) == ("ses_a", Flag.SUBAGENT | Flag.ARCHIVED, database["ses_b"].title)
    assert child.messages[0].parts[0].text == "list hinges"  # without the quotes of `run`, and its line feed
    assert (report.agent, report.sessions, report.messages) == ("opencode", 2, 8)
    assert report.parts == sum(map(len, PARTS.values())) + 1
    assert (report.malformed, report.errors, report.warnings) == ((), (), ())
    below = [path for folder in ("session", "message", "part") for path in (tree / folder).rglob("*.json")]
    assert report.bytes == sum(path.stat().st_size for path in below)


def test_a_spilled_output_is_followed_and_pictures_are_not(tree: Path) -> None:
    session = load(tree)[0]["ses_a"]
    assert said(session, SPILLED_WORD)[1].tool == "bash"
    assert IMAGE[:60] not in repr(session)


def test_a_spilled_output_that_is_gone_leaves_the_stored_part(tmp_path: Path, seal: Seal) -> None:
    storage = write_tree(tmp_path)
    (tmp_path / "tool-output" / "tool_big1").unlink()
    sessions, report = load(seal(storage))
    assert report.warnings == ("spilled outputs are gone, their previews are kept: tool_big1",)
    assert said(sessions["ses_a"], "tick 0001")


def test_a_store_that_was_moved_to_the_database_counts_once(tmp_path: Path, seal: Seal) -> None:
    write_tree(tmp_path / "opencode")
    write_opencode(tmp_path / "other")
    (tmp_path / "other" / "opencode.db").rename(tmp_path / "opencode" / "opencode.db")
    seal(tmp_path / "opencode")
    sessions, reports = read_all(open_sources(tmp_path / "opencode"))
    assert sorted(session.id for session in sessions) == ["ses_a", "ses_b"]
    assert [report.agent for report in reports] == ["opencode", "opencode"]


def test_bad_records_are_counted_and_hide_nothing(tmp_path: Path, seal: Seal) -> None:
    storage = write_tree(tmp_path)
    spoilt = {
        storage / "session" / "a1b2c3" / "ses_b.json": b'{"id": "ses',
        storage / "message" / "ses_a" / "msg_06.json": b"",
        storage / "part" / "msg_01" / "prt_msg_01_00.json": b'{"type":"text","text":"Gr\xf6\xdfe \\ud83d"}',
        storage / "part" / "msg_03" / "prt_msg_03_00.json": b"[1]",
    }
    for path, data in spoilt.items():
        path.write_bytes(data)
    (storage / "part" / "msg_07" / "prt_msg_07_00.json").unlink()
    (storage / "part" / "msg_07" / "prt_link.json").symlink_to(storage / "migration")
    (storage / "message" / "ses_a" / ".oc-msg.json.1.tmp").write_text("half")
    sessions, report = load(seal(storage))
    assert [(Path(bad.location).name, bad.reason.partition(":")[0]) for bad in report.malformed] == [
        ("prt_msg_03_00.json", "not one object"),
        ("msg_06.json", "empty"),
        ("ses_b.json", "not JSON"),
    ]
    assert len(sessions["ses_a"].messages) == 7
    assert said(sessions["ses_a"], "Gr��e �")
    assert said(sessions["ses_a"], "and the lamp?")  # its message is lost, not the part
    assert (sessions["ses_b"].title, sessions["ses_b"].created) == ("list hinges", START + 99)


def test_lost_records_of_sessions_and_messages(tmp_path: Path, seal: Seal) -> None:
    storage = write_tree(tmp_path)
    (storage / "session" / "a1b2c3" / "ses_a.json").unlink()
    (storage / "message" / "ses_b" / "msg_11.json").unlink()
    (storage / "message" / "ses_gone").mkdir()
    (storage / "project" / "a1b2c3.json").unlink()
    sessions, report = load(seal(storage))
    assert sessions["ses_a"].title == 'Oil the hinge, then say "done"'
    assert sessions["ses_b"].worktree is None
    assert report.warnings == (
        "of 1 message only the parts are left",
        "session ses_a has messages but no record of its own",
    )


def test_a_session_in_two_projects_is_the_newest(tmp_path: Path, seal: Seal) -> None:
    storage = write_tree(tmp_path)
    write(storage / "session" / "global" / "ses_a.json", session(title="Moved"))
    os.utime(storage / "session" / "a1b2c3" / "ses_a.json", (1, 1))
    sessions, report = load(seal(storage))
    assert (sessions["ses_a"].title, report.sessions) == ("Moved", 2)


def test_folders_that_may_not_be_read_are_named(tmp_path: Path) -> None:
    storage = write_tree(tmp_path)
    closed = storage / "message" / "ses_b"
    closed.chmod(0)
    with modes_bind():
        sessions, report = load(storage)
    closed.chmod(0o700)
    assert (len(sessions), sessions["ses_b"].messages) == (2, ())
    assert str(closed) in report.warnings[0]


def test_the_oldest_layout(tmp_path: Path, seal: Seal) -> None:
    storage = write_oldest_tree(tmp_path)
    sessions, report = load(seal(storage))
    oldest = sessions["ses_o"]
    assert (oldest.title, oldest.directory, oldest.worktree, oldest.updated) == ("Oldest", HOME, None, START + 1)
    assert said(oldest, "merlin")
    assert (report.malformed, report.bytes > 0) == ((), True)


def test_empty_trees(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    for name in ("session", "message", "part"):
        (storage / name).mkdir(parents=True)
    sessions, report = load(storage)
    assert (sessions, report.errors, report.bytes) == ({}, (), 0)
    (storage / "session").rmdir()
    source = OpenCodeTree(storage)
    assert list(source.units()) == []
    (storage / "message").rmdir()
    (storage / "part").rmdir()
    storage.rmdir()
    _, (report,) = read_all([source])
    assert report.failed


def test_a_session_that_vanished_is_nothing(tree: Path) -> None:
    source = OpenCodeTree(tree)
    unit, _ = source.units()
    assert source.read(type(unit)("ses_gone", unit.location)).sessions == []


def test_signatures_tell_what_changed(tmp_path: Path) -> None:
    storage = write_tree(tmp_path)
    source = OpenCodeTree(storage)

    def signatures() -> dict[str, bytes]:
        return {unit.key: source.signature(unit) for unit in source.units()}

    before = signatures()
    assert signatures() == before
    write(storage / "part" / "msg_11" / "prt_2.json", {"type": "text", "text": "more"})
    after = signatures()
    assert [key for key in before if before[key] != after[key]] == ["ses_b"]


def test_places_of_a_machine(tmp_path: Path) -> None:
    base = tmp_path / ".local" / "share" / "opencode"
    trees = [write_tree(base), write_oldest_tree(base)]
    assert [Path(source.location) for source in opencode_json.stores({}, tmp_path)] == trees
    environ = {"XDG_DATA_HOME": str(tmp_path / ".local" / "share"), "APPDATA": str(tmp_path / "x")}
    assert [Path(source.location) for source in opencode_json.stores(environ, tmp_path / "x")] == trees
    assert [source.location for source in open_sources(base)] == sorted(map(str, trees))


# --- a real store ----------------------------------------------------------------------------------------


@pytest.mark.shared
def test_a_real_tree(shared: Path) -> None:
    storage = shared / "stores" / "opencode-storage-json" / "storage"
    sessions, report = load(storage)
    files = {name: [json.loads(path.read_bytes()) for path in sorted((storage / name).rglob("*.json"))]
             for name in ("session", "message", "part")}  # fmt: skip
    assert (report.sessions, report.messages, report.parts) == tuple(map(len, files.values()))
    assert (report.malformed, report.errors) == ((), ())
    parts = [part for session in sessions.values() for part in parts_of(session)]
    assert Counter(part.type for part in parts) == Counter(part["type"] for part in files["part"])
    assert Counter(part.tool for part in parts) == Counter(part.get("tool") for part in files["part"])
    assert {key: session.parent for key, session in sessions.items()} == {
        info["id"]: info.get("parentID") for info in files["session"]
    }
    assert {key: session.title for key, session in sessions.items()} == {
        info["id"]: info["title"] for info in files["session"]
    }


@pytest.mark.shared
def test_phrases_of_a_real_tree(shared: Path) -> None:
    sessions, _ = load(shared / "stores" / "opencode-storage-json")
    (failed,) = [part for session in sessions.values() for _, part in places(session, "nope_missing.py") if part.error]
    assert (failed.status, failed.flags) == ("error", Flag.ERROR)
    (typed,) = [part for session in sessions.values() for _, part in places(session, "Explore the layout of this repo")]
    assert typed.text == "Explore the layout of this repo"
    (child,) = [session for session in sessions.values() if session.flags & Flag.SUBAGENT]
    assert places(child, "Subagent report: two Python files")
