"""Decide whether a session belongs to the project of a caller, by project names, repositories and folders."""

from __future__ import annotations

from typing import Protocol

from recall_rank.model.response import Context


class Located(Protocol):
    """The fields that assign a session to a project; the records Session and SessionRow have them."""

    @property
    def project(self) -> str | None: ...
    @property
    def repository(self) -> str | None: ...
    @property
    def worktree(self) -> str | None: ...
    @property
    def directory(self) -> str | None: ...


def in_project(session: Located, context: Context) -> bool:
    """Return whether a session belongs to the project of the caller, which `context` describes.

    If `context` has a project name, the name alone decides. Otherwise the session belongs if it has the repository of
    `context`, if its worktree is the folder of `context`, or if its directory lies inside that folder.
    """
    if context.project is not None:
        return context.project in (session.project, session.repository)
    if context.repository is not None and session.repository == context.repository:
        return True
    folder = context.worktree or context.directory
    if not folder:
        return False
    worktree = session.worktree is not None and normal_path(session.worktree) == normal_path(folder)
    return worktree or inside(session.directory or "", folder)


def normal_path(path: str) -> str:
    """Return a path with forward slashes, without outer blanks, repeated slashes or a slash at the end."""
    path = path.strip().replace("\\", "/")
    while "//" in path:
        path = path.replace("//", "/")
    return path.rstrip("/") or ("/" if path else "")


def inside(path: str, folder: str) -> bool:
    """Return whether `path` is `folder` or lies below it: /a/b is inside /a, /ab is not."""
    path, folder = normal_path(path), normal_path(folder)
    return bool(folder) and (path == folder or path.startswith(folder if folder == "/" else folder + "/"))
