"""Open, list and identify the files of agents: regular files inside a root folder, read-only, never through a link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import xxhash

from recall_rank.loaders.store_places import open_folder

BLOCK = 1 << 20
HEAD, TAIL = 256, 64  # bytes; a rewrite of a growing file is noticed only with hashes of both
MAX_DEPTH = 12  # of folders below a root: bounds a loop of mounts

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_PLAIN = _READ | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # opening a FIFO must not block
_JUNCTION = 0xA0000003  # the tag of a folder of Windows that stands for another one (IO_REPARSE_TAG_MOUNT_POINT)
_FOLDER = _READ | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)


class NotRegularError(OSError):
    """Raised for a path that is a folder, a link, a FIFO, a socket or a device instead of a regular file."""


def open_regular(path: Path | str, root: Path | None = None) -> int:
    """Return a file descriptor of the regular file at `path`; the caller closes it.

    With `root`, a folder whose path is without links (see resolve_store), no component of the path may be a link, so
    that the file lies inside of `root`. Raises NotRegularError for anything but a regular file, and OSError when it
    cannot be opened.
    """
    if root is not None and os.open in os.supports_dir_fd:
        fd = _open_below(root, Path(path))
    else:
        if not hasattr(os, "O_NOFOLLOW"):
            _refuse_links(Path(path), root)
        fd = os.open(path, _PLAIN)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise NotRegularError(errno.EINVAL, "not a regular file", str(path))


def _refuse_links(path: Path, root: Path | None) -> None:
    """Raise NotRegularError where `path` or, with `root`, a folder above it is a link or a junction: Windows cannot
    refuse one while it opens a file.
    """
    for each in (path, *(path.parents if root is not None else ())):
        status = each.lstat()
        if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION:
            raise NotRegularError(errno.ELOOP, "a link is not followed", str(path))


def _open_below(root: Path, path: Path) -> int:
    """Return a file descriptor of `path`, opened component by component, so that a link that replaces a folder
    meanwhile is refused.
    """
    *folders, name = path.relative_to(root).parts
    at = open_folder(root)
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER, dir_fd=at)
            os.close(at)
            at = below
        return os.open(name, _PLAIN, dir_fd=at)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    finally:
        os.close(at)


@contextmanager
def open_file(path: Path, root: Path | None = None) -> Iterator[IO[bytes]]:
    """Open the regular file at `path`, unbuffered; a context manager. Raises the errors of open_regular()."""
    with os.fdopen(open_regular(path, root), "rb", buffering=0) as file:
        yield file


def read_small(path: Path, root: Path | None = None, limit: int = BLOCK) -> tuple[bytes, bool]:
    """Return the first `limit` bytes of a file, and whether they are the whole file."""
    with open_file(path, root) as file:
        pieces: list[bytes] = []
        left = limit + 1
        while left > 0 and (piece := file.read(min(left, BLOCK))):
            pieces.append(piece)
            left -= len(piece)
    data = b"".join(pieces)
    return data[:limit], len(data) <= limit


def read_ends(file: IO[bytes], size: int) -> tuple[bytes, bytes]:
    """Return the first HEAD bytes and the last TAIL bytes of the first `size` bytes of a file."""
    file.seek(0)
    head = file.read(min(HEAD, size))
    file.seek(max(0, size - TAIL))
    return head, file.read(min(TAIL, size))


def hash_ends(head: bytes, tail: bytes) -> bytes:
    """Return the hash of `head` followed by the hash of `tail`: 16 bytes."""
    return xxhash.xxh3_64_digest(head) + xxhash.xxh3_64_digest(tail)


def file_signature(path: str | Path) -> bytes:
    """Inode, size and modification time of a file as bytes, which differ after each change. The content is not
    read.
    """
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(errno.EINVAL, "not a regular file", str(path))
    return b"%d.%d.%d." % (status.st_ino, status.st_size, status.st_mtime_ns)


def walk_files(root: Path, wanted: Callable[[str], bool], skipped: list[str]) -> Iterator[Path]:
    """Yield the paths of regular files below `root` for whose name `wanted` is true, in a fixed order.

    Descriptions of what was left out are appended to `skipped`: links that lead outside of `root`, folders that cannot
    be listed or are nested too deeply, and wanted names that are not regular files. Raises OSError when `root` cannot
    be listed.
    """
    return (root / below for below in walk_names(root, wanted, skipped))


def walk_names(root: Path, wanted: Callable[[str], bool], skipped: list[str]) -> Iterator[str]:
    """Yield the regular files below `root` for whose name `wanted` is true, as text relative to `root`, joined by "/".

    What was left out is described in `skipped`, as by walk_files(), which takes much longer because it makes a Path
    object of each.
    """
    return _walk(str(root), "", wanted, skipped, os.path.realpath(root), MAX_DEPTH)


def _walk(
    folder: str, below: str, wanted: Callable[[str], bool], skipped: list[str], root: str, depth: int
) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        if folder == root or _resolved(folder) == root:
            raise
        skipped.append(f"{folder}: {error.strerror or error}")
        return
    for entry in found:
        path = entry.path
        if entry.is_symlink():
            if not _leads_inside(entry.path, root):
                skipped.append(f"{path}: a link that leads outside is not followed")
        elif entry.is_dir():
            if depth:
                yield from _walk(path, f"{below}{entry.name}/", wanted, skipped, root, depth - 1)
            else:
                skipped.append(f"{path}: nested too deeply, not read")
        elif wanted(entry.name):
            if entry.is_file():
                yield f"{below}{entry.name}"
            else:
                skipped.append(f"{path}: not a regular file")


def _leads_inside(link: str, root: str) -> bool:
    """Return whether the target of a link is below `root`, where walk_files() finds it without the link."""
    target = _resolved(link)
    return target == root or target.startswith(root.rstrip(os.sep) + os.sep)


def _resolved(path: str) -> str:
    """Return the path without links; "" when a link in it is replaced at this moment, which realpath() gives up at."""
    try:
        return os.path.realpath(path)
    except OSError:
        return ""
