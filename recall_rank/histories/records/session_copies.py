"""Private copies of condensed sessions in a cache: a file for each session, named by the digest of its id.

The name tells a list of forgotten sessions which files to remove, without the ids.
"""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from recall_rank.histories.records.left_out import session_digest
from recall_rank.index.errors import MissingIndexError
from recall_rank.index.storage.folder import Folder

COPIES: Final = "compaction"  # the folder of the copies, in the cache folder
COPY_NAME: Final = re.compile(r"session-([0-9a-f]{32})\.md")
MOST: Final = 50  # copies that are kept
LONGEST: Final = 30 * 86_400  # seconds that a copy is kept


def copy_path(cache: Path, session_id: str) -> Path:
    """Return the path of the copy of a session, whether or not there is one."""
    return cache / COPIES / f"session-{session_digest(session_id)}.md"


def write_copy(cache: Path, session_id: str, data: bytes) -> Path:
    """Write the copy of a session, replacing an older one, with mode 0600 in a folder with mode 0700; return its path.

    Afterwards remove copies of other sessions that are older than LONGEST, and the oldest beyond MOST. Raises OSError,
    with the older copy unchanged, when the copy cannot be written.
    """
    path = copy_path(cache, session_id)

    def fill(descriptor: int) -> bytes:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
        return b""

    Folder.create(cache).close()  # with mode 0700, before the folder inside it
    with Folder.create(path.parent) as folder:
        temporary, _, _ = folder.write(fill)
        folder.replace(temporary, path.name)
        folder.sync()
        _remove_old(folder, path.name)
    return path


def remove_copies(cache: Path, digests: frozenset[str]) -> int:
    """Remove the copies of the sessions whose ids have these digests, and files that killed writers left; return the
    number of copies removed.

    Raises OSError when one cannot be removed.
    """
    removed = 0
    try:
        with Folder(cache / COPIES) as folder:
            folder.sweep(folder.leftovers(), frozenset())
            for name in folder.names():
                found = COPY_NAME.fullmatch(name)
                if found and found[1] in digests:
                    folder.unlink(name)
                    removed += 1
            folder.sync()
    except MissingIndexError:
        return 0
    return removed


def _remove_old(folder: Folder, newest: str) -> None:
    """Remove copies but `newest` by their age and number. Errors are ignored: the next copy tries again."""
    folder.sweep(folder.leftovers(), frozenset())
    ages: list[tuple[int, str]] = []
    for name in folder.names():
        with suppress(OSError):
            status = (folder.path / name).lstat()
            if COPY_NAME.fullmatch(name) and name != newest and stat.S_ISREG(status.st_mode):
                ages.append((status.st_mtime_ns, name))
    ages.sort(reverse=True)
    oldest = time.time_ns() - LONGEST * 1_000_000_000
    for number, (written, name) in enumerate(ages, 2):
        if number > MOST or written < oldest:
            folder.remove(name)
