"""A repository has one name in every clone and worktree, and after a move."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import pytest

from recall_rank.loaders.projects.repositories import (
    Repositories,
    name_context_repository,
    name_repositories,
    remote_name,
)
from recall_rank.loaders.projects.root_commit import find_root_commit
from recall_rank.model import Context, Session

ROOT, SECOND = "1" * 40, "2" * 40
CONFIG = """[core]
\tbare = false
[remote "upstream"]
\turl = https://forge.example/other/lamp.git
[remote "origin"]
\turl = git@forge.example:mara/lamp.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
"""


def clone(folder: Path, config: str = CONFIG) -> Path:
    """Write the files of a repository that are read."""
    git = folder / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(config)
    return folder


def commit(git: Path, key: str, *parents: str) -> None:
    """Write a loose commit under an id that need not be its hash."""
    body = b"tree 0\n" + b"".join(f"parent {parent}\n".encode() for parent in parents) + b"author x\n\nwords\nparent x"
    path = git / "objects" / key[:2] / key[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zlib.compress(b"commit %d\0" % len(body) + body))


def name(folder: Path) -> str | None:
    return Repositories().at(str(folder))


@pytest.mark.parametrize(
    "address",
    [
        "git@forge.example:mara/lamp.git",
        "forge.example:mara/lamp",
        "https://Forge.Example/mara/lamp.git",
        "https://mara:secret@forge.example:8443/mara/lamp/",
        "ssh://git@forge.example:22/mara/lamp.git/",
        "git://forge.example/mara/lamp",
    ],
)
def test_a_remote_has_one_name_however_it_is_reached(address: str) -> None:
    assert remote_name(address) == "forge.example/mara/lamp"


@pytest.mark.parametrize(
    "address",
    ["", None, "/srv/lamp.git", "../lamp", "file:///srv/lamp", "C:\\lamp", "C:/lamp", "https://forge.example/"],
)
def test_local_and_broken_addresses_are_no_remotes(address: str | None) -> None:
    assert remote_name(address) is None


def test_origin_names_a_repository_wherever_it_lies(tmp_path: Path) -> None:
    one, two = clone(tmp_path / "one"), clone(tmp_path / "moved" / "two")
    (two / "src" / "deep").mkdir(parents=True)
    assert name(one) == name(two) == name(two / "src" / "deep") == "forge.example/mara/lamp"
    assert name(tmp_path) is None
    assert name(tmp_path / "gone") is None


def test_a_worktree_has_the_name_of_its_repository(tmp_path: Path) -> None:
    git = clone(tmp_path / "lamp") / ".git"
    own = git / "worktrees" / "dusk"
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    tree = tmp_path / "dusk"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}\n")
    assert name(tree) == name(tmp_path / "lamp")


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    outer = clone(tmp_path / "harbour")
    inner = outer / ".git" / "modules" / "lens"
    inner.mkdir(parents=True)
    (inner / "HEAD").write_text("ref: refs/heads/main\n")
    (inner / "config").write_text('[remote "origin"]\n\turl = https://forge.example/mara/lens\n')
    (outer / "lens").mkdir()
    (outer / "lens" / ".git").write_text("gitdir: ../.git/modules/lens\n")
    assert name(outer / "lens") == "forge.example/mara/lens"


def test_without_a_remote_the_first_commit_names_it(tmp_path: Path) -> None:
    git = clone(tmp_path / "lamp", "[core]\n") / ".git"
    assert name(tmp_path / "lamp") is None
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "refs" / "heads" / "main").write_text(SECOND + "\n")
    commit(git, SECOND, ROOT)
    assert find_root_commit(git) is None  # the first one is packed away
    commit(git, ROOT)
    assert find_root_commit(git) == name(tmp_path / "lamp") == ROOT
    (git / "refs" / "heads" / "main").unlink()
    (git / "packed-refs").write_text(f"# pack-refs\n{SECOND} refs/heads/main\n")
    assert find_root_commit(git) == ROOT
    (git / "HEAD").write_text(SECOND)
    assert find_root_commit(git) == ROOT


def test_a_commit_is_read_once(tmp_path: Path) -> None:
    git = clone(tmp_path / "old", "[core]\n") / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "refs" / "heads" / "main").write_text(SECOND)
    commit(git, ROOT)
    commit(git, SECOND, ROOT)
    assert name(git.parent) == ROOT
    (git / "objects" / ROOT[:2] / ROOT[2:]).unlink()
    assert name(git.parent) == ROOT
    commit(git, "3" * 40)
    (git / "refs" / "heads" / "main").write_text("3" * 40)
    assert name(git.parent) == "3" * 40


def test_the_log_of_head_begins_with_the_first_commit(tmp_path: Path) -> None:
    git = clone(tmp_path, "") / ".git"
    (git / "logs").mkdir()
    (git / "logs" / "HEAD").write_text(f"{'0' * 40} {ROOT} M <m@x> 1780000000 +0000\tcommit (initial): begin\n")
    assert find_root_commit(git) == ROOT
    (git / "logs" / "HEAD").write_text(f"{'0' * 40} {ROOT} M <m@x> 1780000000 +0000\tclone: from elsewhere\n")
    assert find_root_commit(git) is None


def test_a_commit_graph_names_it(tmp_path: Path) -> None:
    git = clone(tmp_path, "") / ".git"
    ids = [bytes.fromhex(each) for each in (ROOT, SECOND)]
    rows = [(0x70000000,), (0,)]  # the second one's parent is the first
    fanout = b"".join(struct.pack(">I", sum(key[0] <= byte for key in ids)) for byte in range(256))
    data = b"".join(bytes(20) + struct.pack(">IIQ", row[0], 0x70000000, 0) for row in rows)
    chunks = {b"OIDF": fanout, b"OIDL": b"".join(ids), b"CDAT": data}
    at = 8 + 12 * (len(chunks) + 1)
    head = b"CGPH\x01\x01" + bytes([len(chunks), 0])
    for key, chunk in chunks.items():
        head += struct.pack(">4sQ", key, at)
        at += len(chunk)
    path = git / "objects" / "info" / "commit-graph"
    path.parent.mkdir(parents=True)
    path.write_bytes(head + struct.pack(">4sQ", bytes(4), at) + b"".join(chunks.values()))
    assert find_root_commit(git) == ROOT
    path.write_bytes(path.read_bytes()[:200])
    assert find_root_commit(git) is None


@pytest.mark.parametrize("planted", ["link", "fifo", "pointer to nowhere", "pointer with a zero", "binary"])
def test_a_folder_with_a_broken_git_folder_has_no_name(tmp_path: Path, planted: str) -> None:
    secret = clone(tmp_path / "elsewhere")
    folder = tmp_path / "here"
    folder.mkdir()
    git = folder / ".git"
    if planted == "link":
        git.symlink_to(secret / ".git")
    elif planted == "fifo":
        os.mkfifo(git)
    else:
        pointers = {
            "pointer to nowhere": b"gitdir: /nowhere",
            "pointer with a zero": b"gitdir: a\0b",
            "binary": b"\xff" * 99,
        }
        git.write_bytes(pointers[planted])
    assert name(folder) is None


def test_a_configuration_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    secret = clone(tmp_path / "elsewhere")
    git = clone(tmp_path / "here") / ".git"
    (git / "config").unlink()
    (git / "config").symlink_to(secret / ".git" / "config")
    assert name(tmp_path / "here") is None


@pytest.mark.parametrize("folder", [None, "", "relative/folder", "//server/share", "\\\\server\\share", "/a\0b"])
def test_folders_that_are_never_looked_at(folder: str | None) -> None:
    assert Repositories().at(folder) is None


def test_sessions_and_contexts_get_equal_names(tmp_path: Path) -> None:
    here, gone = clone(tmp_path / "lamp"), str(tmp_path / "gone")
    given = [
        Session("a", directory=str(here)),
        Session("b", directory=gone, worktree=str(here)),
        Session("c", directory=gone, repository="forge.example/recorded"),
        Session("d", directory=gone),
    ]
    names = [session.repository for session in name_repositories(given)]
    assert names == ["forge.example/mara/lamp", "forge.example/mara/lamp", "forge.example/recorded", None]
    context = name_context_repository(Context(directory=str(here)))
    assert context is not None
    assert context.repository == names[0]
    for same in (Context(directory=gone), Context(project="lamp", directory=str(here)), None):
        assert name_context_repository(same) == same
