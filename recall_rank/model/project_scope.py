"""The project of a session: whether it is that of a caller, the names by which a filter finds it, and the short name
under which lists show it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Protocol

from recall_rank.model.response import Context, DirectoryBucket

DIRECTORY_BUCKETS: Final[tuple[DirectoryBucket, ...]] = ("exact", "project", "global")
"""How near a session is to a folder, from the nearest to the farthest; see directory_rank()."""


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


@lru_cache(maxsize=4096)  # filters ask for each session, and many have one folder
def normal_path(path: str) -> str:
    """Return a path with forward slashes, without outer blanks, repeated slashes, a slash at the end, and the steps
    "." and ".."; the file system is not asked, so that the folder of another machine has its path, too.

    No ".." leads above the root, a drive, or the share of a machine that a path with backslashes names.
    """
    slashed = path.strip().replace("\\", "/")
    root = "/" if slashed.startswith("/") else ""
    steps: list[str] = []
    fixed = 2 if path.strip().startswith("\\\\") else int(slashed[1:2] == ":")  # steps that no ".." takes back
    for step in slashed.split("/"):
        if step == ".." and len(steps) > fixed and steps[-1] != "..":
            steps.pop()
        elif step not in ("", ".") and not (step == ".." and (root or fixed)):
            steps.append(step)
    return root + "/".join(steps) or ("." if slashed else "")


def inside(path: str, folder: str) -> bool:
    """Return whether `path` is `folder` or lies below it: /a/b is inside /a, /ab is not."""
    path, folder = normal_path(path), normal_path(folder)
    return bool(folder) and (path == folder or path.startswith(folder if folder == "/" else folder + "/"))


def directory_rank(session: Located, folder: str | None, by_folder: Context | None) -> int:
    """Return how near the directory of a session is to `folder`, as an index into DIRECTORY_BUCKETS.

    The bucket "exact" is inside of `folder`, "project" in the project of the caller, "global" anywhere else.
    `by_folder` is the caller's context without the name of the project, so that its repository and folders decide; None
    if there is none.
    """
    if folder and inside(session.directory or "", folder):
        return 0
    return 1 if by_folder is not None and in_project(session, by_folder) else 2


def place_of(session: Located) -> str:
    """Return the folder of a session's project: its worktree, else its directory.

    A session with neither gets what its agent calls the project; "" when nothing is known.
    """
    return session.worktree or session.directory or session.project or ""


def short_name(place: str) -> str:
    """Return the last component of a path, as lists show it; a text without a slash is its own short name."""
    path = normal_path(place)
    return path.rpartition("/")[2] or path


def is_named(session: Located, name: str) -> bool:
    """Return whether a filter for the project `name` lets a session pass.

    A project is named by what its agent calls it, by its repository, by its folder, or by the short name of its folder.
    """
    if name in (session.project, session.repository):
        return True
    place = place_of(session)
    return bool(place) and (short_name(place) == name or normal_path(place) == normal_path(name))


def projects_of(sessions: Iterable[Located]) -> list[str]:
    """Return the folder of each project that the sessions belong to, in the order of the sessions.

    Sessions belong to one project if they have the folder, the repository or the agent's project name in common. A
    project without a folder is given by its agent's name for it, or by "" when nothing is known.
    """
    owners: dict[tuple[str, str], str] = {}  # kind and value of a name -> folder of the project
    found: dict[str, None] = {}
    for session in sessions:
        place = place_of(session)
        given = (("folder", normal_path(place)), ("repository", session.repository), ("project", session.project))
        names = [(kind, value) for kind, value in given if value]
        known = {owners[name]: None for name in names if name in owners}
        first = next((folder for folder in found if folder in known), place)
        for other in known:
            if other != first:  # this session shows that two projects are one
                found.pop(other, None)
                owners.update({name: first for name, owner in owners.items() if owner == other})
        found.setdefault(first, None)
        owners.update(dict.fromkeys(names, first))
    return list(found)
