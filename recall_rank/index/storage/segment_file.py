"""Read a segment file: mapped, range-checked on opening, verified block by block on reading.

Opening reads header and directory, whatever the size of the file. Each block of a column is compared with its checksum
once, before it is first used: all blocks when the column is returned as a whole, or the blocks passed to verify().
"""

from __future__ import annotations

import mmap
import os
import struct
from array import array
from collections.abc import Callable
from typing import Any, TypeVar

import xxhash

from recall_rank._core.index.packed_columns import unpack
from recall_rank._core.search.column_filters import are_marked
from recall_rank.index.errors import DamagedIndexError, IndexFormatError
from recall_rank.index.segment.columns import COLUMNS
from recall_rank.index.segment.segment import Offsets
from recall_rank.index.storage.format import (
    BLOCK,
    ENTRY,
    FORMAT,
    HEADER,
    HEADER_SIZE,
    MAGIC,
    PACKED_MOST,
    SUM,
    aligned,
    blocks_of,
    require_little_endian,
)

T = TypeVar("T")


class SegmentFile:
    """The columns of one file. Any number of threads may read; the file is unmapped with the last view of it."""

    __slots__ = ("_map", "_places", "_sums", "_verified", "header", "name")

    def __init__(self, descriptor: int, size: int, name: str) -> None:
        """Map the `size` bytes of `descriptor`, which may be closed afterwards. Error messages name the file
        `name`.
        """
        require_little_endian(name)
        self.name = name
        self.header = os.pread(descriptor, HEADER_SIZE, 0)
        directory = self._read_header(size)
        data = os.pread(descriptor, directory[1], directory[0])
        if xxhash.xxh3_128_digest(data) != HEADER.unpack(self.header[: HEADER.size])[-1]:
            raise self.damaged("its directory is not what was written")
        self._places = self._read_directory(data, directory[0])
        self._verified = {column: bytearray(blocks_of(size)) for column, (_, size, *_) in self._places.items()}
        self._sums: dict[str, array[int]] = {}
        self._map = memoryview(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ))

    def _read_header(self, size: int) -> tuple[int, int]:
        """Offset and size of the directory."""
        if len(self.header) < HEADER_SIZE or not self.header.startswith(MAGIC):
            raise self.damaged("it does not begin as a segment does")
        _, version, zero, place, length, total, _ = HEADER.unpack(self.header[: HEADER.size])
        if version != FORMAT:
            raise IndexFormatError(f"{self.name}: format {version}, this version reads {FORMAT}; build the index again")
        if SUM.unpack(self.header[HEADER.size :])[0] != xxhash.xxh3_64_intdigest(self.header[: HEADER.size]) or zero:
            raise self.damaged("its header is not what was written")
        if total != size:
            raise self.damaged(f"it has {size} bytes, not {total}")
        if length != ENTRY.size * len(COLUMNS) or not HEADER_SIZE <= place <= size - length:
            raise self.damaged("its directory lies outside")
        return place, length

    def _read_directory(self, data: bytes, end: int) -> dict[str, tuple[int, int, int, int]]:
        """Offset, size, length and checksum of every column; checks that each ends before `end` and has the length
        of its kind.
        """
        places = {}
        counts: dict[str, int] = {}
        for (name, column), entry in zip(COLUMNS.items(), ENTRY.iter_unpack(data), strict=True):
            label, code, place, size, length, seal = entry
            if label.rstrip(b"\0") != name.encode() or code != column.code.encode():
                raise self.damaged(f"column {name} is not there")
            sums = aligned(place + size, SUM.size)
            if place < HEADER_SIZE or place % column.width:
                raise self.damaged(f"column {name} is out of place")
            if sums + blocks_of(size) * SUM.size > end:
                raise self.damaged(f"column {name} lies outside")
            count = length - column.more
            fits = length <= size * PACKED_MOST if column.packed else size == length * column.width
            if count < 0 or not fits or counts.setdefault(column.of, count) != count:
                raise self.damaged(f"column {name} does not fit the others")
            places[name] = (place, size, length, seal)
        return places

    def damaged(self, why: str) -> DamagedIndexError:
        """The DamagedIndexError for this file, with the reason `why`."""
        return DamagedIndexError(f"{self.name}: {why}; build the index again")

    def count(self, column: str) -> int:
        """The number of values in a column, which is not read."""
        return self._places[column][2]

    def column(self, column: str) -> memoryview:
        """A whole column, verified and unpacked. Raises DamagedIndexError when it differs from what was written."""
        place, size, length, _ = self._places[column]
        self.verify(column, 0, size)
        if COLUMNS[column].packed:
            return self.checked(unpack, self._map[place : place + size], length, COLUMNS[column].code)
        return self.unverified(column)

    def checked(self, make: Callable[..., T], *given: Any) -> T:
        """make(*given), a value derived from columns; its ValueError is raised as DamagedIndexError."""
        try:
            return make(*given)
        except ValueError as error:
            raise self.damaged(str(error)) from error

    def unverified(self, column: str) -> memoryview:
        """A column that is not packed; the caller must call verify() for bytes before it reads them."""
        place, size, *_ = self._places[column]
        code = COLUMNS[column].code
        return self._map[place : place + size].cast(code) if size else memoryview(array(code))

    def verify(self, column: str, start: int, end: int) -> None:
        """Compare the blocks of bytes [start, end) of a column with their checksums, unless that was done before.

        Raises DamagedIndexError when a block differs from what was written.
        """
        verified = self._verified[column]
        # asked some dozen times a search: no calls
        at = verified.find(0, start // BLOCK if start > 0 else 0, -(-end // BLOCK))
        if at < 0:
            return
        last = min(len(verified), -(-end // BLOCK))
        place, size, _, seal = self._places[column]
        sums = self._sums.get(column)
        if sums is None:
            sums = self._read_sums(column, aligned(place + size, SUM.size), len(verified), seal)
        while at >= 0:
            block = self._map[place + at * BLOCK : min(place + (at + 1) * BLOCK, place + size)]
            if xxhash.xxh3_64_intdigest(block) != sums[at]:
                raise self.damaged(f"block {at} of column {column} is not what was written")
            verified[at] = 1
            at = verified.find(0, at + 1, last)

    def verified(self, column: str) -> tuple[bytearray, int]:
        """The marks of the verified blocks of a column, u8[blocks], which verify() sets, and the bytes of a block."""
        return self._verified[column], BLOCK

    def verify_all(self, column: str, starts: Offsets, ends: Offsets) -> None:
        """Call verify() for bytes [starts[k], ends[k]) of a column, u64 each; fast when all blocks are verified
        already.
        """
        if not are_marked(self._verified[column], starts, ends, BLOCK):
            for start, end in zip(starts, ends, strict=True):
                self.verify(column, start, end)

    def _read_sums(self, column: str, place: int, blocks: int, seal: int) -> array[int]:
        # a copy, so that verified sums do not change with the file
        data = bytes(self._map[place : place + blocks * SUM.size])
        if xxhash.xxh3_64_intdigest(data) != seal:
            raise self.damaged(f"the sums of column {column} are not what was written")
        sums = self._sums[column] = array("Q", struct.unpack(f"<{blocks}Q", data))
        return sums
