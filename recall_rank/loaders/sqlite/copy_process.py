"""A script that copies a database that may be in use, called as `python copy_process.py DATABASE FOLDER` or
`python copy_process.py NAME FOLDER DESCRIPTOR`; the descriptor is that of the folder in which a database NAME lies.

When a process closes any descriptor of a database, it loses all its locks on that database. The copy is therefore made
by a process that does not have the database open. A copy counts only when no file changed while it was made. The script
uses the standard library only.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import time
from pathlib import Path

TRIES = 200
SECONDS = 2.0
SUFFIXES = ("", "-wal", "-journal")
COPY = "copy.db"
RESTLESS = 3  # the exit code when the database never rested for as long as a copy takes


def main(arguments: list[str]) -> int:
    """Copy the database and return the exit code: 0 when the folder has a consistent copy, RESTLESS when the database
    kept changing, else 1.

    The reason for a code other than 0 is written to stderr.
    """
    database, folder = Path(arguments[0]), Path(arguments[1])
    if arguments[2:] and hasattr(os, "fchdir"):
        os.fchdir(int(arguments[2]))  # whatever becomes of the folder's path meanwhile
    until = time.monotonic() + SECONDS
    for attempt in range(TRIES):
        if attempt and time.monotonic() > until:
            break
        try:
            if copy_database(database, folder):
                return 0
        except OSError as error:
            sys.stderr.write(f"{error.strerror or error}: {error.filename or database}")
            return 1
        time.sleep(min(0.02, 0.001 * (attempt + 1)))
    sys.stderr.write("it changed during every attempt to copy it")
    return RESTLESS


def copy_database(database: Path, folder: Path) -> bool:
    """Copy the database, then its write-ahead log and its journal. Returns whether none of them changed meanwhile."""
    before = file_states(database)
    for suffix, state in zip(SUFFIXES, before, strict=True):
        target = folder / (COPY + suffix)
        target.unlink(missing_ok=True)
        if state is not None:
            try:
                _copy(companion_file(database, suffix), target)
            except FileNotFoundError:
                if not suffix:
                    raise
                return False
    return file_states(database) == before


def _copy(source: Path, target: Path) -> None:
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(source, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(source))
    with os.fdopen(descriptor, "rb", buffering=0) as original, target.open("xb") as copy:
        shutil.copyfileobj(original, copy, 1 << 20)


def file_states(database: Path) -> list[tuple[int, int, int] | None]:
    """(inode, size, modification time) of the database, of its write-ahead log and of its journal; None for each
    that does not exist.
    """
    found: list[tuple[int, int, int] | None] = []
    for suffix in SUFFIXES:
        try:
            status = companion_file(database, suffix).stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return found


def companion_file(database: Path, suffix: str) -> Path:
    """Return the path of a file that SQLite keeps beside a database: the name of the database with `suffix`
    appended.
    """
    return database.with_name(database.name + suffix)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
