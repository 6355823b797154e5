"""Errors of an index on disk, a type for each kind of problem."""

from __future__ import annotations


class UnusableIndexError(ValueError):
    """An index exists but cannot be searched. Building it again loses nothing."""


class DamagedIndexError(UnusableIndexError):
    """A file of the index differs from the file that was written, is missing, or is writable by others."""


class IndexFormatError(UnusableIndexError):
    """The index has the format of another version, or of a machine with another byte order."""


class MissingIndexError(FileNotFoundError):
    """The folder does not exist, or has no index."""


class IndexFolderError(OSError):
    """The path cannot be an index folder: not a folder, a link, or a folder that others own or may write to."""


class IndexNotSavedError(OSError):
    """The index could not be written, as on a full disk. The earlier index is unchanged."""
