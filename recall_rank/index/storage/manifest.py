"""Manifests: one small file for each generation of an index, which lists its segments and its table."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

import xxhash

from recall_rank.index.errors import DamagedIndexError, IndexFormatError, MissingIndexError
from recall_rank.index.storage.folder import LISTED_FILE_NAME, Folder, read_at, vectors_name
from recall_rank.index.storage.format import FORMAT
from recall_rank.model.record_classes import frozen

MAX_BYTES: Final = 1 << 20  # a longer file is not a manifest
LAST_GENERATION: Final = 10**18 - 1  # no generation follows it: its name would be none of a manifest
MAX_ANCESTORS: Final = 64  # earlier generations that a manifest records
_NAME: Final = re.compile(r"manifest-([0-9]{1,9})-([0-9]{1,18})")
_LINE: Final = re.compile(
    rf"(?P<name>{LISTED_FILE_NAME.pattern}) (?P<size>[0-9]{{1,18}}) (?P<header_hash>[0-9a-f]{{32}})"
)


@frozen
class ListedFile:
    """A file of a generation, that is of a published state of an index, as the manifest lists it: name, size and hash.

    The hash is the xxh3-128 of the file's header; the header has hashes of the rest of the file.
    """

    name: str
    size: int  # bytes
    header_hash: str


@frozen
class Manifest:
    """The list of the files of one generation, that is one published state of an index.

    Generations are numbered from 1; 0 stands for an index that does not exist yet.
    """

    generation: int
    segments: tuple[ListedFile, ...]
    nonce: str = ""  # random: tells this generation from one of the same number by another writer
    ancestors: tuple[str, ...] = ()  # the nonces of at most 64 earlier generations, newest first
    table: ListedFile | None = None  # the table file of an index that is refreshed from sources

    @property
    def name(self) -> str:
        """The file name of this manifest."""
        return _file_name(self.generation)

    @property
    def files(self) -> tuple[ListedFile, ...]:
        """All files that the generation consists of."""
        return self.segments if self.table is None else (*self.segments, self.table)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files of the generation, and of those with the vectors of its segments, which may not
        exist.
        """
        return names_of(self.files)

    def next(self, files: tuple[ListedFile, ...]) -> Manifest:
        """Return the manifest of the following generation, which consists of `files`. Raises ValueError for two table
        files.
        """
        ancestors = (self.nonce, *self.ancestors)[:MAX_ANCESTORS] if self.nonce else ()
        return _manifest_of(self.generation + 1, files, os.urandom(8).hex(), ancestors)

    def descends_from(self, other: Manifest) -> bool | None:
        """Return whether this generation is `other` or was derived from it; None when `other` is too old to tell."""
        nonces = (self.nonce, *self.ancestors)
        age = self.generation - other.generation
        return None if age >= len(nonces) else age >= 0 and nonces[age] == other.nonce

    def encode(self) -> bytes:
        """Return the content of the manifest file: ASCII lines, the last with the xxh3-128 of the others."""
        lines = [
            f"recall_rank {FORMAT} {self.generation}",
            " ".join((self.nonce, *self.ancestors)),
            *(f"{file.name} {file.size} {file.header_hash}" for file in self.files),
        ]
        text = "".join(f"{line}\n" for line in lines).encode()
        return text + f"{xxhash.xxh3_128_hexdigest(text)}\n".encode()

    @staticmethod
    def decode(data: bytes, generation: int) -> Manifest:
        """Return the manifest that encode() wrote for `generation`. Raises ValueError for any other bytes."""
        text, checksum = data[:-33], data[-33:]
        if checksum != f"{xxhash.xxh3_128_hexdigest(text)}\n".encode():
            raise ValueError("is not what was written")
        first, nonces, *lines = text.decode("ascii").splitlines()
        parsed = [_LINE.fullmatch(line) for line in lines]
        if first != f"recall_rank {FORMAT} {generation}" or None in parsed:
            raise ValueError("is of another generation or format")
        nonce, *ancestors = nonces.split(" ")
        files = tuple(ListedFile(line["name"], int(line["size"]), line["header_hash"]) for line in parsed if line)
        return _manifest_of(generation, files, nonce, tuple(ancestors))


def _manifest_of(generation: int, files: tuple[ListedFile, ...], nonce: str, ancestors: tuple[str, ...]) -> Manifest:
    tables = [file for file in files if file.name.startswith("table-")]
    if len(tables) > 1:
        raise ValueError("names two tables")
    segments = tuple(file for file in files if file not in tables)
    return Manifest(generation, segments, nonce, ancestors, tables[0] if tables else None)


def names_of(files: Iterable[ListedFile]) -> tuple[str, ...]:
    """Return the names of listed files, then those of the files with the vectors of the segments among them.

    Who removes them in this order leaves no vectors of another process: write_vectors() looks for the segment last.
    """
    names = [file.name for file in files]
    return (*names, *(vectors_name(name) for name in names if name.startswith("segment-")))


def generations(folder: Folder) -> list[int]:
    """Return the numbers of the generations in the folder, ascending; several only while a writer replaces one."""
    parsed = (_NAME.fullmatch(name) for name in folder.names())
    own = (name for name in parsed if name and int(name[1]) == FORMAT)
    return sorted(int(name[2]) for name in own if name[0] == _file_name(int(name[2])))


def newest_manifest(folder: Folder) -> Manifest:
    """Return the manifest of the newest generation.

    Raises MissingIndexError for a folder without manifests, IndexFormatError when all manifests have another format
    version, and DamagedIndexError when the newest cannot be read.
    """
    tried = 0
    while True:
        # a listing may miss a new name while an older one is removed
        present = generations(folder) or generations(folder)
        if not present:
            raise _missing_error(folder)
        if present[-1] == tried:
            raise DamagedIndexError(f"{folder.where(_file_name(tried))} comes and goes; build the index again")
        tried = present[-1]
        try:
            return _read_manifest(folder, tried)
        except FileNotFoundError:
            continue  # a newer generation replaced it


def listed_names(folder: Folder) -> frozenset[str]:
    """Return the names of the files of the newest generation; empty when there is none.

    Raises UnusableIndexError when the manifest cannot be read.
    """
    try:
        return frozenset(newest_manifest(folder).names)
    except MissingIndexError:
        return frozenset()


def _read_manifest(folder: Folder, generation: int) -> Manifest:
    """Return the manifest of a generation, which is read twice before it counts as damaged: a store may have answered
    short. Raises FileNotFoundError and DamagedIndexError.
    """
    name = _file_name(generation)
    try:
        return Manifest.decode(_content(folder, name), generation)
    except ValueError:
        again = _content(folder, name)
    try:
        return Manifest.decode(again, generation)
    except ValueError as error:
        raise DamagedIndexError(f"{folder.where(name)} {error}; build the index again") from error


def _content(folder: Folder, name: str) -> bytes:
    """Return up to MAX_BYTES bytes of a file."""
    descriptor = folder.open(name)
    try:
        data = read_at(descriptor, MAX_BYTES, 0)
    finally:
        os.close(descriptor)
    return data


def _missing_error(folder: Folder) -> MissingIndexError | IndexFormatError:
    others = sorted({name[1] for name in map(_NAME.fullmatch, folder.names()) if name})
    if others:
        return IndexFormatError(
            f"{folder.where('')} holds an index of format {', '.join(others)}, this version reads {FORMAT}; "
            "build the index again"
        )
    return MissingIndexError(f"no index in {folder.where('')}")


def _file_name(generation: int) -> str:
    return f"manifest-{FORMAT}-{generation}"
