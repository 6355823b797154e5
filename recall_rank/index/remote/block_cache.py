"""The local cache of indexes in stores: one sparse file for each file of an index, filled block by block.

The cache is never trusted. What lies in it is compared with the hashes of the segment before it is used, and fetched
when it does not match, be it a hole, a torn write or damage. So it needs no list of what it holds, several
processes may fill it, and it may be deleted at any time.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import xxhash

from recall_rank.index.errors import DamagedIndexError, IndexFolderError, ReplacedIndexError, StoreError
from recall_rank.index.remote.object_store import ObjectStore
from recall_rank.index.storage.folder import Folder
from recall_rank.index.storage.manifest import ListedFile, Manifest
from recall_rank.index.storage.mapped_file import FETCHES, MappedFile

CACHE_BYTES: Final = 1 << 30  # of all indexes in the cache, by default
OPENINGS: Final = 10  # of a cached file that others remove meanwhile, before an error is raised
GAP: Final = 1024  # bytes between two ranges that are fetched along, to save a request
# the names of folders and files of any version: only these are removed, since a user may name any folder as the cache
_FOLDER_NAME: Final = re.compile(r"[0-9a-f]{32}")
_FILE_NAME: Final = re.compile(r"(?:segment|table)-[0-9]+-[0-9a-f]{8}-[0-9]+-[0-9a-f]{16}-[0-9a-f]{32}")
_FLAGS: Final = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NEW: Final = _FLAGS | os.O_CREAT | os.O_EXCL


class BlockCache:
    """The cached files of one index in a store, in a folder that those of other indexes share. Thread-safe.

    All files together have at most `most` bytes, except that those of indexes which are open stay readable.
    """

    def __init__(self, folder: Path, key: str, most: int) -> None:
        """Open or create the folder. `key` identifies the store and the place in it.

        Raises IndexFolderError for a folder that is not private to this user, and another OSError when it cannot be
        created.
        """
        self.most = most
        self._root = folder
        self._folder = folder / xxhash.xxh3_128_hexdigest(key.encode("utf-8", "surrogatepass"))
        if not folder.parent.exists():
            Folder.create(folder.parent).close()  # a parent that others may write to would let them swap our folder
        self._make_folders()
        for each in (folder, self._folder):
            if os.name == "posix" and each.stat().st_mode & 0o077:
                raise IndexFolderError(f"{each} is a cache of recalled text and may be read by others: chmod 700 it")
        self._lock = threading.Lock()
        self._added = 0  # bytes written by this process since the cache was last measured
        self._measured = 0

    def _make_folders(self) -> None:
        """Create the folders where they are missing: each by itself, so that both are private."""
        for each in (self._root, self._folder):
            Folder.create(each).close()

    def open(self, listed: ListedFile) -> int:
        """Return a descriptor of the cached file of a listed one, which has its size and may be full of holes.

        What another process removes meanwhile, the file or its folder, is made again. A file of another size is not
        lengthened, but made anew: who has it open sees by its size that it was cut.
        """
        path = self._path(listed)
        for _ in range(OPENINGS):
            try:
                descriptor = os.open(path, _FLAGS)
            except FileNotFoundError:
                try:
                    descriptor = os.open(path, _NEW, 0o600)
                except FileExistsError:
                    continue
                except FileNotFoundError:
                    self._make_folders()
                    continue
                os.ftruncate(descriptor, listed.size)
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size == listed.size:
                os.utime(path)
                return descriptor
            os.close(descriptor)
            path.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be used as a cache")

    def drop(self, files: Iterable[ListedFile]) -> None:
        """Forget what is cached of these files. What this process has open of them stays readable."""
        for listed in files:
            with suppress(OSError):
                self._path(listed).unlink()

    def keep_only(self, manifest: Manifest) -> None:
        """Delete what is cached of this index and belongs to no file of `manifest`: it may be text that was forgotten.

        Then delete the files of all indexes that were opened longest ago, until the rest has at most `most` bytes.
        """
        named = {self._path(listed).name for listed in manifest.files}
        with suppress(OSError):
            for path in self._folder.iterdir():
                if path.name not in named and _FILE_NAME.fullmatch(path.name):
                    with suppress(OSError):
                        path.unlink()
        self._trim(named)

    def added(self, size: int) -> bool:
        """Count `size` bytes that were written. Return whether the files of this index alone have too many bytes."""
        with self._lock:
            self._added += size
            return self._measured + self._added > self.most and self._trim(None) > self.most

    def _trim(self, named: set[str] | None) -> int:
        """Delete files of other indexes, longest unused first, while all have too many bytes; return how many bytes
        the rest has. `named` are the files of this index; None are all in its folder.
        """
        found = []
        for path in self._root.glob("*/*"):
            if not (_FOLDER_NAME.fullmatch(path.parent.name) and _FILE_NAME.fullmatch(path.name)):
                continue
            with suppress(OSError):
                status = path.stat()
                size = status.st_blocks * 512 if hasattr(status, "st_blocks") else status.st_size
                own = path.parent == self._folder and (named is None or path.name in named)
                found.append((own, status.st_mtime_ns, size, path))
        total = sum(size for *_, size, _ in found)
        for own, _, size, path in sorted(found, key=lambda each: each[:2]):
            if total <= self.most or own:
                break
            with suppress(OSError):
                path.unlink()
                total -= size
                path.parent.rmdir()  # fails while it has files
        self._measured, self._added = total, 0
        return total

    def _path(self, listed: ListedFile) -> Path:
        return self._folder / f"{listed.name}-{listed.header_hash}"


class RemoteFile(MappedFile):
    """A file of an index in a store, mapped from its cached copy, which is filled by load()."""

    __slots__ = ("_cache", "_listed", "_store", "_writing", "full")

    partial = True

    def __init__(self, store: ObjectStore, cache: BlockCache, listed: ListedFile) -> None:
        """Map the cached copy of a listed file. Raises StoreError when the file is too large for that, and another
        OSError when the cache cannot be written.
        """
        self._store = store
        self._cache = cache
        self._listed = listed
        self._writing = threading.Lock()
        self.full = False  # whether the cache has too many bytes since this file was filled
        try:
            descriptor = cache.open(listed)
            try:
                super().__init__(descriptor, listed.size, store.where(listed.name))
            finally:
                os.close(descriptor)
        except OSError as error:
            if error.errno not in (errno.EFBIG, errno.ENOMEM, errno.EINVAL):
                raise
            text = f"{store.where(listed.name)} cannot be cached with its {listed.size:,} bytes: {error.strerror}"
            raise StoreError(error.errno, text) from error

    def damaged(self, why: str) -> DamagedIndexError:
        return DamagedIndexError(f"{self.name}: {why}; publish the index again")

    @property
    def cut(self) -> bool:
        """Whether somebody has cut or lengthened the cached copy: nothing of it may be read any more."""
        return os.fstat(self._descriptor).st_size != self.size

    def written(self) -> int | None:
        """Return None: this process, and others, write to the cached file. Raises ReplacedIndexError when it was cut:
        who opens the index again gets a new copy.
        """
        if self.cut:
            raise ReplacedIndexError(f"{self.name}: its cached copy was cut; open the index again")
        return None

    def load(self, ranges: Sequence[tuple[int, int]]) -> bool:
        """Fetch byte ranges from the store into the cached copy; neighbours by one request.

        A range that comes with another length is fetched once more. Raises FileNotFoundError when the object is gone,
        DamagedIndexError when it is shorter than it was, and StoreError, also for more bytes than were asked for.
        """
        wanted = left = _joined(ranges)
        for number in range(1, FETCHES + 1):
            wrong = []
            for (start, end), data in zip(left, self._store.read_ranges(self._listed.name, left), strict=True):
                if len(data) == end - start:
                    self.fill(start, data)
                elif number < FETCHES:
                    wrong.append((start, end))
                elif len(data) < end - start:
                    raise self.damaged(f"it has fewer than {end} bytes")
                else:
                    raise StoreError(f"{self.name}: asked for {end - start} bytes, the store sent {len(data)}")
            left = wrong
            if not left:
                break
        if self._cache.added(sum(end - start for start, end in wanted)):
            self.full = True
        return True

    def fill(self, start: int, data: bytes | memoryview) -> None:
        """Write bytes to the cached copy, from the byte `start` on. Raises StoreError when the disk is full."""
        view = memoryview(data)
        try:
            while view:
                done = self._write_at(view, start)
                view, start = view[done:], start + done
        except OSError as error:
            raise StoreError(error.errno, f"the cache cannot be written: {error.strerror}") from error

    def _write_at(self, data: memoryview, start: int) -> int:
        """Write bytes at an offset, and return how many were written."""
        if hasattr(os, "pwrite"):
            return os.pwrite(self._descriptor, data, start)
        with self._writing:  # on Windows the position of the descriptor moves
            os.lseek(self._descriptor, start, os.SEEK_SET)
            return os.write(self._descriptor, data)


def _joined(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges [start, end), ascending, with those joined that overlap or are at most GAP bytes apart."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1] + GAP:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
