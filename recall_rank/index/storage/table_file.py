"""The table file of a generation: named sections of bytes, each verified when it is first read.

It has the deleted sessions of each segment, since they belong to a generation and not to a segment. The other sections
belong to the refresh of the index.
"""

from __future__ import annotations

import mmap
import os
import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import Final

import xxhash

from recall_rank.index.errors import DamagedIndexError, IndexFormatError
from recall_rank.index.storage.format import FORMAT, SUM, require_little_endian

MAGIC: Final = b"RRTAB\r\n\x1a"
DEAD: Final = "dead"  # u32: for each segment how many sessions are dead, then their numbers
_BEGIN: Final = struct.Struct("<8sII")  # magic, format, how many sections
_ENTRY: Final = struct.Struct("<16sQQ16s")  # name, place, size, xxh3-128
MOST: Final = 16  # sections


def write_table(sections: Mapping[str, bytes], descriptor: int, name: str) -> bytes:
    """Write sections to the empty file `descriptor` and sync it; returns its header, which has the checksums of the
    sections.
    """
    require_little_endian(name)
    place = _BEGIN.size + _ENTRY.size * len(sections) + SUM.size
    begin = bytearray(_BEGIN.pack(MAGIC, FORMAT, len(sections)))
    for label, data in sections.items():
        begin += _ENTRY.pack(label.encode(), place, len(data), xxhash.xxh3_128_digest(data))
        place += len(data)
    header = bytes(begin) + SUM.pack(xxhash.xxh3_64_intdigest(begin))
    for data in (header, *sections.values()):
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)
    return header


class TableFile:
    """The sections of one file. Any number of threads may read."""

    __slots__ = ("_entries", "_map", "_verified", "header", "name")

    def __init__(self, descriptor: int, size: int, name: str) -> None:
        """Map the `size` bytes of `descriptor`, which may be closed afterwards. Error messages name the file
        `name`.
        """
        require_little_endian(name)
        self.name = name
        begin = os.pread(descriptor, _BEGIN.size, 0)
        if len(begin) < _BEGIN.size or not begin.startswith(MAGIC):
            raise self.damaged("it does not begin as a table does")
        _, version, count = _BEGIN.unpack(begin)
        if version != FORMAT:
            raise IndexFormatError(f"{name}: format {version}, this version reads {FORMAT}; build the index again")
        length = _BEGIN.size + _ENTRY.size * count + SUM.size
        self.header = os.pread(descriptor, length, 0) if count <= MOST else b""
        if len(self.header) != length or SUM.unpack(self.header[-SUM.size :])[0] != xxhash.xxh3_64_intdigest(
            self.header[: -SUM.size]
        ):
            raise self.damaged("its header is not what was written")
        self._entries: dict[str, tuple[int, int, bytes]] = {}
        for label, place, length, digest in _ENTRY.iter_unpack(self.header[_BEGIN.size : -SUM.size]):
            if not len(self.header) <= place <= size - length:
                raise self.damaged("a section lies outside")
            self._entries[label.rstrip(b"\0").decode("ascii", "replace")] = place, length, digest
        self._verified: set[str] = set()
        self._map = memoryview(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ))

    def damaged(self, why: str) -> DamagedIndexError:
        """The DamagedIndexError for this file, with the reason `why`."""
        return DamagedIndexError(f"{self.name}: {why}; build the index again")

    def section(self, label: str) -> memoryview:
        """The bytes of a section. Raises DamagedIndexError when it is missing or differs from what was written."""
        if label not in self._entries:
            raise self.damaged(f"section {label} is not there")
        place, size, digest = self._entries[label]
        data = self._map[place : place + size]
        if label not in self._verified:
            if xxhash.xxh3_128_digest(data) != digest:
                raise self.damaged(f"section {label} is not what was written")
            self._verified.add(label)
        return data

    def dead(self, segments: int) -> tuple[frozenset[int], ...]:
        """The numbers of the deleted sessions of each segment. Whether these sessions exist is not checked."""
        numbers = array("I")
        data = self.section(DEAD)
        if len(data) % numbers.itemsize:
            raise self.damaged("its list of dead sessions is cut")
        numbers.frombytes(data)
        found = []
        at = 0
        for _ in range(segments):
            if at >= len(numbers) or numbers[at] > len(numbers) - at - 1:
                raise self.damaged("its list of dead sessions does not fit")
            found.append(frozenset(numbers[at + 1 : at + 1 + numbers[at]]))
            at += 1 + numbers[at]
        if at != len(numbers):
            raise self.damaged("its list of dead sessions does not fit")
        return tuple(found)


def dead_section(dead: Sequence[frozenset[int]]) -> bytes:
    """The section that TableFile.dead() decodes."""
    numbers = array("I")
    for rows in dead:
        numbers.append(len(rows))
        numbers.extend(sorted(rows))
    return numbers.tobytes()
