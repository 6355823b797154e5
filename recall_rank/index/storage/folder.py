"""The folder of an index: private to its user, with files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import xxhash

from recall_rank.index.errors import DamagedIndexError, IndexFolderError, MissingIndexError
from recall_rank.index.storage.format import FORMAT

OTHERS: Final = 0o077
OTHERS_WRITE: Final = 0o022
FORGOTTEN: Final = 86_400  # seconds no writer takes: after them a file is a leftover though its writer may live
_NO_LINKS: Final = os.O_CLOEXEC | os.O_NOFOLLOW
# format, machine, process, random: the name identifies the writer even after it was killed
_OURS: Final = re.compile(rf"(temporary|segment|table)-{FORMAT}-([0-9a-f]{{8}})-([0-9]+)-[0-9a-f]{{16}}")
KEPT_NAME: Final = re.compile(rf"(segment|table)-{FORMAT}-[0-9a-f]{{8}}-[0-9]+-[0-9a-f]{{16}}")


class Folder:
    """An open folder: file names are resolved in it even if its path is moved or replaced meanwhile."""

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: str | Path) -> None:
        """Open an existing folder. Raises MissingIndexError, or IndexFolderError for a folder that is not safe to
        read.
        """
        self.path = Path(path)
        try:
            # without a slash at its end, so that a link is not followed
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | _NO_LINKS)
        except FileNotFoundError as error:
            raise MissingIndexError(f"no folder {self.path}") from error
        except OSError as error:
            raise IndexFolderError(f"{self.path} is not a folder that can be opened: {error.strerror}") from error
        status = os.fstat(self._descriptor)
        why = "belongs to another user" if status.st_uid != os.geteuid() else ""
        if not why and status.st_mode & OTHERS_WRITE:
            why = "may be written to by others"
        if why:
            self.close()
            raise IndexFolderError(f"{self.path} {why}: its files could be anybody's")

    @classmethod
    def create(cls, path: str | Path) -> Self:
        """Open a folder, created with its parents, mode 0700, when it is missing.

        An existing folder is made private when it is empty or holds nothing but an index; permissions that its owner
        lacks are not added.
        """
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.mkdir(mode=0o700)
            path.chmod(0o700)
        except FileExistsError:
            status = path.lstat()
            mine = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
            if mine and status.st_mode & 0o077 and all(_is_ours(found.name) for found in path.iterdir()):
                path.chmod(status.st_mode & 0o700)
        return cls(path)

    def close(self) -> None:
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def names(self) -> list[str]:
        return os.listdir(self._descriptor)  # noqa: PTH208  # a descriptor, not a path

    def open(self, name: str) -> int:
        """A descriptor of a file that only this user can have written. Raises FileNotFoundError or
        DamagedIndexError.
        """
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _NO_LINKS, dir_fd=self._descriptor)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENXIO, errno.EACCES):
                raise  # gone, or no fault of the file
            raise DamagedIndexError(f"{self.path / name} cannot be opened: {error.strerror}") from error
        status = os.fstat(descriptor)
        if (
            stat.S_ISREG(status.st_mode)
            and status.st_uid == os.geteuid()
            and not status.st_mode & OTHERS
            and status.st_nlink <= 2  # a manifest has two names for a moment, or when its writer was killed then
        ):
            return descriptor
        os.close(descriptor)
        raise DamagedIndexError(f"{self.path / name} is not a private file of this user; build the index again")

    def write(self, fill: Callable[[int], bytes]) -> tuple[str, bytes, int]:
        """Create a private file with a temporary name, which `fill` writes and syncs; returns name, result of `fill`,
        size.

        The file is removed when `fill` fails.
        """
        name = _new("temporary")
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINKS, 0o600, dir_fd=self._descriptor)
        try:
            try:
                os.fchmod(descriptor, 0o600)  # a umask takes bits away, from its owner too
                given = fill(descriptor)
                return name, given, os.fstat(descriptor).st_size
            finally:
                os.close(descriptor)
        except BaseException:
            self.remove(name)
            raise

    def keep(self, temporary: str, kind: str = "segment") -> str:
        """Rename a temporary file to a new name of its kind, such as "segment"; returns the name."""
        name = _new(kind)
        os.rename(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        return name

    def claim(self, temporary: str, name: str) -> None:
        """Rename a temporary file to `name`, which must be free. Raises FileExistsError when it is not."""
        try:
            os.link(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:
            # a file system without hard links: of two simultaneous writers the last one wins
            if name in self.names():
                raise FileExistsError(name) from None
            os.rename(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
            return
        self.remove(temporary)

    def replace(self, temporary: str, name: str) -> None:
        """Rename a temporary file to `name`, replacing the file of that name."""
        os.rename(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def size(self, name: str) -> int:
        """The size of a file in bytes; a link is not followed."""
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False).st_size

    def unlink(self, name: str) -> None:
        """Remove a file. Raises OSError."""
        os.unlink(name, dir_fd=self._descriptor)

    def sync(self) -> None:
        """Make renames and removals durable, where the file system supports it."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise

    def remove(self, name: str) -> None:
        """Remove a file that is not needed any more; on failure it remains for the next sweep."""
        with suppress(OSError):
            self.unlink(name)

    def touch(self, name: str) -> None:
        """Set the modification time of a file to now."""
        os.utime(name, dir_fd=self._descriptor, follow_symlinks=False)

    def leftovers(self) -> list[str]:
        """The files whose writer has ended. The manifest must be read afterwards, since it may list some of them."""
        return [name for name in self.names() if self._is_left(name)]

    def sweep(self, names: Iterable[str], keep: frozenset[str]) -> None:
        for name in names:
            if name not in keep:
                self.remove(name)

    def _is_left(self, name: str) -> bool:
        found = _OURS.fullmatch(name)
        if found is None:
            return False
        if found[2] == _machine() and not _lives(int(found[3])):
            return True
        with suppress(OSError):
            status = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
            return time.time() - status.st_mtime > FORGOTTEN
        return False


def _is_ours(name: str) -> bool:
    """Whether a file name is one that some version of this package gives."""
    return name.startswith(("temporary-", "segment-", "table-", "manifest-"))


def _new(kind: str) -> str:
    return f"{kind}-{FORMAT}-{_machine()}-{os.getpid()}-{os.urandom(8).hex()}"


@cache
def _machine() -> str:
    """A key of the machine and its process namespace (container), inside which process ids are unique."""
    space = ""
    with suppress(OSError):
        space = str(Path("/proc/self/ns/pid").readlink())
    return xxhash.xxh3_64_hexdigest(f"{os.uname().nodename} {space}".encode())[:8]


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # a process of another user, or an invalid id: the file is left alone
    return True
