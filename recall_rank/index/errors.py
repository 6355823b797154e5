"""What can be wrong with an index on disk, each kind with a type of its own."""

from __future__ import annotations


class UnusableIndexError(ValueError):
    """There is an index, but it cannot be searched. Nothing is lost by building it again."""


class DamagedIndexError(UnusableIndexError):
    """A file of the index is not what was written: cut, changed, replaced or gone, or others may write to it."""


class IndexFormatError(UnusableIndexError):
    """The index has the format of another version, or of a machine of another kind."""


class MissingIndexError(FileNotFoundError):
    """There is no such folder, or no index in it."""


class IndexFolderError(OSError):
    """The place cannot hold an index: no folder, a link, or a folder that others own or may write to."""


class IndexNotSavedError(OSError):
    """The index could not be written, as on a full disk. What was there before is still there, unchanged."""
