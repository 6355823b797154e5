"""The name of the repository that a folder is in, read from git's files; starts no process, writes nothing, follows no
links.

A repository is named by the address of its remote, else by its root commit, so that its name is equal in worktrees, in
other clones and after a move. Only a bounded number of bytes of each file is read. A folder that does not exist or is
in no repository has no name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from recall_rank.loaders.files.regular_files import read_small
from recall_rank.loaders.projects.root_commit import find_root_commit
from recall_rank.model import Context, Session

SMALL = 1 << 16  # bytes of a pointer or of a configuration that are read
MAX_ABOVE = 64  # folders above one that are looked into

_SECTION = re.compile(r'\s*\[remote\s+"((?:[^"\\]|\\.)*)"\]')
_URL = re.compile(r"\s*url\s*=\s*(.*?)\s*")
_SCP = re.compile(r"(?:[^@/\s]+@)?([^:/\s]+):(?!//)(.+)")
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://(?:[^@/]*@)?(\[[^\]]*\]|[^/:]*)(?::\d*)?/(.+)", re.IGNORECASE)


class Repositories:
    """Repository names by folder; the name found for each folder is cached."""

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}

    def at(self, folder: str | None) -> str | None:
        """Return the name of the repository that the folder is in, "host/path" of its remote or the id of its root
        commit; None when the folder is in none.
        """
        if not folder or not _is_here(folder):
            return None
        if folder not in self._known:
            self._known[folder] = _name_at(Path(folder))
        return self._known[folder]


def name_repositories(sessions: Iterable[Session]) -> list[Session]:
    """Return the sessions with `repository` set: to the name found at their folder, else at their worktree, else
    unchanged.
    """
    known = Repositories()
    found = []
    for session in sessions:
        name = known.at(session.directory) or known.at(session.worktree) or session.repository
        found.append(session if name == session.repository else replace(session, repository=name))
    return found


def name_context_repository(context: Context | None) -> Context | None:
    """Return the context with the repository name of its folder added, unless it names a repository or a project
    already.
    """
    if context is None or context.repository is not None or context.project is not None:
        return context
    name = Repositories().at(context.worktree or context.directory)
    return replace(context, repository=name) if name else context


def remote_name(address: str | None) -> str | None:
    """Return the address of a git remote as "host/path", without scheme, user and password; None for a local
    address.
    """
    if not address or "\n" in address or len(address) > SMALL:
        return None
    found = _ADDRESS.fullmatch(address)
    if found is not None:
        scheme, host, path = found[1].lower(), found[2], found[3]
        if scheme == "file":
            return None
    elif (short := _SCP.fullmatch(address)) is not None and len(short[1]) > 1:  # one letter is a drive
        host, path = short[1], short[2]
    else:
        return None
    path = path.strip("/").removesuffix(".git").rstrip("/")
    return f"{host.lower()}/{path}" if host and path else None


def _is_here(folder: str) -> bool:
    """Return whether a path is absolute and not on another machine (a network path)."""
    return Path(folder).is_absolute() and not folder.startswith(("//", "\\\\")) and "\0" not in folder


def _name_at(folder: Path) -> str | None:
    try:
        if not folder.is_dir():
            return None
        real = Path(os.path.realpath(folder))
        for above in [real, *real.parents][:MAX_ABOVE]:
            common = _common_folder(above / ".git")
            if common is not None:
                return _remote(common) or find_root_commit(common)
    except (OSError, ValueError):
        pass
    return None


def _common_folder(git: Path) -> Path | None:
    """Return the git folder that all worktrees of a repository share. `git` is the path of `.git`, which is that folder
    or a file that points to it; None for anything else.
    """
    if git.is_symlink():
        return None
    if git.is_dir():
        return git if (git / "HEAD").is_file() else None
    if not git.is_file():
        return None
    pointer = _text(git).removeprefix("gitdir:").strip()
    if not pointer:
        return None
    own = git.parent / pointer
    try:
        shared = _text(own / "commondir").strip()
    except OSError:  # a submodule shares nothing
        shared = ""
    common = Path(os.path.normpath(own / shared))
    return common if (common / "HEAD").is_file() else None


def _remote(git: Path) -> str | None:
    """Return the name ("host/path") of the remote "origin", else of the first remote by name; None without a remote."""
    try:
        text = _text(git / "config")
    except OSError:
        return None
    found: dict[str, str] = {}
    section = None
    for line in text.splitlines():
        if line.lstrip().startswith("["):
            head = _SECTION.match(line)
            section = head[1] if head else None
        elif section is not None and section not in found and (url := _URL.fullmatch(line)):
            name = remote_name(url[1].strip('"'))
            if name:
                found[section] = name
    return found.get("origin") or next((found[name] for name in sorted(found)), None)


def _text(path: Path) -> str:
    return read_small(path, limit=SMALL)[0].decode("utf-8", "replace")
