"""A segment file: mapped, range-checked when it is opened, verified block by block when it is read.

Opening reads only the header and the directory. A block is compared with its hash once, before its first use: the
method column() verifies all blocks of a column, verify() those of a byte range.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import xxhash

from recall_rank._core.index.packed_columns import unpack
from recall_rank._core.search.column_filters import are_marked
from recall_rank.index.errors import DamagedIndexError, IndexFormatError
from recall_rank.index.segment.columns import COLUMNS
from recall_rank.index.segment.segment import Offsets
from recall_rank.index.storage.folder import read_at
from recall_rank.index.storage.format import (
    BLOCK,
    ENTRY,
    FORMAT,
    HEADER,
    HEADER_SIZE,
    MAGIC,
    MAX_VALUES_PER_BYTE,
    SUM,
    aligned,
    block_count,
    require_little_endian,
)
from recall_rank.index.storage.mapped_file import MappedFile

T = TypeVar("T")


class ColumnPlace(NamedTuple):
    """The directory entry of a column: where it is in the file, its length and its hash."""

    offset: int  # bytes from the beginning of the file
    size: int  # bytes in the file
    length: int  # values, after unpacking
    sums_hash: int  # the xxh3-64 of the block hashes


class SegmentFile:
    """The columns of one segment file. Thread-safe. The file stays mapped while any view of a column exists."""

    __slots__ = ("_file", "_map", "_places", "_sums", "_verified", "header", "name")

    def __init__(self, descriptor: int, size: int, name: str) -> None:
        """Map the `size` bytes of `descriptor`, which may be closed afterwards. `name` is quoted in errors.

        Raises IndexFormatError for a file of another version and DamagedIndexError for a damaged one.
        """
        require_little_endian(name)
        self.name = name
        self.header = read_at(descriptor, HEADER_SIZE, 0)
        start, length = self._read_header(size)
        directory = read_at(descriptor, length, start)
        if xxhash.xxh3_128_digest(directory) != HEADER.unpack(self.header[: HEADER.size])[-1]:
            raise self.damaged("its directory is not what was written")
        self._places = self._read_directory(directory, start)
        self._verified = {column: bytearray(block_count(place.size)) for column, place in self._places.items()}
        self._sums: dict[str, array[int]] = {}
        self._file = MappedFile(descriptor, size, name)
        self._map = self._file.bytes

    def _read_header(self, size: int) -> tuple[int, int]:
        """Return the offset and the size of the directory, in bytes, from the header.

        Raises DamagedIndexError for a wrong header, and IndexFormatError for the header of another format version.
        """
        if len(self.header) < HEADER_SIZE or not self.header.startswith(MAGIC):
            raise self.damaged("it does not begin as a segment does")
        _, version, zero, offset, length, total, _ = HEADER.unpack(self.header[: HEADER.size])
        if version != FORMAT:
            raise IndexFormatError(f"{self.name}: format {version}, this version reads {FORMAT}; build the index again")
        if SUM.unpack(self.header[HEADER.size :])[0] != xxhash.xxh3_64_intdigest(self.header[: HEADER.size]) or zero:
            raise self.damaged("its header is not what was written")
        if total != size:
            raise self.damaged(f"it has {size} bytes, not {total}")
        if length != ENTRY.size * len(COLUMNS) or not HEADER_SIZE <= offset <= size - length:
            raise self.damaged("its directory lies outside")
        return offset, length

    def _read_directory(self, data: bytes, end: int) -> dict[str, ColumnPlace]:
        """Return a mapping from column name to its directory entry.

        Raises DamagedIndexError for a column that ends behind byte `end` or whose length contradicts another column.
        """
        places = {}
        counts: dict[str, int] = {}
        for (name, column), entry in zip(COLUMNS.items(), ENTRY.iter_unpack(data), strict=True):
            label, code, offset, size, length, sums_hash = entry
            if label.rstrip(b"\0") != name.encode() or code != column.code.encode():
                raise self.damaged(f"column {name} is not there")
            sums = aligned(offset + size, SUM.size)
            if offset < HEADER_SIZE or offset % column.width:
                raise self.damaged(f"column {name} is out of place")
            if sums + block_count(size) * SUM.size > end:
                raise self.damaged(f"column {name} lies outside")
            row_count = length - column.extra
            fits = length <= size * MAX_VALUES_PER_BYTE if column.packed else size == length * column.width
            if row_count < 0 or not fits or counts.setdefault(column.rows, row_count) != row_count:
                raise self.damaged(f"column {name} does not fit the others")
            places[name] = ColumnPlace(offset, size, length, sums_hash)
        return places

    def damaged(self, why: str) -> DamagedIndexError:
        """Return a DamagedIndexError for the caller to raise, with the file name and advice to rebuild."""
        return DamagedIndexError(f"{self.name}: {why}; build the index again")

    def count(self, column: str) -> int:
        """Return the number of values of a column, from the directory; the column is not read."""
        return self._places[column].length

    def column(self, column: str) -> memoryview:
        """Return a whole column, verified and unpacked.

        Raises DamagedIndexError when a block does not match its hash.
        """
        offset, size, length, _ = self._places[column]
        self.verify(column, 0, size)
        if COLUMNS[column].packed:
            return self.checked(unpack, self._map[offset : offset + size], length, COLUMNS[column].code)
        return self.unverified(column)

    def check(self) -> None:
        """Raise DamagedIndexError when the file has another size, or when a block that was verified has other bytes
        now.

        One system call as long as nobody writes to the file.
        """
        written = self._file.written()
        if written is not None:
            for column, marks in self._verified.items():
                for at in range(len(marks)):
                    if marks[at]:
                        self._verify_block(column, at)
            self._file.seen(written)

    def checked(self, make: Callable[..., T], *arguments: Any) -> T:
        """Return make(*arguments); a ValueError that it raises becomes a DamagedIndexError."""
        try:
            return make(*arguments)
        except ValueError as error:
            raise self.damaged(str(error)) from error

    def unverified(self, column: str) -> memoryview:
        """Return a column that is not packed. The caller must call verify() for every byte range before it reads that
        range.
        """
        offset, size, *_ = self._places[column]
        code = COLUMNS[column].code
        return self._map[offset : offset + size].cast(code) if size else memoryview(array(code))

    def verify(self, column: str, start: int, end: int) -> None:
        """Verify the blocks that contain the bytes [start, end) of a column, unless they were verified before.

        Raises DamagedIndexError when a block does not match its hash.
        """
        verified = self._verified[column]
        # called dozens of times in a search: no function calls on the fast path
        at = verified.find(0, start // BLOCK if start > 0 else 0, -(-end // BLOCK))
        if at < 0:
            return
        last = min(len(verified), -(-end // BLOCK))
        self._file.written()
        while at >= 0:
            self._verify_block(column, at)
            verified[at] = 1
            at = verified.find(0, at + 1, last)

    def _verify_block(self, column: str, at: int) -> None:
        offset, size, _, sums_hash = self._places[column]
        sums = self._sums.get(column)
        if sums is None:
            sums = self._read_sums(column, aligned(offset + size, SUM.size), block_count(size), sums_hash)
        block = self._map[offset + at * BLOCK : min(offset + (at + 1) * BLOCK, offset + size)]
        if xxhash.xxh3_64_intdigest(block) != sums[at]:
            raise self.damaged(f"block {at} of column {column} is not what was written")

    def verified(self, column: str) -> tuple[bytearray, int]:
        """Return (marks, block size): u8[blocks of a column], 1 for each block that was verified, and the bytes of a
        block.

        verify() keeps the marks current.
        """
        return self._verified[column], BLOCK

    def verify_all(self, column: str, starts: Offsets, ends: Offsets) -> None:
        """Verify the bytes [starts[k], ends[k]) of a column for every k; both are u64. Raises the error of verify().

        When all these blocks were verified before, it is one native pass over the ranges.
        """
        if not are_marked(self._verified[column], starts, ends, BLOCK):
            for start, end in zip(starts, ends, strict=True):
                self.verify(column, start, end)

    def _read_sums(self, column: str, offset: int, blocks: int, sums_hash: int) -> array[int]:
        # a copy, so that verified hashes stay valid when the file changes
        data = bytes(self._map[offset : offset + blocks * SUM.size])
        if xxhash.xxh3_64_intdigest(data) != sums_hash:
            raise self.damaged(f"the sums of column {column} are not what was written")
        sums = self._sums[column] = array("Q", struct.unpack(f"<{blocks}Q", data))
        return sums
