"""The table file of a generation, one published state of an index: named sections of bytes, verified when first read.

The section "dead" lists the deleted sessions of each segment, which change between generations while segment files
never do. recall_rank.histories.cache.table_codec defines the other sections.
"""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import xxhash

from recall_rank.index.errors import DamagedIndexError, IndexFormatError
from recall_rank.index.storage.format import FORMAT, SUM, require_little_endian
from recall_rank.index.storage.mapped_file import FETCHES, MappedFile

MAGIC: Final = b"RRTAB\r\n\x1a"
DEAD: Final = "dead"  # u32: for each segment the number of its deleted sessions, then their numbers
_BEGIN: Final = struct.Struct("<8sII")  # magic, format, number of sections
_ENTRY: Final = struct.Struct("<16sQQ16s")  # name, offset, size, xxh3-128
MAX_SECTIONS: Final = 16  # a header with more is refused
LONGEST_HEADER: Final = _BEGIN.size + _ENTRY.size * MAX_SECTIONS + SUM.size


class Section(NamedTuple):
    """The directory entry of a section: where it is in the file, and its hash."""

    offset: int  # bytes from the beginning of the file
    size: int  # bytes
    digest: bytes  # the xxh3-128 of its content


def write_table(sections: Mapping[str, bytes], descriptor: int, name: str) -> bytes:
    """Write sections to the empty file `descriptor`, sync it, and return its header, whose hashes cover the file.

    `name` is quoted in errors. Raises OSError, and IndexFormatError on a big-endian machine.
    """
    require_little_endian(name)
    offset = _BEGIN.size + _ENTRY.size * len(sections) + SUM.size
    begin = bytearray(_BEGIN.pack(MAGIC, FORMAT, len(sections)))
    for label, data in sections.items():
        begin += _ENTRY.pack(label.encode(), offset, len(data), xxhash.xxh3_128_digest(data))
        offset += len(data)
    header = bytes(begin) + SUM.pack(xxhash.xxh3_64_intdigest(begin))
    for data in (header, *sections.values()):
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)
    return header


class TableFile:
    """The sections of one table file, which are byte strings with names. Thread-safe."""

    __slots__ = ("_entries", "_file", "_verified", "header", "name")

    def __init__(self, file: MappedFile) -> None:
        """Read the header of a mapped file.

        Raises IndexFormatError for a file of another version and DamagedIndexError for a damaged one.
        """
        require_little_endian(file.name)
        self.name = file.name
        self._file = file
        begin = file.read(0, _BEGIN.size)
        if len(begin) < _BEGIN.size or not begin.startswith(MAGIC):
            raise self.damaged("it does not begin as a table does")
        _, version, count = _BEGIN.unpack(begin)
        if version != FORMAT:
            raise IndexFormatError(f"{self.name}: format {version}, this version reads {FORMAT}; build the index again")
        length = _BEGIN.size + _ENTRY.size * count + SUM.size
        self.header = file.read(0, length) if count <= MAX_SECTIONS else b""
        if len(self.header) != length or SUM.unpack(self.header[-SUM.size :])[0] != xxhash.xxh3_64_intdigest(
            self.header[: -SUM.size]
        ):
            raise self.damaged("its header is not what was written")
        self._entries: dict[str, Section] = {}
        for label, offset, length, digest in _ENTRY.iter_unpack(self.header[_BEGIN.size : -SUM.size]):
            if not len(self.header) <= offset <= file.size - length:
                raise self.damaged("a section lies outside")
            self._entries[label.rstrip(b"\0").decode("ascii", "replace")] = Section(offset, length, digest)
        self._verified: set[str] = set()

    def damaged(self, why: str) -> DamagedIndexError:
        """Return a DamagedIndexError for the caller to raise, with the file name and advice to rebuild."""
        return DamagedIndexError(f"{self.name}: {why}; build the index again")

    def section(self, label: str) -> memoryview:
        """Return the bytes of a section. Raises DamagedIndexError when it is missing or does not match its hash."""
        if label not in self._entries:
            raise self.damaged(f"section {label} is not there")
        written = self._file.written()
        if written is not None:
            self._verified.clear()
            self._file.seen(written)
        offset, size, digest = self._entries[label]
        data = self._file.bytes[offset : offset + size]
        if label not in self._verified:
            is_sound = xxhash.xxh3_128_digest(data) == digest
            for _ in range(FETCHES):
                if is_sound or not self._file.load([(offset, offset + size)]):
                    break
                is_sound = xxhash.xxh3_128_digest(data) == digest
            if not is_sound:
                raise self.damaged(f"section {label} is not what was written")
            self._verified.add(label)
        return data

    def dead(self, segments: int) -> tuple[frozenset[int], ...]:
        """Return the numbers of the deleted sessions of each segment, as the section DEAD of the file lists them.

        Whether a segment has sessions of these numbers is not checked. Raises DamagedIndexError when the section does
        not list exactly `segments` segments.
        """
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
    """Return the section that lists the deleted sessions of each segment; TableFile.dead() decodes it."""
    numbers = array("I")
    for rows in dead:
        numbers.append(len(rows))
        numbers.extend(sorted(rows))
    return numbers.tobytes()
