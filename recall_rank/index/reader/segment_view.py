"""A segment among those that are searched together, and what of it is left."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from recall_rank._core.index.ranges import held_in
from recall_rank._core.search.column_filters import keep_marks

if TYPE_CHECKING:
    from recall_rank.index.segment.segment import Segment

Marks = bytearray | memoryview
Places: TypeAlias = "array[int] | memoryview"
Stretch = tuple[int, int]


class SegmentView:
    """A segment, where its rows begin in the numbering of all segments, and which of its sessions are left.

    `sessions` are the stretches [first, last) of rows that are left, None when all are.
    """

    __slots__ = (
        *("_averages", "_docs", "_gone", "_messages", "_parts"),
        *("first_doc", "first_message", "first_part", "first_term", "segment", "sessions"),
    )

    def __init__(
        self,
        segment: Segment,
        first_message: int = 0,
        first_part: int = 0,
        first_doc: int = 0,
        first_term: int = 0,
        sessions: Sequence[Stretch] | None = None,
    ) -> None:
        self.segment = segment
        self.first_message = first_message
        self.first_part = first_part
        self.first_doc = first_doc
        self.first_term = first_term
        self.sessions = sessions
        self._messages: list[Stretch] | None = None
        self._parts: bytearray | None = None
        self._docs: bytearray | None = None
        self._gone: tuple[array[int], array[int]] | None = None
        self._averages: tuple[int, int] | None = None

    @property
    def session_count(self) -> int:
        """How many sessions are left."""
        return len(self.segment.sessions) if self.sessions is None else sum(b - a for a, b in self.sessions)

    def stretches(self) -> list[Stretch]:
        """The messages that are left."""
        if self.sessions is None:
            return [(0, self.segment.messages)]
        if self._messages is None:
            span = self.segment.span_of
            self._messages = [(span(first)[0], span(last - 1)[1]) for first, last in self.sessions]
        return self._messages

    def part_stretches(self) -> list[Stretch]:
        """The parts that are left."""
        first_part = self.segment.message_first_part
        return [(first_part[first], first_part[last]) for first, last in self.stretches()]

    def before(self, message: int, part: int) -> tuple[int, int, int]:
        """How many of the sessions that are left stand before part number `part` of all, which is of message number
        `message`, and how many messages and parts do, titles not counted."""
        message, part = message - self.first_message, part - self.first_part
        whole = said = parts = 0
        first_part = self.segment.message_first_part
        session_of = self.segment.message_session
        sessions = [(0, len(self.segment.sessions))] if self.sessions is None else self.sessions
        for (first, last), (begin, end) in zip(sessions, self.stretches(), strict=True):
            if end <= message:
                whole += last - first
                said += end - begin - (last - first)
                parts += first_part[end] - first_part[begin] - (last - first)
            elif begin < message:
                titles = session_of[message - 1] + 1 - first  # each of one part
                whole += session_of[message] - first
                said += message - begin - titles
                parts += part - first_part[begin] - titles
        return whole, said, parts

    def doc_stretches(self) -> list[Stretch]:
        """The documents that are left."""
        first_doc = self.segment.part_first_doc
        return [(first_doc[first], first_doc[last]) for first, last in self.part_stretches()]

    # --- marks: u8 a row of all segments, or None for all that is left -----------------------------------

    def messages_in(self, marks: bytearray) -> Marks:
        """This segment's stretch of marks of messages."""
        return _own(marks, self.first_message, self.segment.messages)

    def parts_in(self, marks: bytearray) -> Marks:
        """This segment's stretch of marks of parts."""
        return _own(marks, self.first_part, self.segment.parts)

    def docs_in(self, marks: bytearray) -> Marks:
        """This segment's stretch of marks of documents."""
        return _own(marks, self.first_doc, self.segment.docs)

    def parts_of(self, marks: bytearray | None) -> Marks | None:
        """The same; for None marks of the parts that are left, None when all are."""
        if marks is not None:
            return self.parts_in(marks)
        if self.sessions is None:
            return None
        if self._parts is None:
            self._parts = _marked(self.segment.parts, self.part_stretches())
        return self._parts

    def docs_of(self, marks: bytearray | None) -> Marks | None:
        """Likewise of documents."""
        if marks is not None:
            return self.docs_in(marks)
        if self.sessions is None:
            return None
        if self._docs is None:
            self._docs = _marked(self.segment.docs, self.doc_stretches())
        return self._docs

    def only(self, marks: bytearray | None) -> Marks | None:
        """Marks of the parts that are left, and of these the marked ones; None where that leaves none out."""
        left = self.parts_of(None)
        if marks is None or left is None:
            return self.parts_of(marks)
        both = bytearray(self.parts_in(marks))
        keep_marks(both, left, True)
        return both

    # --- statistics: of the documents that are marked, or for None of those that are left ------------------

    def frequency_between(self, start: int, end: int) -> Callable[[int, int], int]:
        """The same for the documents [start, end) of this segment, without a look at all others."""
        postings, starts, ends = self.segment.postings, array("I", [start]), array("I", [end])
        return lambda first, last: held_in(postings, first, last, starts, ends)

    def frequency(self, marks: bytearray | None) -> Callable[[int, int], int]:
        """What tells how many documents hold the terms [first, last), summed over the terms."""
        postings = self.segment.postings
        if marks is not None:
            own = self.docs_in(marks)
            return lambda first, last: postings.frequency(first, last, own)
        if self.sessions is None:
            return postings.frequency
        starts, ends = self._gone_docs()
        return lambda first, last: max(
            0, postings.frequency(first, last) - held_in(postings, first, last, starts, ends)
        )

    def _gone_docs(self) -> tuple[array[int], array[int]]:
        """Where the documents that are gone begin and end."""
        if self._gone is None:
            left = self.doc_stretches()
            starts = array("I", [0, *(last for _, last in left)])
            self._gone = starts, array("I", [*(first for first, _ in left), self.segment.docs])
        return self._gone

    def averages(self, marks: bytearray | None) -> tuple[int, int]:
        """(documents, words)."""
        if marks is not None:
            return self.segment.doc_columns.averages(self.docs_of(marks))
        if self._averages is None:
            self._averages = self.segment.doc_columns.averages(self.docs_of(None))
        return self._averages


def _own(marks: bytearray, first: int, count: int) -> Marks:
    return marks if first == 0 and count == len(marks) else memoryview(marks)[first : first + count]


def _marked(size: int, stretches: Sequence[Stretch]) -> bytearray:
    marks = bytearray(size)
    for first, last in stretches:
        marks[first:last] = b"\1" * (last - first)
    return marks
