"""Strings that stay in a mapped file until they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recall_rank._core.index.id_codec import Shortened, lengthen
from recall_rank.index.segment.segment import SessionRow
from recall_rank.index.segment.strings import Strings, utf8
from recall_rank.index.storage.segment_file import SegmentFile


class Holders(Protocol):
    """The ids of the owners of strings, by which PrefixCodedStrings are decoded."""

    def raw(self, at: int) -> bytes: ...

    def stretch(self, first: int, last: int) -> Strings: ...


class MappedStrings(Strings):
    """Strings in a mapped file; each block is verified when it is first read."""

    __slots__ = ("_columns", "_file")

    def __init__(self, file: SegmentFile, data: str, starts: str) -> None:
        super().__init__(file.unverified(data), file.unverified(starts))
        self._file = file
        self._columns = (data, starts)

    def raw(self, at: int) -> bytes:
        data, starts = self._columns
        self._file.verify(starts, 8 * at, 8 * at + 16)
        self._file.verify(data, self._starts[at], self._starts[at + 1])
        return super().raw(at)

    def held(self, at: int, holder: str) -> str:
        return self[at]

    def stretch(self, first: int, last: int) -> Strings:
        data, starts = self._columns
        self._file.verify(starts, 8 * first, 8 * last + 8)
        self._file.verify(data, self._starts[first], self._starts[last])
        return super().stretch(first, last)


class PrefixCodedStrings(Strings):
    """Strings in a mapped file, each stored without the prefix that it shares with the id of its owner; verified
    when read.
    """

    __slots__ = ("_column", "_file", "_holder", "_holders", "_records")

    def __init__(self, file: SegmentFile, data: str, starts: str, holder: memoryview, holders: Holders) -> None:
        super().__init__(file.unverified(data), file.column(starts))
        self._file = file
        self._records = Shortened(*super().buffers(), *file.verified(data))
        self._column = data
        self._holder = holder  # u32 a string, ascending
        self._holders = holders

    def raw(self, at: int) -> bytes:
        start, end = self._starts[at], self._starts[at + 1]
        self._file.verify(self._column, start, end)
        record = bytes(self._data[start:end])
        if not record:
            raise self._file.damaged(f"a record of column {self._column} is empty")
        return self._holders.raw(self._holder[at])[: record[0]] + record[1:] if record[0] else record[1:]

    def held(self, at: int, holder: str) -> str:
        try:  # as SegmentFile.checked(), but for one more call
            name = self._records.name(at, holder)
        except ValueError as error:
            raise self._file.damaged(str(error)) from error
        if name is None:
            self._file.verify(self._column, self._starts[at], self._starts[at + 1])
            return self.held(at, holder)
        return name

    def stretch(self, first: int, last: int) -> Strings:
        if first == last:
            return Strings.of(())
        starts, holder = self._starts[first : last + 1], self._holder[first:last]
        self._file.verify(self._column, starts[0], starts[-1])
        low = holder[0]
        holders = self._holders.stretch(low, holder[-1] + 1).buffers()
        return Strings(*self._file.checked(lengthen, self._data, starts, holder, low, *holders))

    def buffers(self) -> tuple[bytes | bytearray | memoryview, memoryview]:
        return self.stretch(0, len(self)).buffers()


class SessionIds:
    """The ids of the sessions of a segment, the owners of its messages."""

    __slots__ = ("_sessions",)

    def __init__(self, sessions: Sequence[SessionRow]) -> None:
        self._sessions = sessions

    def raw(self, at: int) -> bytes:
        return utf8(self._sessions[at].id)

    def stretch(self, first: int, last: int) -> Strings:
        return Strings.of(row.id for row in self._sessions[first:last])
