"""A segment over a mapped file, whose columns are read, verified and decoded on first use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from recall_rank._core.index.derived_columns import owners, piece_starts, values_at
from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.index.postings import Postings
from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank.index.segment.columns import COLUMNS, DOC_COLUMNS, POSTINGS, VOCABULARY
from recall_rank.index.segment.segment import Offsets, Segment
from recall_rank.index.segment.session_rows import SessionRows
from recall_rank.index.segment.strings import Names
from recall_rank.index.storage.mapped_strings import MappedStrings, PrefixCodedStrings, SessionIds
from recall_rank.index.storage.segment_file import SegmentFile
from recall_rank.model.record_classes import field_names


class MappedSegment(Segment):
    """A Segment over a SegmentFile. Each attribute is computed on first access. Thread-safe.

    A column is verified before it is returned; accessing one whose hashes do not match raises DamagedIndexError. Ids
    and session records are verified block by block as they are read, and so is the text in the ranges given to
    text_for() and text_between(). Derived columns, vocabulary, postings and doc_columns also check the ranges of their
    values, so that even a file with forged hashes cannot cause reads out of bounds.
    """

    __slots__ = ("_file", "_lock", "_unverified_text", "docs", "messages", "parts", "terms")

    _file: SegmentFile
    _lock: threading.RLock
    _unverified_text: memoryview
    docs: int
    parts: int
    messages: int
    terms: int

    def __init__(self, file: SegmentFile) -> None:
        object.__setattr__(self, "_file", file)
        object.__setattr__(self, "_lock", threading.RLock())
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
                value = self._file.column(name) if make is None else make(self, self._file)
            object.__setattr__(self, name, value)
            return value

    @property
    def path(self) -> Path:
        """The path of the segment's file."""
        return Path(self._file.name)

    def span_of(self, session: int) -> tuple[int, int]:
        first_message = self._file.column("session_first_message")
        return first_message[session], first_message[session + 1]

    def text_for(self, ranges: Iterable[tuple[int, int]]) -> memoryview:
        for start, end in ranges:
            self._file.verify("text", start, end)
        return self._unverified_text

    def text_between(self, starts: Offsets, ends: Offsets) -> memoryview:
        self._file.verify_all("text", starts, ends)
        return self._unverified_text

    def check(self) -> None:
        self._file.check()

    def verify(self) -> None:
        """Read and check every column. Raises DamagedIndexError for a wrong hash or a value out of range."""
        for column in COLUMNS:
            self._file.column(column)
        for name in _MAKERS:
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
    return SessionRows(records, file.column("session_first_message"))


def _names(_: MappedSegment, file: SegmentFile) -> Names:
    values = MappedStrings(file, "name_bytes", "name_starts")
    return Names.of(values[number] for number in range(len(values)))


def _message_ids(segment: MappedSegment, file: SegmentFile) -> PrefixCodedStrings:
    return PrefixCodedStrings(
        file, "message_id_bytes", "message_id_starts", segment.message_session, SessionIds(segment.sessions)
    )


def _part_ids(segment: MappedSegment, file: SegmentFile) -> PrefixCodedStrings:
    return PrefixCodedStrings(file, "part_id_bytes", "part_id_starts", segment.part_message, segment.message_ids)


def _owners(firsts: str, column: str) -> Callable[[MappedSegment, SegmentFile], memoryview]:
    """Return a function that computes a column with the owner number of each row, such as the message of each part.

    The column `firsts` has the number of the first row of each owner; the result has as many rows as `column`.
    """
    return lambda segment, file: file.checked(owners, _column(segment, file, firsts), file.count(column))


def _column(segment: MappedSegment, file: SegmentFile, name: str) -> memoryview:
    column: memoryview = getattr(segment, name) if name in field_names(Segment) else file.column(name)
    return column


def _doc_start(segment: MappedSegment, file: SegmentFile) -> memoryview:
    return file.checked(piece_starts, segment.part_start, segment.part_first_doc, file.column("doc_sizes"))


_MAKERS: Final[dict[str, Callable[[MappedSegment, SegmentFile], Any]]] = {
    "sessions": _sessions,
    "names": _names,
    "message_session": _owners("session_first_message", "message_role"),
    "message_ids": _message_ids,
    "part_message": _owners("message_first_part", "part_flags"),
    "part_ids": _part_ids,
    "part_start": lambda segment, file: file.checked(values_at, segment.field_start, segment.part_first_field),
    "doc_part": _owners("part_first_doc", "doc_words"),
    "doc_start": _doc_start,
    "vocabulary": lambda _, file: file.checked(Vocabulary, *map(file.column, VOCABULARY)),
    "postings": lambda _, file: file.checked(Postings, *map(file.column, POSTINGS)),
    "doc_columns": lambda segment, file: file.checked(DocColumns, *(getattr(segment, name) for name in DOC_COLUMNS)),
}
