"""The folder of an index: private to its user, with files that appear only after they are written completely."""

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
from typing import Final, NamedTuple, Self

import xxhash

from recall_rank.index.errors import DamagedIndexError, IndexFolderError, MissingIndexError
from recall_rank.index.storage.format import FORMAT

try:
    import fcntl
except ImportError:  # Windows: two processes may make the same vectors, which costs time and harms nothing
    fcntl = None  # type: ignore[assignment]

OTHERS_ACCESS: Final = 0o077
OTHERS_WRITE: Final = 0o022
LEFTOVER_SECONDS: Final = 86_400  # an unlisted file of this age is a leftover, even if its writer may still run
_NO_LINKS: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINKS
_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _NO_LINKS
_RELATIVE: Final = {os.open, os.rename, os.stat, os.unlink} <= os.supports_dir_fd  # not on Windows
# format, machine, process, random: the name identifies the writer of a file even after that process was killed
_OWN_FILE: Final = re.compile(rf"(temporary|segment|table|vectors)-{FORMAT}-([0-9a-f]{{8}})-([0-9]+)-[0-9a-f]{{16}}")
LISTED_FILE_NAME: Final = re.compile(rf"(segment|table)-{FORMAT}-[0-9a-f]{{8}}-[0-9]+-[0-9a-f]{{16}}")
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")


class WrittenFile(NamedTuple):
    """A file that was written completely, still under a temporary name."""

    name: str
    header: bytes  # returned by the function that wrote the file
    size: int  # bytes


class Folder:
    """An open folder. File names are resolved relative to its descriptor, so that they stay right when its path is
    renamed.

    On Windows, where no folder has a descriptor, they are resolved by its path, and files are as private as the access
    control list of the folder makes them: those in a user's profile are.
    """

    __slots__ = ("_base", "_descriptor", "path")

    def __init__(self, path: str | Path) -> None:
        """Open an existing folder.

        Raises MissingIndexError for a missing folder, and IndexFolderError for a path that is not a folder or a folder
        that another user owns or may write to.
        """
        self.path = Path(path)
        self._descriptor: int | None = None
        self._base = "" if _RELATIVE else f"{self.path}{os.sep}"
        try:
            # a Path has no trailing slash, which would make the system follow a link
            if _RELATIVE:
                self._descriptor = os.open(self.path, _FOLDER)
            elif not stat.S_ISDIR(self.path.lstat().st_mode):
                raise NotADirectoryError(errno.ENOTDIR, "not a directory")
        except FileNotFoundError as error:
            raise MissingIndexError(f"no folder {self.path}") from error
        except OSError as error:
            raise IndexFolderError(f"{self.path} is not a folder that can be opened: {error.strerror}") from error
        if self._descriptor is None:
            return
        status = os.fstat(self._descriptor)
        why = "" if _is_own(status) else "belongs to another user"
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
            is_own = stat.S_ISDIR(status.st_mode) and _is_own(status)
            if is_own and status.st_mode & 0o077 and all(_is_index_file(found.name) for found in path.iterdir()):
                path.chmod(status.st_mode & 0o700)
        return cls(path)

    def close(self) -> None:
        """Close the descriptor of the folder."""
        if self._descriptor is not None:
            os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def machine(self) -> str:
        """The eight hexadecimal digits by which the names of files tell on which machine their writer runs."""
        return _machine_id()

    def where(self, name: str) -> str:
        """Return the path of a file of this folder, for messages and as its name."""
        return str(self.path / name)

    def names(self) -> list[str]:
        """Return the names of all entries of the folder, in no order."""
        return os.listdir(self.path if self._descriptor is None else self._descriptor)  # noqa: PTH208

    def open(self, name: str) -> int:
        """Open a regular file that only this user may read or write; return a read-only descriptor.

        Raises FileNotFoundError, and DamagedIndexError for a link or a file with other owners or permissions.
        """
        try:
            if self._descriptor is None and stat.S_ISLNK(os.lstat(self._base + name).st_mode):
                raise DamagedIndexError(f"{self.where(name)} is a link; build the index again")
            descriptor = os.open(self._base + name, _READ, dir_fd=self._descriptor)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENXIO, errno.EACCES):
                raise  # the file is missing, or the error does not concern the file
            raise DamagedIndexError(f"{self.where(name)} cannot be opened: {error.strerror}") from error
        status = os.fstat(descriptor)
        if (
            stat.S_ISREG(status.st_mode)
            and _is_own(status)
            and not (_RELATIVE and status.st_mode & OTHERS_ACCESS)
            and status.st_nlink <= 2  # claim() gives a manifest a second name for a moment
        ):
            return descriptor
        os.close(descriptor)
        raise DamagedIndexError(f"{self.where(name)} is not a private file of this user; build the index again")

    def write(self, fill: Callable[[int], bytes]) -> WrittenFile:
        """Create a private file under a temporary name and return its name, header and size.

        `fill` gets the descriptor of the file, writes and syncs it, and returns its header. Raises the error of `fill`,
        after the file was removed.
        """
        name = new_name("temporary", self.machine)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINKS
        descriptor = os.open(self._base + name, flags, 0o600, dir_fd=self._descriptor)
        try:
            try:
                if hasattr(os, "fchmod"):
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
        name = new_name(kind, self.machine)
        at = self._descriptor
        os.rename(self._base + temporary, self._base + name, src_dir_fd=at, dst_dir_fd=at)
        return name

    def claim(self, temporary: str, name: str) -> None:
        """Give a temporary file the name `name` atomically. Raises FileExistsError when a file of that name exists.

        On a file system without hard links, of two simultaneous writers the second replaces the first.
        """
        at = self._descriptor
        old, new = self._base + temporary, self._base + name
        try:
            _link(old, new, at)
        except FileExistsError:
            raise
        except OSError:
            # no hard links here: of two simultaneous writers, the second replaces the first
            if name in self.names():
                raise FileExistsError(name) from None
            os.rename(old, new, src_dir_fd=at, dst_dir_fd=at)
            return
        self.remove(temporary)

    def replace(self, temporary: str, name: str) -> None:
        """Rename a temporary file to `name`, replacing a file of that name atomically."""
        at = self._descriptor
        os.replace(self._base + temporary, self._base + name, src_dir_fd=at, dst_dir_fd=at)

    def put(self, name: str, data: bytes) -> None:
        """Write a private file, in place of an earlier one of that name, atomically. Raises OSError."""
        written = self.write(lambda descriptor: write_synced(descriptor, data))
        self.replace(written.name, name)
        self.sync()

    def size(self, name: str) -> int:
        """Return the size of a file in bytes; links are not followed."""
        return os.stat(self._base + name, dir_fd=self._descriptor, follow_symlinks=False).st_size

    def age(self, name: str) -> float:
        """Return for how many seconds a file has not been written to. Raises OSError."""
        return time.time() - os.stat(self._base + name, dir_fd=self._descriptor, follow_symlinks=False).st_mtime

    def unlink(self, name: str) -> None:
        """Remove a file. Raises OSError."""
        os.unlink(self._base + name, dir_fd=self._descriptor)

    def sync(self) -> None:
        """Sync the folder, so that created, renamed and removed names survive a power cut where supported."""
        if self._descriptor is None:
            return
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
        """Lock the folder until it is closed, without waiting; return False when another holder has locked it. True
        without a lock on Windows.

        The lock keeps two processes from making the same vectors. It protects no file, and nothing else takes it.
        """
        if self._descriptor is None:
            return True
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def touch(self, name: str) -> None:
        """Set the modification time of a file to now."""
        follow = os.utime not in os.supports_follow_symlinks
        os.utime(self._base + name, dir_fd=self._descriptor, follow_symlinks=follow)

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
        if parsed[2] == self.machine and not _is_running(int(parsed[3])):
            return True
        with suppress(OSError):
            return self.age(name) > LEFTOVER_SECONDS
        return False


def vectors_name(segment_name: str) -> str:
    """Return the name of the file with the vectors of a segment, which need not exist, from that of its own file."""
    return f"vectors-{segment_name.removeprefix('segment-')}"


def _is_index_file(name: str) -> bool:
    """Return whether a file name has the form that any version of this package gives its files."""
    return name.startswith(("temporary-", "segment-", "table-", "vectors-", "manifest-"))


def is_own_name(name: str) -> bool:
    """Return whether this version of the package gives its files names of this form; manifests are not meant."""
    return _OWN_FILE.fullmatch(name) is not None


def new_name(kind: str, machine: str) -> str:
    """Return a file name that no other file has; its parts name the kind, the format, the machine and the process."""
    return f"{kind}-{FORMAT}-{machine}-{os.getpid()}-{os.urandom(8).hex()}"


@cache
def _machine_id() -> str:
    """Return a hash, eight hexadecimal digits, of the host name and the process namespace.

    Process ids are comparable only within one of these.
    """
    namespace = ""
    with suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink())
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return xxhash.xxh3_64_hexdigest(f"{host} {namespace}".encode("utf-8", "surrogatepass"))[:8]


@cache
def system_id() -> str:
    """Return a hash, eight hexadecimal digits, that no other machine has, even one of an equal host name, nor this one
    after its next start: in a store to which many machines write, process ids are comparable only then.

    On a system that does not tell its starts apart, it is random and differs in every process.
    """
    try:
        start = _BOOT.read_text(encoding="ascii")
    except OSError:
        start = os.urandom(8).hex()
    return xxhash.xxh3_64_hexdigest(f"{_machine_id()} {start}".encode())[:8]


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Return up to `size` bytes of a file from the byte `offset` on. For descriptors that nobody shares: on Windows the
    position of the descriptor moves.
    """
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def _link(old: str, new: str, folder: int | None) -> None:
    """Give a file a second name. Raises OSError, FileExistsError for a name that is taken."""
    if not hasattr(os, "link"):
        raise OSError(errno.ENOTSUP, "no hard links on this system")
    follow = os.link not in os.supports_follow_symlinks
    os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=follow)


def write_synced(descriptor: int, data: bytes) -> bytes:
    """Write `data` to a file and sync it; return no header, as Folder.write() asks for one."""
    while data:
        data = data[os.write(descriptor, data) :]
    os.fsync(descriptor)
    return b""


def _is_own(status: os.stat_result) -> bool:
    """Return whether a file belongs to this user; taken to be true on Windows, where a status does not tell."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _is_running(process_id: int) -> bool:
    """Return whether a process may be running; always true on Windows, where asking by a signal would end it."""
    if os.name == "nt":
        return True
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # a process of another user, or no valid id: the file was not written by this user
    return True
