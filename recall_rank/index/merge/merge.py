"""Merge segments into one without their deleted sessions and without tokenizing their texts again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.index.postings import Postings
from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank.index.merge.postings import merged_postings
from recall_rank.index.merge.rows import SourceRows, source_rows
from recall_rank.index.merge.terms import merged_terms
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.columns import COLUMNS, DERIVED, DOC_COLUMNS
from recall_rank.index.segment.segment import Segment, SessionRow
from recall_rank.index.segment.strings import Names, Strings
from recall_rank.model.record_classes import replace

if TYPE_CHECKING:
    import numpy.typing as npt

COPIED_BYTES: Final = 1 << 20  # of text, that are copied at once


class _ColumnRule(NamedTuple):
    """The rule by which merge() copies a column: the kind of its rows, and the kind of row whose numbers are its
    values, if any.
    """

    rows: str  # the kind of row, one of KINDS, that has a value
    values: str | None  # the kind of row that the values number or count; None: values are copied as they are
    has_end: bool  # one more value follows the last row


_COLUMNS = {
    "session_talk": _ColumnRule("session", None, False),
    "message_session": _ColumnRule("message", "session", False),
    "message_role": _ColumnRule("message", None, False),
    "message_time": _ColumnRule("message", None, False),
    "message_first_part": _ColumnRule("message", "part", True),
    "message_asked": _ColumnRule("message", "message", False),
    "part_message": _ColumnRule("part", "message", False),
    "part_flags": _ColumnRule("part", None, False),
    "part_start": _ColumnRule("part", "byte", True),
    "part_first_doc": _ColumnRule("part", "document", True),
    "part_first_field": _ColumnRule("part", "field", True),
    "field_start": _ColumnRule("field", "byte", True),
    "doc_start": _ColumnRule("document", "byte", True),
    "doc_part": _ColumnRule("document", "part", False),
    "doc_words": _ColumnRule("document", None, False),
    "doc_class": _ColumnRule("document", None, False),
    "folded_part": _ColumnRule("folded part", "part", False),
    "folded_start": _ColumnRule("folded part", "folded byte", True),
}
_NAME_COLUMNS = {"message_author": "message", "part_type": "part", "part_tool": "part"}


def merge(
    segments: Sequence[Segment],
    dead: Sequence[Collection[int]],
    changed: Callable[[SessionRow], SessionRow] | None = None,
) -> Segment:
    """Return the segment that build() would make of the sessions that are not deleted, equal in every column.

    dead[k] are the row numbers of the deleted sessions of segments[k]. The rows of sessions are stored as `changed`
    returns them, which must leave their messages as they are. Raises DamagedIndexError when a segment is
    mapped from a damaged file.
    """
    reader = IndexReader(segments, dead)
    reader.check()
    for segment in segments:
        segment.load()
    rows = source_rows(reader)
    columns = {name: _column(rows, name, rule) for name, rule in _COLUMNS.items()}
    names, name_columns = _names(rows, columns)
    views = {name: view(column) for name, column in (columns | name_columns).items()}
    terms = merged_terms([segment.vocabulary for segment in segments])
    postings = merged_postings(reader, rows, terms)
    used_terms = np.frombuffer(postings.frequencies(), np.uint32) > 0
    return Segment(
        sessions=tuple(_sessions(rows) if changed is None else map(changed, _sessions(rows))),
        message_ids=_strings(rows, "message_ids", "message"),
        part_ids=_strings(rows, "part_ids", "part"),
        text=_text(rows),
        folded_text=_folded_text(rows),
        names=names,
        vocabulary=Vocabulary(*(view(column) for column in terms.columns(used_terms))),
        postings=Postings(*postings.finish()),
        doc_columns=DocColumns(*(views[name] for name in DOC_COLUMNS)),
        **views,
    )


def rows_of(reader: IndexReader, kind: Literal["part", "message"]) -> npt.NDArray[np.int64]:
    """Return the numbers, i64, of the parts or messages that merge() copies, in the order of the merged segment.

    The number of a row is that in `reader`, which counts the rows of all segments.
    """
    first = [view.first_part if kind == "part" else view.first_message for view in reader.views]
    numbers = [np.arange(row.first[kind], row.last[kind]) + first[row.segment_number] for row in source_rows(reader)]
    return np.concatenate([np.empty(0, np.int64), *numbers])


def view(column: npt.NDArray[Any]) -> memoryview:
    """Return a column of u8, u16, u32, u64 or i64 as a memoryview of format B, H, I, Q or q.

    A column that is not contiguous is copied.
    """
    code = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i8": "q"}[column.dtype.str[1:]]
    data = np.ascontiguousarray(column).data.cast("B") if len(column) else memoryview(b"")
    return data.cast(code)  # type: ignore[call-overload, no-any-return]


def _column(rows: Sequence[SourceRows], name: str, rule: _ColumnRule) -> npt.NDArray[Any]:
    """Return the column `name` of the merged segment: the copied rows of all segments, one after the other.

    Values that are row numbers are changed to those of the merged segment.
    """
    chunks = []
    end = 0
    for row in rows:
        own = np.asarray(getattr(row.segment, name))[row.first[rule.rows] : row.last[rule.rows]]
        if rule.values is not None:
            shift = row.target[rule.values] - row.first[rule.values]
            end = row.target[rule.values] + row.last[rule.values] - row.first[rule.values]
            own = (own.astype(np.int64) + shift).astype(own.dtype) if shift else own
        chunks.append(own)
    dtype = np.dtype(DERIVED.get(name) or COLUMNS[name].code)
    if rule.has_end:
        chunks.append(np.array([end], dtype))
    return np.concatenate([np.empty(0, dtype), *chunks]).astype(dtype, copy=False)


def _names(
    rows: Sequence[SourceRows], columns: dict[str, npt.NDArray[Any]]
) -> tuple[Names, dict[str, npt.NDArray[np.uint32]]]:
    """Return the Names of the merged segment, and a mapping from the name of each column of names to that column, u32.

    A column of names has a number in Names for each row; its values are few, such as the names of tools. Only names in
    use are kept, numbered in the order in which build() meets them.
    """
    values: list[str | None] = [None]
    bases: dict[int, int] = {}  # by segment: the offset that makes its name numbers unique among all segments
    for row in rows:
        if row.segment_number not in bases:
            bases[row.segment_number] = len(values) - 1
            values += row.segment.names.values[1:]
    codes_of = {}
    for name, kind in _NAME_COLUMNS.items():
        own = [np.asarray(getattr(row.segment, name))[row.first[kind] : row.last[kind]] for row in rows]
        moved = [np.where(some > 0, some + bases[row.segment_number], 0) for row, some in zip(rows, own, strict=True)]
        codes_of[name] = np.concatenate([np.empty(0, np.uint32), *moved]).astype(np.int64)
    # the order in which build() meets names: the author of a message, then type and tool of each of its parts
    message_count, part_count = len(codes_of["message_author"]), len(codes_of["part_type"])
    met_at = {
        "message_author": np.arange(message_count) + 2 * columns["message_first_part"][:message_count].astype(np.int64),
        "part_type": columns["part_message"].astype(np.int64) + 1 + 2 * np.arange(part_count),
    }
    met_at["part_tool"] = met_at["part_type"] + 1
    never = np.iinfo(np.int64).max
    first_met = np.full(len(values), never)
    for name, codes in codes_of.items():
        first = np.full(len(values), never)
        first[codes[::-1]] = met_at[name][
            ::-1
        ]  # reversed: of several assignments to a code, the earliest row is written last
        first_met = np.minimum(first_met, first)
    names = Names()
    numbers = np.zeros(len(values), np.uint32)
    for code in np.argsort(first_met, kind="stable").tolist():
        if code and first_met[code] != never:
            numbers[code] = names.number(values[code])
    return names, {name: numbers[codes] for name, codes in codes_of.items()}


def _sessions(rows: Iterable[SourceRows]) -> Iterable[SessionRow]:
    """Yield the rows of the copied sessions, with the numbers that their messages have in the merged segment."""
    for row in rows:
        shift = row.target["message"] - row.first["message"]
        for own in row.segment.sessions[row.first["session"] : row.last["session"]]:
            first, last = own.first_message + shift, own.last_message + shift
            yield replace(own, first_message=first, last_message=last) if shift else own


def _strings(rows: Iterable[SourceRows], name: str, kind: str) -> Strings:
    """Return the column of strings `name` of the merged segment, with one string for each row of `kind`, such as
    "message".
    """
    data = bytearray()
    starts = [np.zeros(1, np.uint64)]
    for row in rows:
        own, own_starts = getattr(row.segment, name).slice_of(row.first[kind], row.last[kind]).buffers()
        offsets = np.asarray(own_starts).astype(np.int64)
        starts.append((offsets[1:] + (len(data) - offsets[0])).astype(np.uint64))
        data += own[offsets[0] : offsets[-1]]
    return Strings(bytes(data), view(np.concatenate(starts)))


def _text(rows: Iterable[SourceRows]) -> bytearray:
    """Return the text of the merged segment. That of a source is asked for piece by piece, because one that is packed
    is unpacked as far as it was asked for.
    """
    text = bytearray()
    for row in rows:
        for start in range(row.first["byte"], row.last["byte"], COPIED_BYTES):
            end = min(start + COPIED_BYTES, row.last["byte"])
            text += memoryview(row.segment.text_for(((start, end),)))[start:end]
    return text


def _folded_text(rows: Iterable[SourceRows]) -> bytes:
    """Return the lower-cased text of the parts `folded_part` of the merged segment."""
    text = bytearray()
    for row in rows:
        text += memoryview(row.segment.folded_text)[row.first["folded byte"] : row.last["folded byte"]]
    return bytes(text)
