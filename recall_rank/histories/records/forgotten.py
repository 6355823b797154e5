"""The list of forgotten sessions, which are never read again: the digest of one session id on each line of a private
file in the cache folder. The ids themselves are not kept: an id can be a file name that quotes the first prompt.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from recall_rank.histories.records.left_out import session_digest
from recall_rank.index.errors import MissingIndexError
from recall_rank.index.storage.folder import Folder

FORGOTTEN: Final = "forgotten"  # the file of the list, in the cache folder
LARGEST: Final = 1 << 24  # bytes of the list
_LINE: Final = re.compile(r"blake2b:([0-9a-f]{32})")


def forgotten(cache: Path) -> frozenset[str]:
    """The digests of the ids of forgotten sessions; empty when there is no list. Raises OSError when the list cannot
    be read.
    """
    try:
        with Folder(cache) as folder:
            return frozenset(_digests(folder))
    except MissingIndexError:
        return frozenset()


def list_state(cache: Path) -> tuple[int, int, int] | None:
    """Inode, size and modification time of the list of forgotten sessions, which differ after each change; None when
    there is no list. The list is not read.
    """
    with suppress(OSError):
        found = os.stat(cache / FORGOTTEN, follow_symlinks=False)  # noqa: PTH116 - asked before every search
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def forget(cache: Path, session_id: str) -> None:
    """Add a session id to the list of forgotten sessions and make the list durable.

    Raises ValueError for an id that is empty or has several lines. Raises OSError when the list cannot be written; the
    list is then unchanged.
    """
    if "\n" in session_id or not session_id:
        raise ValueError(f"session_id must be one line of text, not {session_id!r}")
    with Folder.create(cache) as folder:
        known = _digests(folder)
        new = session_digest(session_id)
        if new in known:
            return
        data = "".join(f"blake2b:{each}\n" for each in (*known, new)).encode()

        def fill(descriptor: int) -> bytes:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
            return b""

        temporary, _, _ = folder.write(fill)
        folder.replace(temporary, FORGOTTEN)
        folder.sync()


def _digests(folder: Folder) -> list[str]:
    """Return the digests in the list of forgotten sessions. A line that is no digest counts as a session's id, of which
    the digest is returned.
    """
    try:
        descriptor = folder.open(FORGOTTEN)
    except FileNotFoundError:
        return []
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return []
        data = os.pread(descriptor, LARGEST, 0)
    finally:
        os.close(descriptor)
    lines = data.decode("utf-8", "surrogatepass").splitlines()
    known = (found[1] if (found := _LINE.fullmatch(line)) else session_digest(line) for line in lines if line)
    return list(dict.fromkeys(known))
