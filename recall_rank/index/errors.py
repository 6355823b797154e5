"""Errors of an index on disk, one type for each kind of problem."""

from __future__ import annotations


class UnusableIndexError(ValueError):
    """An index exists but cannot be searched. Building it again from its sessions loses nothing."""


class DamagedIndexError(UnusableIndexError):
    """A file of the index was truncated, changed, replaced or removed, or other users may write to it.

    `file` is the path of a damaged file of an index that was opened, else "".
    """

    def __init__(self, problem: str, file: str = "") -> None:
        super().__init__(problem)
        self.file = file


class ReplacedIndexError(UnusableIndexError):
    """The files of an index that was opened from a store are gone, since a newer one was published there, or its cached
    copies were cut; open it again.
    """


class IndexFormatError(UnusableIndexError):
    """The index was written in the format of another version, or needs a machine of another byte order."""


class MissingIndexError(FileNotFoundError):
    """The folder does not exist, or it contains no index."""


class IndexFolderError(OSError):
    """The path cannot be used as an index folder: it is a file or a link, or other users own it or may write to it."""


class IndexNotSavedError(OSError):
    """The index could not be written, for example because the disk is full. The previous index is unchanged."""


class StoreError(OSError):
    """A store of objects cannot be reached, refuses access, or cannot do what is asked of it."""
