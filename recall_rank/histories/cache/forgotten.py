"""The list of forgotten sessions, which are never read again: one session id on each line of a private file in the
cache folder.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from recall_rank.histories.cache.location import FORGOTTEN
from recall_rank.index.errors import MissingIndexError
from recall_rank.index.storage.folder import Folder

LARGEST = 1 << 24  # bytes of the list


def forgotten(cache: Path) -> frozenset[str]:
    """The ids of the forgotten sessions; empty when there is no list. Raises OSError when the list cannot be read."""
    try:
        with Folder(cache) as folder:
            return frozenset(_ids(folder))
    except MissingIndexError:
        return frozenset()


def forget(cache: Path, session_id: str) -> None:
    """Add a session id to the list of forgotten sessions and make the list durable.

    Raises ValueError for an id that is empty or has several lines. Raises OSError when the list cannot be written; the
    list is then unchanged.
    """
    if "\n" in session_id or not session_id:
        raise ValueError(f"session_id must be one line of text, not {session_id!r}")
    with Folder.create(cache) as folder:
        known = _ids(folder)
        if session_id in known:
            return
        data = "".join(f"{each}\n" for each in (*known, session_id)).encode("utf-8", "surrogatepass")

        def fill(descriptor: int) -> bytes:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
            return b""

        temporary, _, _ = folder.write(fill)
        folder.replace(temporary, FORGOTTEN)
        folder.sync()


def _ids(folder: Folder) -> list[str]:
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
    return list(dict.fromkeys(data.decode("utf-8", "surrogatepass").splitlines()))
