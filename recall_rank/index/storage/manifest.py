"""Manifests: one small file for each generation of an index, which lists its segments. The newest is the index."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

import xxhash

from recall_rank.index.errors import DamagedIndexError, IndexFormatError, MissingIndexError
from recall_rank.index.storage.folder import KEPT_NAME, Folder
from recall_rank.index.storage.format import FORMAT

LARGEST: Final = 1 << 20  # bytes of a manifest; a longer file is damaged
REMEMBERED: Final = 64  # generations that a manifest descends from
_NAME: Final = re.compile(r"manifest-([0-9]{1,9})-([0-9]{1,18})")
_LINE: Final = re.compile(rf"(?P<name>{KEPT_NAME.pattern}) (?P<size>[0-9]{{1,18}}) (?P<seal>[0-9a-f]{{32}})")


@dataclass(frozen=True, slots=True)
class Listed:
    """A file with its size and the xxh3-128 of its header; the header has the checksums of the rest of the file."""

    name: str
    size: int
    seal: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The segments of one generation. Generations count from 1; 0 is an index that does not exist yet."""

    generation: int
    segments: tuple[Listed, ...]
    mark: str = ""  # which of two writers made this generation
    past: tuple[str, ...] = ()  # the marks of the generations before, newest first, as far as they are remembered
    table: Listed | None = None  # where the sessions came from, for an index that is refreshed

    @property
    def name(self) -> str:
        return _name(self.generation)

    @property
    def files(self) -> tuple[Listed, ...]:
        """The segments and the table, if any, of the generation."""
        return self.segments if self.table is None else (*self.segments, self.table)

    def next(self, files: tuple[Listed, ...]) -> Manifest:
        """The manifest of the following generation, with `files`."""
        past = (self.mark, *self.past)[:REMEMBERED] if self.mark else ()
        return _of(self.generation + 1, files, os.urandom(8).hex(), past)

    def descends_from(self, other: Manifest) -> bool | None:
        """Whether this is `other` or one of its successors; None when `other` is too old to be remembered."""
        marks = (self.mark, *self.past)
        age = self.generation - other.generation
        return None if age >= len(marks) else age >= 0 and marks[age] == other.mark

    def encode(self) -> bytes:
        lines = [
            f"recall_rank {FORMAT} {self.generation}",
            " ".join((self.mark, *self.past)),
            *(f"{one.name} {one.size} {one.seal}" for one in self.files),
        ]
        text = "".join(f"{line}\n" for line in lines).encode()
        return text + f"{xxhash.xxh3_128_hexdigest(text)}\n".encode()

    @staticmethod
    def decode(data: bytes, generation: int) -> Manifest:
        """The manifest that encode() encoded. Raises ValueError for other bytes and for another generation."""
        text, seal = data[:-33], data[-33:]
        if seal != f"{xxhash.xxh3_128_hexdigest(text)}\n".encode():
            raise ValueError("is not what was written")
        first, marks, *lines = text.decode("ascii").splitlines()
        found = [_LINE.fullmatch(line) for line in lines]
        if first != f"recall_rank {FORMAT} {generation}" or None in found:
            raise ValueError("is of another generation or format")
        mark, *past = marks.split(" ")
        files = tuple(Listed(line["name"], int(line["size"]), line["seal"]) for line in found if line)
        return _of(generation, files, mark, tuple(past))


def _of(generation: int, files: tuple[Listed, ...], mark: str, past: tuple[str, ...]) -> Manifest:
    tables = [one for one in files if one.name.startswith("table-")]
    if len(tables) > 1:
        raise ValueError("names two tables")
    segments = tuple(one for one in files if one not in tables)
    return Manifest(generation, segments, mark, past, tables[0] if tables else None)


def generations(folder: Folder) -> list[int]:
    """The numbers of the generations in the folder, oldest first. Usually one; more while a writer publishes."""
    found = (_NAME.fullmatch(name) for name in folder.names())
    return sorted(int(name[2]) for name in found if name and int(name[1]) == FORMAT and name[0] == _name(int(name[2])))


def newest(folder: Folder) -> Manifest:
    """The manifest of the newest generation.

    Raises MissingIndexError when there is none, IndexFormatError when all are of other versions, and
    DamagedIndexError.
    """
    tried = 0
    while True:
        there = generations(folder) or generations(folder)  # a listing may miss what comes while another goes
        if not there:
            raise _none(folder)
        if there[-1] == tried:
            raise DamagedIndexError(f"{folder.path / _name(tried)} comes and goes; build the index again")
        tried = there[-1]
        try:
            return _read(folder, tried)
        except FileNotFoundError:
            continue  # a newer one took its place


def named(folder: Folder) -> frozenset[str]:
    """The names of the files of the newest generation; empty when there is none."""
    try:
        return frozenset(listed.name for listed in newest(folder).files)
    except MissingIndexError:
        return frozenset()


def _read(folder: Folder, generation: int) -> Manifest:
    name = _name(generation)
    descriptor = folder.open(name)
    try:
        data = os.pread(descriptor, LARGEST, 0)
    finally:
        os.close(descriptor)
    try:
        return Manifest.decode(data, generation)
    except ValueError as error:
        raise DamagedIndexError(f"{folder.path / name} {error}; build the index again") from error


def _none(folder: Folder) -> MissingIndexError | IndexFormatError:
    others = sorted({name[1] for name in map(_NAME.fullmatch, folder.names()) if name})
    if others:
        return IndexFormatError(
            f"{folder.path} holds an index of format {', '.join(others)}, this version reads {FORMAT}; "
            "build the index again"
        )
    return MissingIndexError(f"no index in {folder.path}")


def _name(generation: int) -> str:
    return f"manifest-{FORMAT}-{generation}"
