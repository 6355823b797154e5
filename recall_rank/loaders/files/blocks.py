"""Read the bytes of a file in blocks: the holes of a sparse file are not read, archives are unpacked within limits."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from typing import IO, Final, Self

from recall_rank.loaders.files.regular_files import BLOCK
from recall_rank.model.progress import watcher

LEAST_HOLE: Final = 1 << 20  # shorter holes are read as the NUL bytes that they stand for
ARCHIVES: Final = (".gz", ".xz", ".zst")
_SEEK_DATA: Final = getattr(os, "SEEK_DATA", -1)  # -1 on Windows
_SEEK_HOLE: Final = getattr(os, "SEEK_HOLE", -1)


class Hole(bytes):
    """Two NUL bytes (one NUL of UTF-16) that stand for a hole of a sparse file: a run of NUL bytes that is not
    stored. `size` is the length of the hole.
    """

    size: int

    def __new__(cls, size: int) -> Self:
        """Return two NUL bytes that stand for a hole of a sparse file, a run of `size` NUL bytes that is not stored."""
        made = super().__new__(cls, b"\0\0")
        made.size = size
        return made


def read_blocks(file: IO[bytes], suffix: str = "", *, start: int = 0, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the bytes of a file from offset `start` on, in blocks of `size` bytes.

    A hole, that is a run of NUL bytes that a sparse file does not store, of a mebibyte or more is yielded as one Hole,
    where the file system tells holes. With the suffix of an archive (.gz, .xz or .zst) the bytes are unpacked and
    `start` must be 0. Of a damaged or too large archive, the bytes that can be unpacked are yielded before OSError is
    raised.
    """
    report = watcher(os.fstat(file.fileno()).st_size)
    for block in _blocks(file, suffix, start, size):
        yield block
        if report is not None:
            report(file.tell())


def _blocks(file: IO[bytes], suffix: str, start: int, size: int) -> Iterator[bytes]:
    file.seek(start)
    if suffix in ARCHIVES:
        from recall_rank.loaders.files.archives import unpacked  # rare, and much to import

        yield from unpacked(file, suffix, size)
        return
    if _SEEK_DATA >= 0:
        status = os.fstat(file.fileno())
        if getattr(status, "st_blocks", status.st_size) * 512 < status.st_size - start - LEAST_HOLE:
            yield from _stored(file, start, status.st_size, size)
    yield from iter(lambda: file.read(size), b"")


def _stored(file: IO[bytes], at: int, end: int, size: int) -> Iterator[bytes]:
    """Yield the bytes of a sparse file from `at` to `end`, with each large hole as a Hole."""
    while at < end:
        data = _seek(file, at, _SEEK_DATA, end)
        if data - at >= LEAST_HOLE:
            yield Hole(data - at)
            at = data
        stop = _seek(file, data, _SEEK_HOLE, end)
        file.seek(at)
        while at < stop and (block := file.read(min(size, stop - at))):
            yield block
            at += len(block)
        if at < stop:
            return  # the file was cut meanwhile
    file.seek(end)


def _seek(file: IO[bytes], at: int, whence: int, end: int) -> int:
    """Return the next offset from `at` on where stored bytes (SEEK_DATA) or a hole (SEEK_HOLE) begin, at most `end`.
    Where the file system does not tell holes, everything up to `end` counts as stored.
    """
    try:
        return min(end, os.lseek(file.fileno(), at, whence))
    except OSError as error:
        if error.errno == errno.ENXIO:  # nothing is stored from `at` on
            return end
        return at if whence == _SEEK_DATA else end  # this file system does not tell holes
