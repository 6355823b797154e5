"""A segment whose columns stay in a mapped file until they are read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, Final

from recall_rank._core.layout import Layout
from recall_rank._core.postings import Postings
from recall_rank._core.vocabulary import Vocabulary
from recall_rank.index.format import COLUMNS, LAYOUT, POSTINGS, VOCABULARY
from recall_rank.index.segment import Segment
from recall_rank.index.segment_file import SegmentFile
from recall_rank.index.session_rows import SessionRows
from recall_rank.index.strings import Names, Strings


class MappedSegment(Segment):
    """A Segment over a SegmentFile, which makes each attribute when it is first asked for.

    A column is verified before it is handed out: DamagedIndexError when it is not what was written. Ids and the
    records of sessions are verified block by block as they are read, and so is the text where the caller of
    text_for() says what it reads. Vocabulary, postings and layout check their ranges besides, as those in memory do:
    a file with forged sums is refused or harmless, too.
    """

    __slots__ = ("_file", "_lock")

    _file: SegmentFile
    _lock: threading.RLock

    def __init__(self, file: SegmentFile) -> None:
        object.__setattr__(self, "_file", file)
        object.__setattr__(self, "_lock", threading.RLock())

    def __getattr__(self, name: str) -> Any:
        """Called for a slot that is still empty."""
        make = _MAKERS.get(name)
        if make is None and (name not in COLUMNS or name not in Segment.__slots__):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        with self._lock:  # one layout for all threads: what was found by one is joined to what another found
            try:
                return object.__getattribute__(self, name)
            except AttributeError:
                value = self._file.column(name) if make is None else make(self, self._file)
            object.__setattr__(self, name, value)
            return value

    @property
    def docs(self) -> int:
        return self._file.count("doc_part")

    @property
    def parts(self) -> int:
        return self._file.count("part_message")

    @property
    def messages(self) -> int:
        return self._file.count("message_session")

    @property
    def terms(self) -> int:
        return self._file.count("term_signatures")

    def span_of(self, session: int) -> tuple[int, int]:
        first_message = self._file.column("session_first_message")
        return first_message[session], first_message[session + 1]

    def text_for(self, ranges: Iterable[tuple[int, int]]) -> memoryview:
        for start, end in ranges:
            self._file.verify("text", start, end)
        return self._file.unverified("text")

    def verify(self) -> None:
        """Read everything. Raises DamagedIndexError when something is not what was written, or leads outside."""
        for column in COLUMNS:
            self._file.column(column)
        for name in _MAKERS:
            getattr(self, name)


class MappedStrings(Strings):
    """Strings in a file, verified as they are read."""

    __slots__ = ("_columns", "_file")

    def __init__(self, file: SegmentFile, data: str, starts: str) -> None:
        super().__init__(file.unverified(data), file.unverified(starts))
        self._file = file
        self._columns = (data, starts)

    def between(self, first: int, last: int) -> list[str]:
        data, starts = self._columns
        self._file.verify(starts, 8 * first, 8 * last + 8)
        self._file.verify(data, self._starts[first], self._starts[last])
        return super().between(first, last)

    def raw(self, at: int) -> bytes:
        data, starts = self._columns
        self._file.verify(starts, 8 * at, 8 * at + 16)
        self._file.verify(data, self._starts[at], self._starts[at + 1])
        return super().raw(at)

    def buffers(self) -> tuple[memoryview, memoryview]:
        data, starts = self._columns
        return self._file.column(data), self._file.column(starts)


def _checked(file: SegmentFile, kind: Callable[..., Any], columns: Iterable[memoryview]) -> Any:
    try:
        return kind(*columns)
    except ValueError as error:
        raise file.damaged(str(error)) from error


def _sessions(_: MappedSegment, file: SegmentFile) -> SessionRows:
    records = MappedStrings(file, "session_records", "session_record_starts")
    return SessionRows(records, file.column("session_first_message"))


def _names(_: MappedSegment, file: SegmentFile) -> Names:
    values = MappedStrings(file, "name_bytes", "name_starts")
    return Names.of(values[number] for number in range(len(values)))


_MAKERS: Final[dict[str, Callable[[MappedSegment, SegmentFile], Any]]] = {
    "sessions": _sessions,
    "names": _names,
    "message_ids": lambda _, file: MappedStrings(file, "message_id_bytes", "message_id_starts"),
    "part_ids": lambda _, file: MappedStrings(file, "part_id_bytes", "part_id_starts"),
    "vocabulary": lambda _, file: _checked(file, Vocabulary, map(file.column, VOCABULARY)),
    "postings": lambda _, file: _checked(file, Postings, map(file.column, POSTINGS)),
    "layout": lambda segment, file: _checked(file, Layout, (getattr(segment, name) for name in LAYOUT)),
}
