"""A file mapped into memory that notices when somebody writes to it, cuts it or lengthens it.

The system ends a process by a signal when it reads a mapped page behind the end of the file. A private mapping does not
help, because pages that were not written to are those of the file. A reader therefore asks for the size of the file
before it reads. Nothing helps when the file is cut between that question and the read.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from typing import Final

from recall_rank.index.errors import DamagedIndexError
from recall_rank.index.storage.folder import read_at

FETCHES: Final = 2  # of bytes from a store that are wrong, before they are taken for wrong there: one answer may be


class MappedFile:
    """The bytes of one file. Thread-safe. They stay mapped while any view of them exists."""

    __slots__ = ("_descriptor", "_seen_ns", "bytes", "name", "size")

    partial = False  # whether bytes may have to be fetched by load() before they are right

    def __init__(self, descriptor: int, size: int, name: str) -> None:
        """Map the `size` bytes of `descriptor`, which may be closed afterwards. `name` is quoted in errors.

        Raises DamagedIndexError when the file has another size.
        """
        self._descriptor = -1
        self.name = name
        self.size = size
        try:
            self.bytes = memoryview(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ))
        except ValueError as error:
            raise self.damaged(f"it does not have {size} bytes") from error
        self._descriptor = os.dup(descriptor)
        self._seen_ns = os.fstat(self._descriptor).st_mtime_ns

    def __del__(self) -> None:
        if getattr(self, "_descriptor", -1) >= 0:  # the constructor of a subclass may fail before this one's begins
            os.close(self._descriptor)

    def read(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes from the byte `offset` on, not through the mapping."""
        return read_at(self._descriptor, size, offset)

    def load(self, ranges: Sequence[tuple[int, int]]) -> bool:
        """Fetch the bytes [start, end) of all `ranges` again from where the file is kept, and return whether there is
        such a place. There is none for a file in a folder: what it lacks is damaged.
        """
        return False

    def damaged(self, why: str) -> DamagedIndexError:
        """Return a DamagedIndexError for the caller to raise, with the file name and advice to rebuild."""
        return DamagedIndexError(f"{self.name}: {why}; build the index again", self.name)

    def written(self) -> int | None:
        """Return the time in ns at which somebody last wrote to the file, or None when nobody has written since the
        time known.

        The time known is that of the file when it was opened, or the last one that was given to seen(). Raises
        DamagedIndexError when the file has another size. Costs one system call.
        """
        status = os.fstat(self._descriptor)
        if status.st_size != self.size:
            raise self.damaged(f"it has {status.st_size} bytes now, not {self.size}")
        return None if status.st_mtime_ns == self._seen_ns else status.st_mtime_ns

    def seen(self, written: int) -> None:
        """Make `written`, a result of written(), the time known, after what was read of the file has been verified
        again.
        """
        self._seen_ns = written
