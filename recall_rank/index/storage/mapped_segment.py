"""A segment over a mapped file, whose columns are read, verified and decoded on first use."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from recall_rank._core.index.derived_columns import owners, piece_starts, values_at
from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.index.postings import Postings
from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank.analysis.fields import Field
from recall_rank.index.segment.columns import (
    COLUMNS,
    DOC_COLUMNS,
    NAMED,
    PIECEMEAL,
    POSTINGS,
    ROW_MARKED,
    SEARCHED,
    VOCABULARY,
)
from recall_rank.index.segment.segment import ROLES, Offsets, Segment
from recall_rank.index.segment.session_rows import SessionRows
from recall_rank.index.segment.strings import Names
from recall_rank.index.storage.mapped_strings import (
    MappedStrings,
    OwnerIds,
    PartialIds,
    PrefixCodedStrings,
    SessionIds,
)
from recall_rank.index.storage.packed_text import PackedText
from recall_rank.index.storage.partial_columns import PackedRows, PartialTerms, PostingLoader, packed_rows
from recall_rank.index.storage.segment_file import SegmentFile
from recall_rank.model.record_classes import field_names

CHECKED_AT_ONCE: Final = 65_536  # numbers of names, so that checking them takes little memory


class MappedSegment(Segment):
    """A Segment over a SegmentFile. Each attribute is computed on first access. Thread-safe.

    A column is verified before it is returned; accessing one whose hashes do not match raises DamagedIndexError. Ids
    and session records are verified block by block as they are read, and so is the text in the ranges given to
    text_for() and text_between(). Of a file in a store, terms and postings are verified as they are read, too. Names,
    roles, numbers of rows, derived columns, vocabulary, postings and doc_columns are checked for values out of range as
    well, so that even a file with forged hashes is told as damaged and cannot cause reads out of bounds.
    """

    __slots__ = (
        *("_file", "_lock", "_packed_text", "_prefetched", "_rows", "_unverified_text"),
        *("docs", "messages", "parts", "terms"),
    )

    _file: SegmentFile
    _lock: threading.RLock
    _packed_text: PackedText | None  # None for a text that is not packed
    _prefetched: bool
    _rows: dict[str, PackedRows]
    _unverified_text: memoryview
    docs: int
    parts: int
    messages: int
    terms: int

    def __init__(self, file: SegmentFile) -> None:
        object.__setattr__(self, "_file", file)
        object.__setattr__(self, "_lock", threading.RLock())
        object.__setattr__(self, "_prefetched", not file.partial)
        object.__setattr__(self, "_rows", {})
        packed = file.count("text_starts") > 1
        object.__setattr__(self, "_packed_text", PackedText(file) if packed else None)
        object.__setattr__(self, "_unverified_text", file.unverified("text"))
        for name, column in _COUNTED.items():
            object.__setattr__(self, name, file.count(column))

    def __getattr__(self, name: str) -> Any:
        """Compute an attribute whose slot is still empty. Raises AttributeError and DamagedIndexError."""
        make = _MAKERS.get(name)
        if make is None and (name not in COLUMNS or name not in field_names(Segment)):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        with self._lock:  # all threads must share one doc_columns: the kernels join hits only of the same object
            try:
                return object.__getattribute__(self, name)
            except AttributeError:
                if not self._prefetched:
                    self._file.prefetch(SEARCHED)
                    object.__setattr__(self, "_prefetched", True)
                value = self._file.column(name) if make is None else make(self, self._file)
            object.__setattr__(self, name, value)
            return value

    @property
    def path(self) -> Path:
        """The path of the segment's file."""
        return Path(self._file.name)

    @property
    def partial(self) -> bool:
        return self._file.partial

    def span_of(self, session: int) -> tuple[int, int]:
        first_message = self._file.column("session_first_message")
        return first_message[session], first_message[session + 1]

    @property
    def text(self) -> memoryview:
        """The whole text, verified. It is not kept: that of a packed text takes its size in memory."""
        return self.text_for(((0, self._file.count("text")),))

    def text_for(self, ranges: Iterable[tuple[int, int]]) -> memoryview:
        if self._packed_text is not None:
            return self._packed_text.text_for(ranges)
        if self._file.partial:
            self._file.verify_ranges({"text": ranges})
            return self._unverified_text
        for start, end in ranges:
            self._file.verify("text", start, end)
        return self._unverified_text

    def text_between(self, starts: Offsets, ends: Offsets) -> memoryview:
        if self._packed_text is not None:
            return self._packed_text.text_between(starts, ends)
        self._file.verify_all("text", starts, ends)
        return self._unverified_text

    def fields_of(self, part: int) -> Iterator[tuple[int, int, Field]]:
        try:
            yield from super().fields_of(part)
        except (KeyError, IndexError) as error:
            raise self._file.damaged(f"part {part} has a field that is none") from error

    def check(self) -> None:
        self._file.check()

    def rows(self, column: str) -> Any:
        if column not in ROW_MARKED or not self._file.partial:
            return getattr(self, column)
        with self._lock:
            try:
                return object.__getattribute__(self, column)  # all of it is there
            except AttributeError:
                if column not in self._rows:
                    self._rows.update(packed_rows(self._file, len(self.names.values)))
                return self._rows[column]

    def fetch_parts(self, parts: Iterable[int], *, sessions: bool = False) -> None:
        if not self._file.partial:
            return
        numbers = sorted(set(parts))
        messages = sorted({self.part_message[part] for part in numbers})
        rows_of_sessions = sorted({self.message_session[message] for message in messages})
        first = {"session_record_starts": [(8 * row, 8 * row + 16) for row in rows_of_sessions]}
        for name in () if sessions else ROW_MARKED:
            rows = self.rows(name)
            if isinstance(rows, PackedRows):
                of = messages if name.startswith("message") else numbers
                first[name] = [rows.place_of(row) for row in of] + [rows.place_of(row + rows.extra) for row in of]
        self._file.verify_ranges(first)
        starts = self._file.unverified("session_record_starts")
        wanted = {"session_records": [(starts[row], starts[row + 1]) for row in rows_of_sessions]}
        if sessions:
            self._file.verify_ranges(wanted)
            return
        for ids, column, some in (
            (self.message_ids, "message_id_bytes", messages),
            (self.part_ids, "part_id_bytes", numbers),
        ):
            if isinstance(ids, PrefixCodedStrings):
                wanted[column] = [ids.place_of(row) for row in some]
        self._file.verify_ranges(wanted)

    def stored_bytes(self, columns: Iterable[str]) -> int:
        """Return the bytes that these columns and their hashes take in the file."""
        return sum(end - start for start, end in self._file.places(columns))

    def load(self) -> None:
        if self._file.partial:
            self._file.prefetch(COLUMNS)

    def verify(self) -> None:
        """Read and check every column. Raises DamagedIndexError for a wrong hash or a value out of range."""
        for column in COLUMNS:
            self._file.column(column)
        for name in ("text", *_MAKERS):
            getattr(self, name)
        self.part_ids.slice_of(0, self.parts)


# Attributes that are counts, each with a column of that many values; the count comes from the directory.
_COUNTED: Final = {
    "docs": "doc_words",
    "parts": "part_flags",
    "messages": "message_role",
    "terms": "term_signatures",
}


def _sessions(_: MappedSegment, file: SegmentFile) -> SessionRows:
    records = MappedStrings(file, "session_records", "session_record_starts")
    first_message = file.column("session_first_message")
    numbers = first_message.tolist()
    if numbers != sorted(numbers) or (numbers[0], numbers[-1]) != (0, file.count("message_role")):
        raise file.damaged("the messages of its sessions are out of order")
    return SessionRows(records, first_message)


def _names(_: MappedSegment, file: SegmentFile) -> Names:
    strings = MappedStrings(file, "name_bytes", "name_starts")
    return Names.of(file.checked(lambda: [strings[number] for number in range(len(strings))]))


def _numbers_of_names(column: str) -> Callable[[MappedSegment, SegmentFile], memoryview]:
    """Return a function that reads a column of numbers of names, and checks that there are such names."""

    def read(segment: MappedSegment, file: SegmentFile) -> memoryview:
        numbers = file.column(column)
        names = memoryview(array("Q", bytes(8 * len(segment.names.values))))
        for at in range(0, len(numbers), CHECKED_AT_ONCE):
            file.checked(values_at, names, numbers[at : at + CHECKED_AT_ONCE])
        return numbers

    return read


def _roles(_: MappedSegment, file: SegmentFile) -> memoryview:
    roles = file.column("message_role")
    if bytes(roles).translate(None, bytes(range(len(ROLES)))):
        raise file.damaged("a role is not there")
    return roles


def _message_ids(segment: MappedSegment, file: SegmentFile) -> PrefixCodedStrings:
    return _ids(segment, file, "message_id", segment.message_session, SessionIds(segment.sessions))


def _part_ids(segment: MappedSegment, file: SegmentFile) -> PrefixCodedStrings:
    return _ids(segment, file, "part_id", segment.part_message, segment.message_ids)


def _ids(
    segment: MappedSegment, file: SegmentFile, name: str, owner_numbers: memoryview, owner_ids: OwnerIds
) -> PrefixCodedStrings:
    columns = (f"{name}_bytes", f"{name}_starts")
    if not file.partial:
        return PrefixCodedStrings(file, *columns, owner_numbers, owner_ids)
    return PartialIds(file, *columns, owner_numbers, owner_ids, segment.rows(columns[1]))


def _owners(firsts: str, column: str) -> Callable[[MappedSegment, SegmentFile], memoryview]:
    """Return a function that computes a column with the owner number of each row, such as the message of each part.

    The column `firsts` has the number of the first row of each owner; the result has as many rows as `column`.
    """
    return lambda segment, file: _from_firsts(segment, file, firsts, lambda found: owners(found, file.count(column)))


def _from_firsts(
    segment: MappedSegment, file: SegmentFile, firsts: str, make: Callable[[memoryview], memoryview]
) -> memoryview:
    """Return make(the column `firsts`), which raises ValueError for numbers out of range; the checked column is kept
    where it is an attribute.
    """
    found = file.column(firsts)
    made = file.checked(make, found)
    if firsts in field_names(Segment):
        object.__setattr__(segment, firsts, found)
    return made


def _firsts(name: str, derived: str) -> Callable[[MappedSegment, SegmentFile], memoryview]:
    """Return a function that reads the column `name` of numbers of first rows: computing the attribute `derived` from
    it, which most readers need as well, checks and keeps it.
    """

    def read(segment: MappedSegment, _: SegmentFile) -> memoryview:
        getattr(segment, derived)
        column: memoryview = object.__getattribute__(segment, name)
        return column

    return read


def _part_start(segment: MappedSegment, file: SegmentFile) -> memoryview:
    return _from_firsts(segment, file, "part_first_field", lambda found: values_at(segment.field_start, found))


def _vocabulary(_: MappedSegment, file: SegmentFile) -> Vocabulary:
    if not file.partial:
        return file.checked(Vocabulary, *map(file.column, VOCABULARY))
    columns = [file.unverified(name) if name in PIECEMEAL else file.column(name) for name in VOCABULARY]
    return file.checked(partial(Vocabulary, partial=PartialTerms(file)), *columns)


def _postings(_: MappedSegment, file: SegmentFile) -> Postings:
    if not file.partial:
        return file.checked(Postings, *map(file.column, POSTINGS))
    columns = {name: file.unverified(name) if name in PIECEMEAL else file.column(name) for name in POSTINGS}
    return file.checked(partial(Postings, loader=PostingLoader(file, columns)), *columns.values())


def _doc_start(segment: MappedSegment, file: SegmentFile) -> memoryview:
    return file.checked(piece_starts, segment.part_start, segment.part_first_doc, file.column("doc_sizes"))


_MAKERS: Final[dict[str, Callable[[MappedSegment, SegmentFile], Any]]] = {
    **{name: _numbers_of_names(name) for name in NAMED},
    "sessions": _sessions,
    "names": _names,
    "message_session": _owners("session_first_message", "message_role"),
    "message_role": _roles,
    "message_first_part": _firsts("message_first_part", "part_message"),
    "message_ids": _message_ids,
    "part_message": _owners("message_first_part", "part_flags"),
    "part_ids": _part_ids,
    "part_first_doc": _firsts("part_first_doc", "doc_part"),
    "part_first_field": _firsts("part_first_field", "part_start"),
    "part_start": _part_start,
    "doc_part": _owners("part_first_doc", "doc_words"),
    "doc_start": _doc_start,
    "vocabulary": _vocabulary,
    "postings": _postings,
    "doc_columns": lambda segment, file: file.checked(DocColumns, *(getattr(segment, name) for name in DOC_COLUMNS)),
}
