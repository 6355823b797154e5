"""SQLite databases of running programs, read without a trace: no file is written or created, no lock is lost.

How a database is opened depends on its files, which stat() tells:

1. No write-ahead log, or an empty one, and no change for two seconds: the database is opened as immutable. Its files
   are compared again after reading, and everything that was read is dropped when one changed.
2. A log and its shared memory: the database is opened read-only beside the program, in transactions of a fraction of a
   second.
3. Anything else, and where 2 is refused or the program keeps a lock for itself: a child process copies database and
   log (see copy_process), and the copy is checked and read. Opening the database itself would create files, and
   copying it in this process would drop the locks that this process holds on it.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self, TypeVar

from recall_rank.loaders.limits import limits
from recall_rank.loaders.sqlite import copy_process
from recall_rank.loaders.sqlite.copy_process import COPY, companion_file, file_states
from recall_rank.loaders.sqlite.reader import RowReader
from recall_rank.loaders.store_places import LinkedPlaceError, open_folder

T = TypeVar("T")
State = list[tuple[int, int, int] | None]

SETTLED_SECONDS = 2.0
BUSY_MS = 5000
ATTEMPTS = 5

_REFUSED = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_BUSY")  # the last: a lock was held for all of BUSY_MS


class _ChangedError(Exception):
    """Raised when the database changed while it was read as immutable, or while it was copied."""


class Database:
    """One database file, opened read-only. Thread-safe. Inside `with`, the connection is kept open between reads.

    `path` is without links (see resolve_store); a link that replaces the file or a folder above it is refused when the
    database is opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._connection: sqlite3.Connection | None = None
        self._live = False  # the connection takes part in the program's locking
        self._private = False  # the connection reads a private copy
        self._state: State = []
        self._closer: weakref.finalize[..., Any] | None = None

    def __reduce__(self) -> tuple[type[Database], tuple[Path]]:
        """Pickle the path alone: another process opens the database by a connection of its own."""
        return Database, (self.path,)

    def read(self, fetch: Callable[[RowReader], T]) -> T:
        """Return what `fetch` returns for the current content of the database. When the database changes meanwhile,
        `fetch` is called again with a new reader. Raises OSError when the database cannot be read.
        """
        with self._lock:
            try:
                for _ in range(ATTEMPTS):
                    try:
                        return self._read(fetch)
                    except _ChangedError:
                        self.close()
                raise OSError(errno.EBUSY, "it changed during every attempt to read it", str(self.path))
            except sqlite3.Error as error:
                self.close()
                raise OSError(errno.EIO, f"SQLite: {error}", str(self.path)) from error
            finally:
                if self._live and not self._depth:
                    self.close()  # the last connection to close merges the log; that is left to the program

    def state(self) -> State:
        """Return inode, size and modification time of the database, its write-ahead log and its journal, None for each
        that does not exist. The result differs after any change of the content.
        """
        return file_states(self.path)

    def close(self) -> None:
        """Close the connection; the next read opens the database again."""
        with self._lock:
            if self._closer is not None:
                self._closer()
            self._connection = self._closer = None
            self._live = False

    def __enter__(self) -> Self:
        with self._lock:
            self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if not self._depth:
                self.close()

    def _read(self, fetch: Callable[[RowReader], T]) -> T:
        state = self.state()
        if self._connection is not None and not self._live and state != self._state:
            self.close()
        connection = self._connection or self._open(state)
        reader = RowReader(connection)
        immutable = not self._live and not self._private
        try:
            try:
                result = fetch(reader)
            finally:
                reader.finish()
        except sqlite3.DatabaseError as error:
            if immutable and self.state() != state:
                raise _ChangedError from error
            raise
        if immutable and self.state() != state:
            raise _ChangedError
        return result

    # --- the three ways to open ------------------------------------------------------------------------------

    def _open(self, state: State) -> sqlite3.Connection:
        main, log, journal = state
        if main is None:
            raise FileNotFoundError(errno.ENOENT, "no such database", str(self.path))
        if not stat.S_ISREG(self.path.stat().st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(self.path))
        self._state, self._live, self._private = state, False, False
        quiet = not (log and log[1]) and not (journal and journal[1])
        if quiet and time.time() - main[2] / 1e9 > SETTLED_SECONDS:
            return self._keep(_connect_in_place(self.path, "mode=ro&immutable=1"))
        # Without a log, opening would create one, even where its shared memory is still there.
        if log is not None and companion_file(self.path, "-shm").exists():
            connection = self._join()
            if connection is not None:
                return connection
        return self._copied()

    def _join(self) -> sqlite3.Connection | None:
        """Return a connection to the database while its program uses it; None when the permissions of the folder or a
        lock that the program keeps forbid one.
        """
        try:
            connection = _connect_in_place(self.path, "mode=ro")
        except sqlite3.OperationalError as error:
            if str(getattr(error, "sqlite_errorname", "")).startswith(_REFUSED):
                return None
            raise
        self._live = True
        return self._keep(connection)

    def _copied(self) -> sqlite3.Connection:
        """Return a connection to a private copy of the database. Where the system allows it, the files of the copy are
        deleted before the connection is used.
        """
        self._private = True
        folder = Path(tempfile.mkdtemp(prefix="recall-rank-"))
        try:
            _copy_by_child(self.path, folder, sum(part[1] for part in self._state if part))
            connection = _connect(folder / COPY, "mode=rw", query_only=False)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._keep(connection, folder)
        problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != b"ok":
            raise sqlite3.DatabaseError(f"the copy is damaged: {problem.decode('utf-8', 'replace')}")
        connection.execute("PRAGMA journal_mode=DELETE")  # merges the log into the one open file
        if os.name == "posix":
            shutil.rmtree(folder, ignore_errors=True)
        return connection

    def _keep(self, connection: sqlite3.Connection, folder: Path | None = None) -> sqlite3.Connection:
        self._connection = connection
        self._closer = weakref.finalize(self, _let_go, connection, folder)
        return connection


def _let_go(connection: sqlite3.Connection, folder: Path | None) -> None:
    connection.close()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _connect_in_place(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection to the database at `path`. Raises LinkedPlaceError where a link lies in the path, and
    _ChangedError where SQLite opened another file than the one that is found without following links.
    """
    if os.path.realpath(path) != str(path):
        raise LinkedPlaceError(errno.ELOOP, "a link is not followed", str(path))
    expected = _identity(path)
    connection = _connect(path, mode)
    if expected is not None and not _has_open(expected):
        connection.close()
        raise _ChangedError
    return connection


def _identity(path: Path) -> tuple[int, int] | None:
    """(device, inode) of a file that is looked up without following any link; None where the system cannot do that."""
    if os.stat not in os.supports_dir_fd:
        return None
    folder = open_folder(path.parent)
    try:
        status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    finally:
        os.close(folder)
    return status.st_dev, status.st_ino


def _has_open(identity: tuple[int, int]) -> bool:
    """Return whether this process has a file with this (device, inode) open; True where the system does not tell.
    SQLite names no descriptor of its own.
    """
    try:
        descriptors = [int(name) for name in os.listdir("/dev/fd")]  # noqa: PTH208 - no path is wanted
    except OSError:
        return True
    for descriptor in descriptors:
        with suppress(OSError):  # it was closed meanwhile
            status = os.fstat(descriptor)
            if (status.st_dev, status.st_ino) == identity:
                return True
    return False


def _connect(path: Path, mode: str, *, query_only: bool = True) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.as_uri()}?{mode}", uri=True, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False
    )
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits().value)  # a longer row is passed over
        connection.text_factory = bytes  # text that is not UTF-8 must not make a row unreadable
        connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        if query_only:
            connection.execute("PRAGMA query_only=1")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()  # opens the file, reads the schema
    except BaseException:
        connection.close()
        raise
    return connection


def _copy_by_child(database: Path, folder: Path, size: int) -> None:
    if not sys.executable or getattr(sys, "frozen", False):
        raise OSError(errno.ENOEXEC, "it is in use, and there is no Python to start that could copy it", str(database))
    if shutil.disk_usage(folder).free < size * 2:
        raise OSError(errno.ENOSPC, f"it is in use, and there is no room for a copy in {folder.parent}", str(database))
    command = [sys.executable, "-I", copy_process.__file__, str(database), str(folder)]
    inside = open_folder(database.parent) if hasattr(os, "fchdir") else None  # no database: no lock is lost
    if inside is not None:
        command[-2:] = [database.name, str(folder), str(inside)]
    try:
        done = subprocess.run(  # noqa: S603 - our own file, by our own interpreter
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60 + size / 10_000_000,
            check=False,
            pass_fds=() if inside is None else (inside,),
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(errno.ETIMEDOUT, "copying it took too long", str(database)) from error
    finally:
        if inside is not None:
            os.close(inside)
    if done.returncode == copy_process.RESTLESS:
        raise _ChangedError  # a program that writes so much has shared memory by now, or will pause
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no reason given"]
        raise OSError(errno.EBUSY, f"it is in use and could not be copied: {reason[0]}", str(database))
