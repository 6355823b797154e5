"""Resolve the path of a store: links in the path that a user names are followed once, links below it never."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
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
