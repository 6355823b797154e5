"""PartColumns: the columns of one segment that describe a part, its message and its session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from recall_rank.index.reader.concat_column import ReaderColumn
from recall_rank.index.segment.segment import Segment, SessionRow, Text
from recall_rank.index.segment.strings import Names, Strings
from recall_rank.model.record_classes import field_names, frozen


@frozen
class PartColumns:
    """The columns of one segment that tell of a part, its message and its session, looked up once for all results."""

    sessions: Sequence[SessionRow]
    message_ids: Strings
    message_session: memoryview
    message_role: memoryview
    message_author: memoryview
    message_time: memoryview
    part_ids: Strings
    part_message: memoryview
    part_type: ReaderColumn[int]
    part_tool: ReaderColumn[int]
    part_flags: ReaderColumn[int]
    part_first_field: memoryview
    field_start: memoryview
    doc_start: memoryview
    text_for: Callable[[Iterable[tuple[int, int]]], Text]
    names: Names

    @classmethod
    def of(cls, segment: Segment) -> PartColumns:
        """Look up the columns of a segment."""
        return cls(*(segment.rows(name) for name in field_names(cls)))
