"""Strings over columns of a mapped file, which are verified as they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recall_rank._core.index.id_codec import IdRecords, decode_ids
from recall_rank.index.errors import DamagedIndexError
from recall_rank.index.segment.segment import SessionRow
from recall_rank.index.segment.strings import Strings, utf8
from recall_rank.index.storage.segment_file import SegmentFile


class OwnerIds(Protocol):
    """The ids of the owners of prefix-coded ids: the messages for the ids of parts, the sessions for the ids of
    messages.
    """

    def raw(self, at: int) -> bytes:
        """Return the id of owner number `at` as UTF-8."""
        ...

    def slice_of(self, first: int, last: int) -> Strings:
        """Return the ids of the owners [first, last)."""
        ...


class MappedStrings(Strings):
    """Strings over a column of UTF-8 and a column of u64 offsets, both unpacked.

    Only the blocks of the strings that are read are verified; every read may raise DamagedIndexError.
    """

    __slots__ = ("_columns", "_file")

    def __init__(self, file: SegmentFile, data: str, starts: str) -> None:
        super().__init__(file.unverified(data), file.unverified(starts))
        self._file = file
        self._columns = (data, starts)

    def damaged(self, why: str) -> DamagedIndexError:
        """Return a DamagedIndexError for the caller to raise."""
        return self._file.damaged(why)

    def raw(self, at: int) -> bytes:
        data, starts = self._columns
        self._file.verify(starts, 8 * at, 8 * at + 16)
        self._file.verify(data, self._starts[at], self._starts[at + 1])
        return super().raw(at)

    def with_owner(self, at: int, owner: str) -> str:
        return self[at]

    def slice_of(self, first: int, last: int) -> Strings:
        data, starts = self._columns
        self._file.verify(starts, 8 * first, 8 * last + 8)
        self._file.verify(data, self._starts[first], self._starts[last])
        return super().slice_of(first, last)


class PrefixCodedStrings(Strings):
    """Ids stored without the prefix that each shares with the id of its owner.

    The owner of a part is its message, that of a message its session. A record is one byte with the length of the
    shared prefix, then the rest of the id. The blocks of a record are verified when it is read; DamagedIndexError is
    raised for a record that cannot be decoded.
    """

    __slots__ = ("_column", "_file", "_owner_ids", "_owner_numbers", "_records")

    def __init__(
        self, file: SegmentFile, data: str, starts: str, owner_numbers: memoryview, owner_ids: OwnerIds
    ) -> None:
        super().__init__(file.unverified(data), file.column(starts))
        self._file = file
        self._records = IdRecords(*super().buffers(), *file.verified(data))
        self._column = data
        self._owner_numbers = owner_numbers  # u32[strings], ascending: the owner of each string
        self._owner_ids = owner_ids

    def place_of(self, at: int) -> tuple[int, int]:
        """Return the bytes [start, end) of the column that are the record of string `at`."""
        return self._starts[at], self._starts[at + 1]

    def raw(self, at: int) -> bytes:
        start, end = self.place_of(at)
        self._file.verify(self._column, start, end)
        record = bytes(self._data[start:end])
        if not record:
            raise self._file.damaged(f"a record of column {self._column} is empty")
        return self._owner_ids.raw(self._owner_numbers[at])[: record[0]] + record[1:] if record[0] else record[1:]

    def with_owner(self, at: int, owner: str) -> str:
        try:  # inlined SegmentFile.checked(): this runs for every id of every result
            string = self._records.name(at, owner)
        except ValueError as error:
            raise self._file.damaged(str(error)) from error
        if string is None:  # its blocks are not verified yet
            self._file.verify(self._column, self._starts[at], self._starts[at + 1])
            return self.with_owner(at, owner)
        return string

    def slice_of(self, first: int, last: int) -> Strings:
        if first == last:
            return Strings.of(())
        starts, owners = self._starts[first : last + 1], self._owner_numbers[first:last]
        self._file.verify(self._column, starts[0], starts[-1])
        low = owners[0]
        owner_ids = self._owner_ids.slice_of(low, owners[-1] + 1).buffers()
        return Strings(*self._file.checked(decode_ids, self._data, starts, owners, low, *owner_ids))

    def buffers(self) -> tuple[bytes | bytearray | memoryview, memoryview]:
        return self.slice_of(0, len(self)).buffers()


class PartialIds(PrefixCodedStrings):
    """Ids in a file that is in a store: of the offsets, too, only what an id needs is fetched."""

    __slots__ = ("_count", "_name_of_starts", "_rows")

    def __init__(
        self,
        file: SegmentFile,
        data: str,
        starts: str,
        owner_numbers: memoryview,
        owner_ids: OwnerIds,
        rows: Sequence[int],
    ) -> None:
        self._data = file.unverified(data)
        self._file = file
        self._column = data
        self._owner_numbers = owner_numbers
        self._owner_ids = owner_ids
        self._name_of_starts = starts
        self._count = file.count(starts) - 1
        self._rows = rows

    def __len__(self) -> int:
        return self._count

    def place_of(self, at: int) -> tuple[int, int]:
        return self._rows[at], self._rows[at + 1]

    def with_owner(self, at: int, owner: str) -> str:
        return self[at]

    def slice_of(self, first: int, last: int) -> Strings:
        whole = PrefixCodedStrings(self._file, self._column, self._name_of_starts, self._owner_numbers, self._owner_ids)
        return whole.slice_of(first, last)


class SessionIds:
    """The ids of a segment's sessions, from which the ids of messages are decoded."""

    __slots__ = ("_sessions",)

    def __init__(self, sessions: Sequence[SessionRow]) -> None:
        self._sessions = sessions

    def raw(self, at: int) -> bytes:
        return utf8(self._sessions[at].id)

    def slice_of(self, first: int, last: int) -> Strings:
        return Strings.of(row.id for row in self._sessions[first:last])
