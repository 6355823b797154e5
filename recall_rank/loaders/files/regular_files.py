"""Files of others: only regular ones inside the root are opened, only for reading, and never through a link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import xxhash

BLOCK = 1 << 20
PACKED = (".gz", ".xz")
HEAD, TAIL = 256, 64  # bytes; both hashes are needed to notice every rewrite of a growing file
MAX_DEPTH = 12  # of folders below a root: a loop of mounts ends somewhere

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_PLAIN = _READ | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a FIFO must not make us wait
_FOLDER = _READ | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)


class NotRegularError(OSError):
    """What lies at the path is a folder, a link, a FIFO, a socket or a device."""


def open_regular(path: Path, root: Path | None = None) -> int:
    """A descriptor of the regular file at path. Below root no component may be a link, so it cannot lead outside."""
    inside = root is not None and os.open in os.supports_dir_fd
    fd = _open_below(root, path) if inside and root is not None else os.open(path, _PLAIN)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise NotRegularError(errno.EINVAL, "not a regular file", str(path))


def _open_below(root: Path, path: Path) -> int:
    """Opens component by component, so that a folder swapped for a link on the way is noticed."""
    *folders, name = path.relative_to(root).parts
    at = os.open(root, _READ | getattr(os, "O_DIRECTORY", 0))
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
    """The regular file at path, unbuffered."""
    with os.fdopen(open_regular(path, root), "rb", buffering=0) as file:
        yield file


def read_blocks(file: IO[bytes], suffix: str = "", *, start: int = 0, size: int = BLOCK) -> Iterator[bytes]:
    """The file's bytes from start on, `size` at a time; .gz and .xz are unpacked (start must then be 0).

    A damaged archive gives what can be unpacked and then raises OSError.
    """
    file.seek(start)
    if suffix not in PACKED:
        yield from iter(lambda: file.read(size), b"")
        return
    import gzip
    import lzma
    import zlib

    unpacked = gzip.GzipFile(fileobj=file, mode="rb") if suffix == ".gz" else lzma.LZMAFile(file)  # noqa: SIM115 - the caller closes
    try:
        yield from iter(lambda: unpacked.read(size), b"")
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise OSError(errno.EIO, f"damaged archive: {error}") from error


def read_small(path: Path, root: Path | None = None, limit: int = BLOCK) -> tuple[bytes, bool]:
    """The file's first bytes, and whether that is all of it."""
    with open_file(path, root) as file:
        pieces: list[bytes] = []
        left = limit + 1
        while left > 0 and (piece := file.read(min(left, BLOCK))):
            pieces.append(piece)
            left -= len(piece)
    data = b"".join(pieces)
    return data[:limit], len(data) <= limit


def read_ends(file: IO[bytes], size: int) -> tuple[bytes, bytes]:
    """Head and tail of a file's first `size` bytes."""
    file.seek(0)
    head = file.read(min(HEAD, size))
    file.seek(max(0, size - TAIL))
    return head, file.read(min(TAIL, size))


def hash_ends(head: bytes, tail: bytes) -> bytes:
    """A hash of a head and one of a tail."""
    return xxhash.xxh3_64_digest(head) + xxhash.xxh3_64_digest(tail)


def file_signature(path: str | Path) -> bytes:
    """Differs when the file was replaced, rewritten, cut or appended to; nothing of its content is read."""
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(errno.EINVAL, "not a regular file", str(path))
    return b"%d.%d.%d." % (status.st_ino, status.st_size, status.st_mtime_ns)


def walk_files(root: Path, wanted: Callable[[str], bool], skipped: list[str]) -> Iterator[Path]:
    """Regular files below root whose name is wanted, in a fixed order. What else has such a name goes to `skipped`."""
    return (root / below for below in walk_names(root, wanted, skipped))


def walk_names(root: Path, wanted: Callable[[str], bool], skipped: list[str]) -> Iterator[str]:
    """The same as text relative to root, folders joined by "/": a path is made much more slowly."""
    return _walk(str(root), "", wanted, skipped, os.path.realpath(root), MAX_DEPTH)


def _walk(
    folder: str, below: str, wanted: Callable[[str], bool], skipped: list[str], root: str, depth: int
) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        if folder == root or os.path.realpath(folder) == root:
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
    """Whether a link's target is below the root, where the walk finds it by itself."""
    target = os.path.realpath(link)
    return target == root or target.startswith(root.rstrip(os.sep) + os.sep)
