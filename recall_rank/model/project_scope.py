"""Decide whether a session belongs to the project of a context, by names, repositories and folders."""

from __future__ import annotations

from typing import Protocol

from recall_rank.model.response import Context


class Located(Protocol):
    """The fields by which a session is assigned to a project; a Session and a SessionRow have them."""

    @property
    def project(self) -> str | None: ...
    @property
    def repository(self) -> str | None: ...
    @property
    def worktree(self) -> str | None: ...
    @property
    def directory(self) -> str | None: ...


def in_project(session: Located, context: Context) -> bool:
    """Whether a session belongs to the project of `context`.

    A context that names a project decides by that name alone. Otherwise the session must share the context's
    repository, or its worktree must equal the context's folder, or its directory must lie in that folder.
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
    """A path without outer blanks, with single forward slashes and none at the end."""
    path = path.strip().replace("\\", "/")
    while "//" in path:
        path = path.replace("//", "/")
    return path.rstrip("/") or ("/" if path else "")


def inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies below it; a name that merely begins with the folder's does not."""
    path, folder = normal_path(path), normal_path(folder)
    return bool(folder) and (path == folder or path.startswith(folder if folder == "/" else folder + "/"))
