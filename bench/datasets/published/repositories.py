"""Files of a public repository at one commit, read with git: from a checkout that somebody has, or fetched."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class RepositoryError(Exception):
    """A repository cannot be read or fetched."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A public repository at the commit of the published figures. `paths` are the files and folders that are read;
    `licence` is that of the data, as the repository states it.
    """

    url: str
    commit: str
    licence: str
    paths: Sequence[str]

    @property
    def name(self) -> str:
        """The owner and name of the repository."""
        return "/".join(self.url.rsplit("/", 2)[1:])


class Tree(Protocol):
    """The files of one commit."""

    def paths(self, folder: str, suffix: str) -> list[str]:
        """Return the sorted paths below a folder that end in `suffix`."""

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises RepositoryError when there is none."""


@dataclass(frozen=True, slots=True)
class GitTree:
    """The files of one commit in a git directory, with or without a work tree."""

    folder: Path
    commit: str

    def paths(self, folder: str, suffix: str) -> list[str]:
        listed = _git(self.folder, "ls-tree", "-r", "-z", "--name-only", "--full-tree", self.commit, "--", folder)
        names = listed.decode("utf-8", "replace").split("\0")
        return sorted(name for name in names if name.endswith(suffix) and name)

    def read(self, path: str) -> bytes:
        return _git(self.folder, "cat-file", "blob", f"{self.commit}:{path}")


def open_tree(repository: Repository, checkouts: Iterable[Path], work: Path) -> GitTree:
    """Return the files of a repository at its commit: of the first checkout that has this commit, else of the first
    that has the repository's files at its head, else fetched into the folder `work`.

    Raises RepositoryError when a checkout is no git directory, or when fetching fails.
    """
    folders = list(checkouts)
    for folder in folders:
        _git(folder, "rev-parse", "--git-dir")
        if _has(folder, f"{repository.commit}^{{commit}}"):
            return GitTree(folder, repository.commit)
    for folder in folders:
        if all(_has(folder, f"HEAD:{path}") for path in repository.paths):
            head = _git(folder, "rev-parse", "HEAD").decode().strip()
            return GitTree(folder, head)
    return _fetch(repository, work)


def _fetch(repository: Repository, work: Path) -> GitTree:
    """Fetch the named paths of one commit, without its history."""
    folder = work / repository.name.replace("/", "+")
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet")
    _git(folder, "remote", "add", "origin", repository.url)
    _git(folder, "sparse-checkout", "set", "--no-cone", *(f"/{path}" for path in repository.paths))
    _git(folder, "fetch", "--quiet", "--depth", "1", "--filter=blob:none", "origin", repository.commit)
    _git(folder, "checkout", "--quiet", repository.commit)  # fetches the contents of the named paths at once
    return GitTree(folder, repository.commit)


def _has(folder: Path, revision: str) -> bool:
    done = subprocess.run(["git", "-C", folder, "cat-file", "-e", revision], capture_output=True, check=False)
    return done.returncode == 0


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise RepositoryError("git is not installed") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise RepositoryError(f"git {' '.join(arguments)} in {folder}: {said}")
    return done.stdout
