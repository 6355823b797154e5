"""A segment file: mapped, range-checked when it is opened, verified block by block when it is read.

Opening reads only the header and the directory. A block is compared with its hash once, before its first use: the
method column() verifies all blocks of a column, verify() those of a byte range. A block of a file in a store that has
another hash is not there yet, or no longer: it is fetched, twice at most, and verified again.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

import xxhash

from recall_rank._core.index.packed_columns import unpack
from recall_rank._core.search.column_filters import are_marked
from recall_rank.index.errors import DamagedIndexError, IndexFormatError
from recall_rank.index.segment.columns import COLUMNS, TEXT_BLOCK
from recall_rank.index.segment.segment import Offsets
from recall_rank.index.storage.format import (
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
from recall_rank.index.storage.mapped_file import FETCHES, MappedFile

T = TypeVar("T")

# Of each column: name, format, the name and the type code as an entry of a directory has them, bytes of a value.
_ENTRIES: Final = tuple(
    (name, column, [name.encode().ljust(24, b"\0"), column.code.encode()], column.width)
    for name, column in COLUMNS.items()
)


class ColumnPlace(NamedTuple):
    """The directory entry of a column: where it is in the file, its length and its hash."""

    offset: int  # bytes from the beginning of the file
    size: int  # bytes in the file
    length: int  # values, after unpacking
    sums_hash: int  # the xxh3-64 of the block hashes
    blocks: int


class SegmentFile:
    """The columns of one segment file. Thread-safe. The file stays mapped while any view of a column exists."""

    __slots__ = ("_file", "_map", "_places", "_sums", "_verified", "header", "name")

    def __init__(self, file: MappedFile) -> None:
        """Read the header and the directory of a mapped file.

        Raises IndexFormatError for a file of another version and DamagedIndexError for a damaged one.
        """
        require_little_endian(file.name)
        self.name = file.name
        self._file = file
        self.header = file.read(0, HEADER_SIZE)
        start, length = self._read_header(file.size)
        directory = file.read(start, length)
        if xxhash.xxh3_128_digest(directory) != HEADER.unpack(self.header[: HEADER.size])[-1]:
            raise self.damaged("its directory is not what was written")
        self._places = self._read_directory(directory, start)
        self._verified = {column: bytearray(place.blocks) for column, place in self._places.items()}
        self._sums: dict[str, array[int]] = {}
        self._map = file.bytes

    @property
    def partial(self) -> bool:
        """Whether the file is in a store, from which blocks are fetched when they are first verified."""
        return self._file.partial

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
        places: dict[str, ColumnPlace] = {}
        counts: dict[str, int] = {}
        for (name, column, wanted, width), entry in zip(_ENTRIES, ENTRY.iter_unpack(data), strict=True):
            *told, offset, size, length, sums_hash = entry
            if told != wanted:
                raise self.damaged(f"column {name} is not there")
            sums = aligned(offset + size, SUM.size)
            if offset < HEADER_SIZE or offset % width:
                raise self.damaged(f"column {name} is out of place")
            blocks = block_count(size, column.block)
            if sums + blocks * SUM.size > end:
                raise self.damaged(f"column {name} lies outside")
            row_count = length - column.extra
            if column.packed:
                fits = length <= size * MAX_VALUES_PER_BYTE
            elif name == "text" and places["text_starts"].length > 1:
                fits = places["text_starts"].length - 1 == block_count(length, TEXT_BLOCK)
            else:
                fits = size == length * width
            if row_count < 0 or not fits or counts.setdefault(column.rows, row_count) != row_count:
                raise self.damaged(f"column {name} does not fit the others")
            places[name] = ColumnPlace(offset, size, length, sums_hash, blocks)
        return places

    def damaged(self, why: str) -> DamagedIndexError:
        """Return a DamagedIndexError for the caller to raise, with the file name and advice to rebuild."""
        return DamagedIndexError(f"{self.name}: {why}; build the index again", self.name)

    def count(self, column: str) -> int:
        """Return the number of values of a column, from the directory; the column is not read."""
        return self._places[column].length

    def column(self, column: str) -> memoryview:
        """Return a whole column, verified and unpacked; of a text that is packed in blocks, its bytes in the file.

        Raises DamagedIndexError when a block does not match its hash.
        """
        offset, size, length, *_ = self._places[column]
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
            marked = {name: [at for at, mark in enumerate(marks) if mark] for name, marks in self._verified.items()}
            self._verify({name: blocks for name, blocks in marked.items() if blocks})
            self._file.seen(written)

    def checked(self, make: Callable[..., T], *arguments: Any) -> T:
        """Return make(*arguments); a ValueError that it raises becomes a DamagedIndexError."""
        try:
            return make(*arguments)
        except ValueError as error:
            raise self.damaged(str(error)) from error

    def raw(self, column: str) -> memoryview:
        """Return the bytes of a column as they are in the file; verify() comes first, as for unverified()."""
        offset, size, *_ = self._places[column]
        return self._map[offset : offset + size]

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
        verified, block = self._verified[column], COLUMNS[column].block
        # called dozens of times in a search: no function calls on the fast path
        at = verified.find(0, start // block if start > 0 else 0, -(-end // block))
        if at >= 0:
            self._verify({column: _unmarked(verified, at, -(-end // block))})

    def verify_ranges(self, ranges: Mapping[str, Iterable[tuple[int, int]]]) -> None:
        """Verify the bytes [start, end) of all `ranges` of each of these columns; those that are in a store are fetched
        together. Raises the error of verify().
        """
        wanted = {}
        for column, own in ranges.items():
            verified, block = self._verified[column], COLUMNS[column].block
            blocks: set[int] = set()
            for start, end in own:
                if verified.find(0, start // block, -(-end // block)) >= 0:
                    blocks.update(_unmarked(verified, start // block, -(-end // block)))
            if blocks:
                wanted[column] = sorted(blocks)
        if wanted:
            self._verify(wanted)

    def verify_blocks(self, column: str, blocks: Iterable[int]) -> None:
        """Verify the blocks with these numbers of a column. Raises the error of verify()."""
        verified = self._verified[column]
        wanted = [at for at in blocks if not verified[at]]
        if wanted:
            self._verify({column: wanted})

    def _verify(self, wanted: Mapping[str, list[int]]) -> None:
        """Compare blocks, given by their numbers in each column, with their hashes, and mark those that match.

        Those that do not match are fetched, if the file is in a store. Raises DamagedIndexError for the first that does
        not match then.
        """
        self._file.written()
        self._read_sums(wanted)
        wrong = self._mark_sound(wanted)
        for _ in range(FETCHES):
            places = [self._place_of(column, at) for column, blocks in wrong.items() for at in blocks]
            if not places or not self._file.load(places):
                break
            wrong = self._mark_sound(wrong)
        for column, blocks in wrong.items():
            raise self.damaged(f"block {blocks[0]} of column {column} is not what was written")

    def _mark_sound(self, wanted: Mapping[str, list[int]]) -> dict[str, list[int]]:
        """Mark the blocks that match their hashes, and return the others."""
        wrong = {}
        digest, mapped = xxhash.xxh3_64_intdigest, self._map
        for column, blocks in wanted.items():
            offset, size, *_ = self._places[column]
            sums, marks, step, end = self._sums[column], self._verified[column], COLUMNS[column].block, offset + size
            first, last = blocks[0], blocks[-1] + 1
            if len(blocks) == last - first > 8:  # a stretch, as all of a column: several times as fast
                view = mapped[offset:end]
                found = [digest(view[at : at + step]) for at in range(first * step, min(last * step, size), step)]
                if found == sums[first:last].tolist():
                    marks[first:last] = b"\1" * len(blocks)
                    continue
            others = []
            for at in blocks:
                start = offset + at * step
                if digest(mapped[start : min(start + step, end)]) == sums[at]:
                    marks[at] = 1
                else:
                    others.append(at)
            if others:
                wrong[column] = others
        return wrong

    def _place_of(self, column: str, at: int) -> tuple[int, int]:
        """Return the bytes [start, end) of the file that are block `at` of a column."""
        offset, size, *_ = self._places[column]
        step = COLUMNS[column].block
        return offset + at * step, min(offset + (at + 1) * step, offset + size)

    def verified(self, column: str) -> tuple[bytearray, int]:
        """Return (marks, block size): u8[blocks of a column], 1 for each block that was verified, and the bytes of a
        block.

        verify() keeps the marks current.
        """
        return self._verified[column], COLUMNS[column].block

    def verify_all(self, column: str, starts: Offsets, ends: Offsets) -> None:
        """Verify the bytes [starts[k], ends[k]) of a column for every k; both are u64. Raises the error of verify().

        When all these blocks were verified before, it is one native pass over the ranges.
        """
        if not are_marked(self._verified[column], starts, ends, COLUMNS[column].block):
            self.verify_ranges({column: zip(starts, ends, strict=True)})

    def prefetch(self, columns: Iterable[str]) -> None:
        """Fetch what a search of a file in a store reads in any case, together: these columns, and the hashes of all.

        Nothing is fetched that is there already. Raises DamagedIndexError for hashes that are wrong, and OSError.
        """
        if not self._file.partial:
            return
        whole = frozenset(columns)
        wanted = []
        for column, (offset, size, *_) in self._places.items():
            start, end = self._place_of_sums(column)
            if not self._take_sums(column):
                wanted.append((offset if column in whole and size else start, end))
        if wanted:
            self._file.load(wanted)
        self._read_sums(self._places)
        self.verify_ranges({column: [(0, self._places[column].size)] for column in whole})

    def places(self, columns: Iterable[str]) -> list[tuple[int, int]]:
        """Return the bytes [start, end) of the file that are each of these columns and the hashes of its blocks."""
        return [(self._places[column].offset, self._place_of_sums(column)[1]) for column in columns]

    def _read_sums(self, columns: Iterable[str]) -> None:
        """Read the hashes of the blocks of columns, unless they were read before. Raises DamagedIndexError."""
        missing = [column for column in columns if column not in self._sums and not self._take_sums(column)]
        for _ in range(FETCHES):
            if not missing or not self._file.load([self._place_of_sums(column) for column in missing]):
                break
            missing = [column for column in missing if not self._take_sums(column)]
        for column in missing:
            raise self.damaged(f"the sums of column {column} are not what was written")

    def _take_sums(self, column: str) -> bool:
        """Read the hashes of the blocks of a column; return False when they do not match the hash of them."""
        start, end = self._place_of_sums(column)
        data = bytes(self._map[start:end])  # a copy, so that verified hashes stay valid when the file changes
        if xxhash.xxh3_64_intdigest(data) != self._places[column].sums_hash:
            return False
        self._sums[column] = array("Q", struct.unpack(f"<{len(data) // SUM.size}Q", data))
        return True

    def _place_of_sums(self, column: str) -> tuple[int, int]:
        """Return the bytes [start, end) of the file that are the hashes of the blocks of a column."""
        offset, size, *_ = self._places[column]
        start = aligned(offset + size, SUM.size)
        return start, start + self._places[column].blocks * SUM.size


def _unmarked(marks: bytearray, first: int, last: int) -> list[int]:
    """Return the numbers from `first` to before `last`, below len(marks), of the marks that are 0."""
    return [at for at in range(first, min(last, len(marks))) if not marks[at]]
