"""SegmentView: one segment of an IndexReader, with its live sessions and its place in the reader's numbering."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from recall_rank.index.reader.part_columns import PartColumns
from recall_rank.index.segment.segment import Segment

if TYPE_CHECKING:
    from recall_rank.index.vectors.segment_vectors import CountedVectors, SegmentVectors

Marks = bytearray | memoryview  # u8 a row, not 0 where the row is marked
Stretch = tuple[int, int]  # rows [first, last)


class SegmentView:
    """One segment of a reader, the reader's numbers of its first rows, and its live sessions.

    `sessions` are the ranges [first, last) of live, that is not deleted, sessions in the segment's numbering; None when
    all are live. `dead` are the numbers of the deleted sessions; raises IndexError for a number that no session has.
    """

    __slots__ = (
        *("_averages", "_dead_docs", "_docs", "_messages", "_part_columns", "_parts"),
        *("first_doc", "first_message", "first_part", "first_term", "segment", "sessions"),
        *("counted_vectors", "telling_words", "vectors"),
    )

    def __init__(
        self,
        segment: Segment,
        first_message: int = 0,
        first_part: int = 0,
        first_doc: int = 0,
        first_term: int = 0,
        dead: Collection[int] = (),
    ) -> None:
        self.segment = segment
        self.first_message = first_message
        self.first_part = first_part
        self.first_doc = first_doc
        self.first_term = first_term
        self.sessions = _live(len(segment.sessions), dead) if dead else None
        self.vectors: SegmentVectors | None = None  # replaced as a whole when more passages have one
        self.counted_vectors: CountedVectors | None = None  # a cache of semantic.nearest
        self.telling_words: frozenset[bytes] | None = None  # a cache of search.expansion.languages
        self._messages: list[Stretch] | None = None
        self._parts: bytearray | None = None
        self._docs: bytearray | None = None
        self._dead_docs: tuple[array[int], array[int]] | None = None
        self._averages: tuple[int, int] | None = None
        self._part_columns: PartColumns | None = None

    @property
    def part_columns(self) -> PartColumns:
        """The columns that describe a part, looked up on first use and cached."""
        if self._part_columns is None:
            self._part_columns = PartColumns.of(self.segment)
        return self._part_columns

    @property
    def session_count(self) -> int:
        """The number of live sessions."""
        return len(self.segment.sessions) if self.sessions is None else sum(b - a for a, b in self.sessions)

    def stretches(self) -> list[Stretch]:
        """Return the ranges [first, last) of messages of live sessions, in the segment's numbering."""
        if self.sessions is None:
            return [(0, self.segment.messages)]
        if self._messages is None:
            span = self.segment.span_of
            self._messages = [(span(first)[0], span(last - 1)[1]) for first, last in self.sessions]
        return self._messages

    def part_stretches(self) -> list[Stretch]:
        """Return the ranges [first, last) of parts of live sessions, in the segment's numbering."""
        first_part = self.segment.message_first_part
        return [(first_part[first], first_part[last]) for first, last in self.stretches()]

    def doc_stretches(self) -> list[Stretch]:
        """Return the ranges [first, last) of documents of live sessions, in the segment's numbering."""
        first_doc = self.segment.part_first_doc
        return [(first_doc[first], first_doc[last]) for first, last in self.part_stretches()]

    def before(self, message: int, part: int) -> tuple[int, int, int]:
        """Return how many live sessions, messages and parts of this segment precede a part, titles not counted.

        `part` and its message `message` are numbers of the reader, and may lie in another segment. A session is
        counted when all of its messages precede the part.
        """
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
                titles = session_of[message - 1] + 1 - first  # each title has one part
                whole += session_of[message] - first
                said += message - begin - titles
                parts += part - first_part[begin] - titles
        return whole, said, parts

    # --- marks: u8 a row of all segments, or None for the live rows ----------------------------------------

    def messages_in(self, marks: bytearray) -> Marks:
        """Return the slice of `marks`, u8[messages of all segments], for this segment, as a writable view."""
        return _own(marks, self.first_message, self.segment.messages)

    def parts_in(self, marks: bytearray) -> Marks:
        """Return the slice of `marks`, u8[parts of all segments], for this segment, as a writable view."""
        return _own(marks, self.first_part, self.segment.parts)

    def docs_in(self, marks: bytearray) -> Marks:
        """Return the slice of `marks`, u8[docs of all segments], for this segment, as a writable view."""
        return _own(marks, self.first_doc, self.segment.docs)

    def parts_of(self, marks: bytearray | None) -> Marks | None:
        """Return the slice of `marks`, u8[parts of all segments], for this segment.

        When `marks` is None, the result marks the parts of live sessions; it is None when all sessions are live.
        """
        if marks is not None:
            return self.parts_in(marks)
        if self.sessions is None:
            return None
        if self._parts is None:
            self._parts = _marked(self.segment.parts, self.part_stretches())
        return self._parts

    def docs_of(self, marks: bytearray | None) -> Marks | None:
        """Return the slice of `marks`, u8[docs of all segments], for this segment.

        When `marks` is None, the result marks the documents of live sessions; it is None when all sessions are live.
        """
        if marks is not None:
            return self.docs_in(marks)
        if self.sessions is None:
            return None
        if self._docs is None:
            self._docs = _marked(self.segment.docs, self.doc_stretches())
        return self._docs

    # --- statistics ------------------------------------------------------------------------------------------

    def frequency_between(self, start: int, end: int) -> Callable[[int, int], int]:
        """Return a function that counts documents of this segment from `start` to before `end` by term.

        The function takes (first, last) and returns the number of these documents that hold a term, summed over the
        terms [first, last). It reads only the blocks of postings that contain these documents.
        """
        postings, starts, ends = self.segment.postings, array("I", [start]), array("I", [end])
        return lambda first, last: postings.frequency_in(first, last, starts, ends)

    def frequency(self, marks: bytearray | None) -> Callable[[int, int], int]:
        """Return a function that counts marked documents of this segment by term.

        The function takes (first, last) and returns the number of marked documents that hold a term, summed over the
        terms [first, last). `marks` is u8[docs of all segments]; None marks the documents of live sessions.
        """
        postings = self.segment.postings
        if marks is not None:
            own = self.docs_in(marks)
            return lambda first, last: postings.frequency(first, last, own)
        if self.sessions is None:
            return postings.frequency
        starts, ends = self._dead_ranges()
        return lambda first, last: max(
            0, postings.frequency(first, last) - postings.frequency_in(first, last, starts, ends)
        )

    def _dead_ranges(self) -> tuple[array[int], array[int]]:
        """Return the ranges of documents of deleted sessions as two arrays u32: (starts, ends)."""
        if self._dead_docs is None:
            live = self.doc_stretches()
            starts = array("I", [0, *(last for _, last in live)])
            self._dead_docs = starts, array("I", [*(first for first, _ in live), self.segment.docs])
        return self._dead_docs

    def averages(self, marks: bytearray | None) -> tuple[int, int]:
        """Return (documents, words): how many documents of this segment are marked, and how many words they have
        together.

        `marks` is u8[docs of all segments]; None counts the documents of live sessions.
        """
        if marks is not None:
            return self.segment.doc_columns.averages(self.docs_of(marks))
        if self._averages is None:
            self._averages = self.segment.doc_columns.averages(self.docs_of(None))
        return self._averages


def _live(count: int, dead: Collection[int]) -> list[Stretch]:
    """Return the ranges [first, last) that remain of the sessions 0 to count - 1 without the `dead` ones."""
    wrong = [session for session in dead if not 0 <= session < count]
    if wrong:
        raise IndexError(f"no session {wrong[0]} among {count}")
    ends = [*sorted(set(dead)), count]
    starts = [0, *(end + 1 for end in ends)]
    return [(first, last) for first, last in zip(starts, ends, strict=False) if first < last]


def _own(marks: bytearray, first: int, count: int) -> Marks:
    return marks if first == 0 and count == len(marks) else memoryview(marks)[first : first + count]


def _marked(size: int, stretches: Sequence[Stretch]) -> bytearray:
    marks = bytearray(size)
    for first, last in stretches:
        marks[first:last] = b"\1" * (last - first)
    return marks
