"""The folder of an index: private to its user, with files that appear only after they are written completely."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

import xxhash

from recall_rank.index.errors import DamagedIndexError, IndexFolderError, MissingIndexError
from recall_rank.index.storage.format import FORMAT

OTHERS_ACCESS: Final = 0o077
OTHERS_WRITE: Final = 0o022
LEFTOVER_SECONDS: Final = 86_400  # an unlisted file of this age is a leftover, even if its writer may still run
_NO_LINKS: Final = os.O_CLOEXEC | os.O_NOFOLLOW
# format, machine, process, random: the name identifies the writer of a file even after that process was killed
_OWN_FILE: Final = re.compile(rf"(temporary|segment|table|vectors)-{FORMAT}-([0-9a-f]{{8}})-([0-9]+)-[0-9a-f]{{16}}")
LISTED_FILE_NAME: Final = re.compile(rf"(segment|table)-{FORMAT}-[0-9a-f]{{8}}-[0-9]+-[0-9a-f]{{16}}")


class WrittenFile(NamedTuple):
    """A file that was written completely, still under a temporary name."""

    name: str
    header: bytes  # returned by the function that wrote the file
    size: int  # bytes


class Folder:
    """An open folder. File names are resolved relative to its descriptor, so that they stay right when its path is
    renamed.
    """

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: str | Path) -> None:
        """Open an existing folder.

        Raises MissingIndexError for a missing folder, and IndexFolderError for a path that is not a folder or a folder
        that another user owns or may write to.
        """
        self.path = Path(path)
        try:
            # a Path has no trailing slash, which would make the system follow a link
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
        """Open a folder; create it and its parents first if it is missing, the folder itself with mode 0700 whatever
        the umask.

        An existing folder that is empty or contains only index files loses the permissions of group and others; the
        permissions of its owner stay. Raises OSError when it cannot be created, and the errors of Folder().
        """
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.mkdir(mode=0o700)
            path.chmod(0o700)
        except FileExistsError:
            status = path.lstat()
            is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
            if is_own and status.st_mode & 0o077 and all(_is_index_file(found.name) for found in path.iterdir()):
                path.chmod(status.st_mode & 0o700)
        return cls(path)

    def close(self) -> None:
        """Close the descriptor of the folder."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def names(self) -> list[str]:
        """Return the names of all entries of the folder, in no order."""
        return os.listdir(self._descriptor)  # noqa: PTH208  # a descriptor, not a path

    def open(self, name: str) -> int:
        """Open a regular file that only this user may read or write; return a read-only descriptor.

        Raises FileNotFoundError, and DamagedIndexError for a link or a file with other owners or permissions.
        """
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _NO_LINKS, dir_fd=self._descriptor)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENXIO, errno.EACCES):
                raise  # the file is missing, or the error does not concern the file
            raise DamagedIndexError(f"{self.path / name} cannot be opened: {error.strerror}") from error
        status = os.fstat(descriptor)
        if (
            stat.S_ISREG(status.st_mode)
            and status.st_uid == os.geteuid()
            and not status.st_mode & OTHERS_ACCESS
            and status.st_nlink <= 2  # claim() gives a manifest a second name for a moment
        ):
            return descriptor
        os.close(descriptor)
        raise DamagedIndexError(f"{self.path / name} is not a private file of this user; build the index again")

    def write(self, fill: Callable[[int], bytes]) -> WrittenFile:
        """Create a private file under a temporary name and return its name, header and size.

        `fill` gets the descriptor of the file, writes and syncs it, and returns its header. Raises the error of `fill`,
        after the file was removed.
        """
        name = _new_name("temporary")
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINKS, 0o600, dir_fd=self._descriptor)
        try:
            try:
                os.fchmod(descriptor, 0o600)  # a umask may have cleared bits of the owner
                header = fill(descriptor)
                return WrittenFile(name, header, os.fstat(descriptor).st_size)
            finally:
                os.close(descriptor)
        except BaseException:
            self.remove(name)
            raise

    def rename_temporary(self, temporary: str, kind: str) -> str:
        """Rename a temporary file to a new unique name of `kind` ("segment" or "table") and return that name."""
        name = _new_name(kind)
        os.rename(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        return name

    def claim(self, temporary: str, name: str) -> None:
        """Give a temporary file the name `name` atomically. Raises FileExistsError when a file of that name exists.

        On a file system without hard links, of two simultaneous writers the second replaces the first.
        """
        try:
            os.link(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:
            # no hard links here: of two simultaneous writers, the second replaces the first
            if name in self.names():
                raise FileExistsError(name) from None
            os.rename(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
            return
        self.remove(temporary)

    def replace(self, temporary: str, name: str) -> None:
        """Rename a temporary file to `name`, replacing a file of that name atomically."""
        os.rename(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def size(self, name: str) -> int:
        """Return the size of a file in bytes; links are not followed."""
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False).st_size

    def unlink(self, name: str) -> None:
        """Remove a file. Raises OSError."""
        os.unlink(name, dir_fd=self._descriptor)

    def sync(self) -> None:
        """Sync the folder, so that created, renamed and removed names survive a power cut where supported."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise

    def remove(self, name: str) -> None:
        """Remove a file that is no longer needed. Errors are ignored: a later sweep() tries again."""
        with suppress(OSError):
            self.unlink(name)

    def try_lock(self) -> bool:
        """Lock the folder until it is closed, without waiting; return False when another holder has locked it.

        The lock keeps two processes from making the same vectors. It protects no file, and nothing else takes it.
        """
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def touch(self, name: str) -> None:
        """Set the modification time of a file to now."""
        os.utime(name, dir_fd=self._descriptor, follow_symlinks=False)

    def leftovers(self) -> list[str]:
        """Return the names of index files of this format whose writer process has ended on this machine, or that are a
        day old.

        The files of a manifest that is read after this call may be among them and must not be removed.
        """
        return [name for name in self.names() if self._is_leftover(name)]

    def sweep(self, names: Iterable[str], listed: frozenset[str]) -> None:
        """Remove the files `names` except those in `listed`. Errors are ignored."""
        for name in names:
            if name not in listed:
                self.remove(name)

    def _is_leftover(self, name: str) -> bool:
        parsed = _OWN_FILE.fullmatch(name)
        if parsed is None:
            return False
        if parsed[2] == _machine_id() and not _is_running(int(parsed[3])):
            return True
        with suppress(OSError):
            status = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
            return time.time() - status.st_mtime > LEFTOVER_SECONDS
        return False


def vectors_name(segment_name: str) -> str:
    """Return the name of the file with the vectors of a segment, which need not exist, from that of its own file."""
    return f"vectors-{segment_name.removeprefix('segment-')}"


def _is_index_file(name: str) -> bool:
    """Whether a file name has the form that any version of this package gives its files."""
    return name.startswith(("temporary-", "segment-", "table-", "vectors-", "manifest-"))


def _new_name(kind: str) -> str:
    return f"{kind}-{FORMAT}-{_machine_id()}-{os.getpid()}-{os.urandom(8).hex()}"


@cache
def _machine_id() -> str:
    """Return a hash, eight hexadecimal digits, of the host name and the process namespace.

    Process ids are comparable only within one of these.
    """
    namespace = ""
    with suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink())
    return xxhash.xxh3_64_hexdigest(f"{os.uname().nodename} {namespace}".encode())[:8]


def _is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # a process of another user, or no valid id: the file was not written by this user
    return True
