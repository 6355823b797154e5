"""The paths of stores: links in the path that a user names are followed once, links below it never; and whether a path
leads into a store, where nothing is written.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BELOW: ContextVar[tuple[Path, str] | None] = ContextVar("below", default=None)  # what found_below() was given


class LinkedPlaceError(OSError):
    """Raised for a store that was found below a named folder, or opened before, and lies behind a link."""


def resolve_store(path: Path) -> Path:
    """Return the path of a store without links, which a source keeps: later openings refuse every link in it.

    A path that the user named, or a usual place of an agent, may hold links. Within found_below() none may follow
    below the named folder: LinkedPlaceError is raised for one, whether it was there before or came just now.
    """
    real = os.path.realpath(path)
    below = _BELOW.get()
    if below is not None and os.path.normcase(real) != os.path.normcase(_without_links(path, *below)):
        raise LinkedPlaceError(errno.ELOOP, "a link is not followed", str(path))
    return Path(real)


def _without_links(path: Path, named: Path, real: str) -> str:
    """Return the resolved form of a path below `named`, whose own is `real`, when no link lies below; "" for other
    paths.
    """
    return str(Path(real, path.relative_to(named))) if path.is_relative_to(named) else ""


def open_folder(path: Path) -> int:
    """Return a descriptor of the folder at an absolute path, by which files are opened and looked up; the caller closes
    it.

    On Linux and macOS a link anywhere in the path is refused with OSError. Other systems refuse one only at its end:
    they can open no folder on the way that may be passed but not listed.
    """
    if not hasattr(os, "O_PATH") or not path.is_absolute():
        return os.open(path, _FOLDER | getattr(os, "O_NOFOLLOW_ANY", 0))
    at = os.open(path.anchor, _FOLDER | os.O_PATH)
    for folder in path.parts[1:]:
        try:
            below = os.open(folder, _FOLDER | os.O_PATH, dir_fd=at)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(path)) from None
        finally:
            os.close(at)
        at = below
    return at


@contextmanager
def found_below(named: Path, real: str) -> Iterator[None]:
    """A context manager for opening what a search found below the folder `named`, whose path without links was `real`
    when the search began.
    """
    token = _BELOW.set((named, real))
    try:
        yield
    finally:
        _BELOW.reset(token)


def store_around(path: str | os.PathLike[str], locations: Iterable[str]) -> str | None:
    """Return the one of these locations of stores in which a path lies, or of which it is a file, None where it lies in
    none. The path need not exist; links in it are followed.

    A file beside a database that begins with its name, such as its journal, is a file of the store. Folders are
    compared by their device and inode, so that no other spelling of a path leads into a store.
    """
    real = Path(os.path.realpath(path))
    around = {found for each in (real, *real.parents) if (found := _identity(each)) is not None}
    for location in map(Path, locations):
        if _identity(location) in around:
            return str(location)
        beside = real.name.startswith(location.name) and _identity(location.parent) == _identity(real.parent)
        if beside and location.is_file():
            return str(location)
    return None


def _identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a path, None for one that is not there or cannot be looked at."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
