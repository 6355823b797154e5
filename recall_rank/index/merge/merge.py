"""Merge several segments into one without their deleted sessions, and without tokenising their texts again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.index.postings import Postings
from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank.index.merge.postings import merged_postings
from recall_rank.index.merge.rows import Taken, taken
from recall_rank.index.merge.terms import merged_terms
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.columns import COLUMNS, DERIVED, DOC_COLUMNS
from recall_rank.index.segment.segment import Segment, SessionRow
from recall_rank.index.segment.strings import Names, Strings

if TYPE_CHECKING:
    import numpy.typing as npt

# columns: of what they have a row, what their values count, if anything, and whether they end with one row more
_COLUMNS = {
    "session_talk": ("session", None, False),
    "message_session": ("message", "session", False),
    "message_role": ("message", None, False),
    "message_time": ("message", None, False),
    "message_first_part": ("message", "part", True),
    "message_asked": ("message", "message", False),
    "part_message": ("part", "message", False),
    "part_flags": ("part", None, False),
    "part_start": ("part", "byte", True),
    "part_first_doc": ("part", "document", True),
    "part_first_field": ("part", "field", True),
    "field_start": ("field", "byte", True),
    "doc_start": ("document", "byte", True),
    "doc_part": ("document", "part", False),
    "doc_words": ("document", None, False),
    "doc_class": ("document", None, False),
    "folded_part": ("folded part", "part", False),
    "folded_start": ("folded part", "folded byte", True),
}
_NAMED = {"message_author": "message", "part_type": "part", "part_tool": "part"}


def merge(segments: Sequence[Segment], dead: Sequence[Collection[int]]) -> Segment:
    """One segment of the live sessions, equal column for column to a segment built from them.

    dead[k] are the row numbers of the deleted sessions of segments[k]. Raises DamagedIndexError when a segment comes
    from a damaged file.
    """
    reader = IndexReader(segments, dead)
    rows = taken(reader)
    columns = {name: _column(rows, name, *row) for name, row in _COLUMNS.items()}
    names, numbers = _names(rows, columns)
    views = {name: view(column) for name, column in (columns | numbers).items()}
    terms = merged_terms([segment.vocabulary for segment in segments])
    postings = merged_postings(reader, rows, terms)
    held = np.frombuffer(postings.frequencies(), np.uint32) > 0
    return Segment(
        sessions=tuple(_sessions(rows)),
        message_ids=_strings(rows, "message_ids", "message"),
        part_ids=_strings(rows, "part_ids", "part"),
        text=_text(rows, "text", "byte"),
        folded_text=bytes(_text(rows, "folded_text", "folded byte")),
        names=names,
        vocabulary=Vocabulary(*(view(column) for column in terms.columns(held))),
        postings=Postings(*postings.finish()),
        doc_columns=DocColumns(*(views[name] for name in DOC_COLUMNS)),
        **views,
    )


def part_rows(reader: IndexReader) -> npt.NDArray[np.int64]:
    """The numbers, over all segments, of the parts that merge() keeps, in the order of the merged segment."""
    first = [view.first_part for view in reader.views]
    numbers = [np.arange(row.first["part"], row.last["part"]) + first[row.piece] for row in taken(reader)]
    return np.concatenate([np.empty(0, np.int64), *numbers])


def view(column: npt.NDArray[Any]) -> memoryview:
    """The column as a memoryview of its type code, the form of the columns of a Segment."""
    code = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i8": "q"}[column.dtype.str[1:]]
    data = np.ascontiguousarray(column).data.cast("B") if len(column) else memoryview(b"")
    return data.cast(code)  # type: ignore[call-overload, no-any-return]


def _column(rows: Sequence[Taken], name: str, kind: str, counted: str | None, ends: bool) -> npt.NDArray[Any]:
    """One merged column: the kept rows of each segment; row numbers of kind `counted` are shifted to the merged
    rows.
    """
    pieces = []
    end = 0
    for row in rows:
        own = np.asarray(getattr(row.segment, name))[row.first[kind] : row.last[kind]]
        if counted is not None:
            shift = row.place[counted] - row.first[counted]
            end = row.place[counted] + row.last[counted] - row.first[counted]
            own = (own.astype(np.int64) + shift).astype(own.dtype) if shift else own
        pieces.append(own)
    dtype = np.dtype(DERIVED.get(name) or COLUMNS[name].code)
    if ends:
        pieces.append(np.array([end], dtype))
    return np.concatenate([np.empty(0, dtype), *pieces]).astype(dtype, copy=False)


def _names(
    rows: Sequence[Taken], columns: dict[str, npt.NDArray[Any]]
) -> tuple[Names, dict[str, npt.NDArray[np.uint32]]]:
    """The distinct names of the kept rows, numbered in order of appearance, and the columns of their numbers."""
    values: list[str | None] = [None]
    bases: dict[int, int] = {}  # of each segment, what makes the numbers of its names differ from those of others
    for row in rows:
        if row.piece not in bases:
            bases[row.piece] = len(values) - 1
            values += row.segment.names.values[1:]
    coded = {}
    for name, kind in _NAMED.items():
        own = [np.asarray(getattr(row.segment, name))[row.first[kind] : row.last[kind]] for row in rows]
        moved = [np.where(some > 0, some + bases[row.piece], 0) for row, some in zip(rows, own, strict=True)]
        coded[name] = np.concatenate([np.empty(0, np.uint32), *moved]).astype(np.int64)
    # a builder meets a message's author, then of each of its parts the type and the tool
    messages, parts = len(coded["message_author"]), len(coded["part_type"])
    met = {
        "message_author": np.arange(messages) + 2 * columns["message_first_part"][:messages].astype(np.int64),
        "part_type": columns["part_message"].astype(np.int64) + 1 + 2 * np.arange(parts),
    }
    met["part_tool"] = met["part_type"] + 1
    never = np.iinfo(np.int64).max
    first_met = np.full(len(values), never)
    for name, codes in coded.items():
        first = np.full(len(values), never)
        first[codes[::-1]] = met[name][::-1]  # of several, the last that is written stays
        first_met = np.minimum(first_met, first)
    names = Names()
    numbers = np.zeros(len(values), np.uint32)
    for code in np.argsort(first_met, kind="stable").tolist():
        if code and first_met[code] != never:
            numbers[code] = names.number(values[code])
    return names, {name: numbers[codes] for name, codes in coded.items()}


def _sessions(rows: Iterable[Taken]) -> Iterable[SessionRow]:
    for row in rows:
        shift = row.place["message"] - row.first["message"]
        for own in row.segment.sessions[row.first["session"] : row.last["session"]]:
            first, last = own.first_message + shift, own.last_message + shift
            yield replace(own, first_message=first, last_message=last) if shift else own


def _strings(rows: Iterable[Taken], name: str, kind: str) -> Strings:
    data = bytearray()
    starts = [np.zeros(1, np.uint64)]
    for row in rows:
        own, own_starts = getattr(row.segment, name).stretch(row.first[kind], row.last[kind]).buffers()
        places = np.asarray(own_starts).astype(np.int64)
        starts.append((places[1:] + (len(data) - places[0])).astype(np.uint64))
        data += own[places[0] : places[-1]]
    return Strings(bytes(data), view(np.concatenate(starts)))


def _text(rows: Iterable[Taken], name: str, kind: str) -> bytearray:
    text = bytearray()
    for row in rows:
        text += memoryview(getattr(row.segment, name))[row.first[kind] : row.last[kind]]
    return text
