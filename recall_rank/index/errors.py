"""Exceptions of an index on disk: one type for each cause."""

from __future__ import annotations


class UnusableIndexError(ValueError):
    """The index exists but cannot be searched. It can be built again from its sources without loss."""


class DamagedIndexError(UnusableIndexError):
    """A file of the index was truncated, changed, replaced or removed, or other users may write to it."""


class IndexFormatError(UnusableIndexError):
    """The index was written in the format of another version, or needs a machine of another byte order."""


class MissingIndexError(FileNotFoundError):
    """The folder does not exist, or it contains no index."""


class IndexFolderError(OSError):
    """The path is unsafe for an index: not a folder, a link, or a folder that other users own or may write to."""


class IndexNotSavedError(OSError):
    """The index could not be written, for example because the disk is full. The previous index is unchanged."""
