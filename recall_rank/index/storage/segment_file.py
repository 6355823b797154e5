"""Read the file of a segment: mapped, range-checked when it is opened, verified block by block when it is used.

Opening reads the header and the directory, whatever the size. What is read of a column is compared with its sums
first, each block once: the whole column when it is handed out, parts of it where verify() is told which.
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
    """The columns of one file. Any number of threads may read; the map is let go of with the last view of it."""

    __slots__ = ("_map", "_places", "_sums", "_verified", "header", "name")

    def __init__(self, descriptor: int, size: int, name: str) -> None:
        """Map the `size` bytes of `descriptor`, which may be closed afterwards. `name` stands in error texts."""
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
        """Place and size of the directory."""
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
        """Place, size, length and seal of every column, all of it before `end`, each as long as its kind demands."""
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
        """The error to raise, for every caller in the same words."""
        return DamagedIndexError(f"{self.name}: {why}; build the index again")

    def count(self, column: str) -> int:
        """How many numbers a column has; nothing of it is read."""
        return self._places[column][2]

    def column(self, column: str) -> memoryview:
        """A column, all of it verified, and unpacked. Raises DamagedIndexError when it is not what was written."""
        place, size, length, _ = self._places[column]
        self.verify(column, 0, size)
        if COLUMNS[column].packed:
            return self.checked(unpack, self._map[place : place + size], length, COLUMNS[column].code)
        return self.unverified(column)

    def checked(self, make: Callable[..., T], *given: Any) -> T:
        """What `make` makes of columns. Raises DamagedIndexError where it raises ValueError, as for forged ones."""
        try:
            return make(*given)
        except ValueError as error:
            raise self.damaged(str(error)) from error

    def unverified(self, column: str) -> memoryview:
        """A column that is not packed, of which the caller reads only what it lets verify() look at first."""
        place, size, *_ = self._places[column]
        code = COLUMNS[column].code
        return self._map[place : place + size].cast(code) if size else memoryview(array(code))

    def verify(self, column: str, start: int, end: int) -> None:
        """Compare the blocks that hold bytes [start, end) of a column with their sums, those not yet looked at.

        Raises DamagedIndexError when one of them is not what was written.
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
        """A mark for every block of a column that was compared with its sum, u8, set by verify(); and bytes a block."""
        return self._verified[column], BLOCK

    def verify_all(self, column: str, starts: Offsets, ends: Offsets) -> None:
        """verify() of bytes [starts[k], ends[k]), u64 each: one look where all of them were looked at before."""
        if not are_marked(self._verified[column], starts, ends, BLOCK):
            for start, end in zip(starts, ends, strict=True):
                self.verify(column, start, end)

    def _read_sums(self, column: str, place: int, blocks: int, seal: int) -> array[int]:
        # a copy: what was verified stays so, whatever happens to the file
        data = bytes(self._map[place : place + blocks * SUM.size])
        if xxhash.xxh3_64_intdigest(data) != seal:
            raise self.damaged(f"the sums of column {column} are not what was written")
        sums = self._sums[column] = array("Q", struct.unpack(f"<{blocks}Q", data))
        return sums
