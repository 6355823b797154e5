"""Several segments searched as one, without those of their sessions that are gone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import overload

from recall_rank.index.reader.concat_column import Chained, ChainedTexts
from recall_rank.index.reader.joined_evidence import JoinedEvidence
from recall_rank.index.reader.segment_view import SegmentView, Stretch
from recall_rank.index.reader.session_order import SessionOrder
from recall_rank.index.segment.segment import Segment, SessionRow


class JoinedSegment:
    """What a search reads of several segments; answers are those of one segment of the sessions that are left.

    `dead` are the row numbers of each segment's sessions that are gone. A session stands whole in one segment.

    Sessions are numbered as in that one segment. Messages, parts and documents are numbered segment after segment,
    those that are gone too, so that a segment's are one stretch: native code reads and marks them where they are.
    Nothing here changes but what is kept once it was found out; any number of threads may read.
    """

    def __init__(self, segments: Sequence[Segment], dead: Sequence[Collection[int]]) -> None:
        if len(segments) != len(dead):
            raise ValueError(f"{len(segments)} segments, but dead sessions of {len(dead)}")
        pieces: list[SegmentView] = []
        messages = parts = docs = terms = 0
        for segment, gone in zip(segments, dead, strict=True):
            pieces.append(SegmentView(segment, messages, parts, docs, terms, _left(len(segment.sessions), gone)))
            messages, parts, docs = messages + segment.messages, parts + segment.parts, docs + segment.docs
            terms += segment.terms
        self.views: tuple[SegmentView, ...] = tuple(pieces)
        self.dead = tuple(dead)
        self.messages, self.parts, self.docs = messages, parts, docs
        self._session_count = sum(piece.session_count for piece in pieces)
        self._segments = [piece.segment for piece in pieces]
        self._first_messages = [piece.first_message for piece in pieces]
        self._first_parts = [piece.first_part for piece in pieces]
        self._first_docs = [piece.first_doc for piece in pieces]

    def averages(self, eligible: bytearray | None = None) -> tuple[int, int]:
        own = [piece.averages(eligible) for piece in self.views]
        return sum(docs for docs, _ in own), sum(words for _, words in own)

    # --- sessions ------------------------------------------------------------------------------------------

    @cached_property
    def order(self) -> SessionOrder:
        """Which session has which number."""
        return SessionOrder(self.views)

    @cached_property
    def sessions(self) -> Sequence[SessionRow]:
        return _Rows(self, self._session_count)

    @cached_property
    def message_session(self) -> _SessionOfMessage:
        return _SessionOfMessage(self, self._first_messages)

    def home_of(self, session: int) -> tuple[Segment, SessionRow]:
        number, own = self.order.find(session)
        segment = self._segments[number]
        return segment, segment.sessions[own]

    def span_of(self, session: int) -> tuple[int, int]:
        number, own = self.order.find(session)
        first, last = self._segments[number].span_of(own)
        return first + self._first_messages[number], last + self._first_messages[number]

    def own_sessions(self, marks: Sequence[bool]) -> list[bytes]:
        own = [bytearray(len(segment.sessions)) for segment in self._segments]
        every = bytes(marks)
        for run in self.order.runs:
            own[run.piece][run.first : run.last] = every[run.place : run.place + run.last - run.first]
        return [bytes(marked) for marked in own]

    # --- messages, parts and documents -----------------------------------------------------------------------

    @cached_property
    def message_ids(self) -> ChainedTexts:
        return ChainedTexts(self._first_messages, [segment.message_ids for segment in self._segments])

    @cached_property
    def message_role(self) -> Chained:
        return Chained(self._first_messages, [segment.message_role for segment in self._segments])

    @cached_property
    def message_time(self) -> Chained:
        return Chained(self._first_messages, [segment.message_time for segment in self._segments])

    @cached_property
    def message_first_part(self) -> Chained:
        columns = [segment.message_first_part for segment in self._segments]
        return Chained(self._first_messages, columns, self._first_parts)

    @cached_property
    def part_ids(self) -> ChainedTexts:
        return ChainedTexts(self._first_parts, [segment.part_ids for segment in self._segments])

    @cached_property
    def part_message(self) -> Chained:
        columns = [segment.part_message for segment in self._segments]
        return Chained(self._first_parts, columns, self._first_messages)

    @cached_property
    def part_first_doc(self) -> Chained:
        columns = [segment.part_first_doc for segment in self._segments]
        return Chained(self._first_parts, columns, self._first_docs)

    @cached_property
    def doc_part(self) -> Chained:
        return Chained(self._first_docs, [segment.doc_part for segment in self._segments], self._first_parts)

    @cached_property
    def said_messages(self) -> int:
        return self._count([stretch for piece in self.views for stretch in piece.stretches()])

    @cached_property
    def said_parts(self) -> int:
        return self._count([stretch for piece in self.views for stretch in piece.part_stretches()])

    def _count(self, stretches: Sequence[Stretch]) -> int:
        return sum(last - first for first, last in stretches) - self._session_count  # each has one title

    def content_parts(self) -> bytearray:
        marks = bytearray()
        for piece in self.views:
            own = piece.segment.content_parts()
            if piece.sessions is not None:
                left = piece.part_stretches()
                for (_, end), (start, _) in zip([(0, 0), *left], [*left, (len(own), 0)], strict=True):
                    own[end:start] = bytes(start - end)
            marks += own
        return marks

    def session_of_part(self, part: int) -> SessionRow:
        segment, own, _ = self.local(part, 0)
        return segment.session_of_part(own)

    def sessions_of(self, parts: list[int]) -> list[int]:
        messages, sessions = self.part_message, self.message_session
        return [sessions[messages[part]] for part in parts]

    def times_of(self, parts: list[int]) -> list[int]:
        messages, times = self.part_message, self.message_time
        return [times[messages[part]] for part in parts]

    # --- where things are ------------------------------------------------------------------------------------

    def evidence(self, eligible: bytearray | None) -> JoinedEvidence:
        return JoinedEvidence(self.views, self.order, eligible)

    def local(self, part: int, doc: int) -> tuple[Segment, int, int]:
        number = bisect_right(self._first_parts, part) - 1
        return self._segments[number], part - self._first_parts[number], doc - self._first_docs[number]

    def parted(self, docs: Sequence[int]) -> Iterator[tuple[SegmentView, Sequence[int]]]:
        held: dict[int, list[int]] = {}
        for at, doc in enumerate(docs):
            held.setdefault(bisect_right(self._first_docs, doc) - 1, []).append(at)
        for number in sorted(held):
            yield self.views[number], held[number]


def _left(count: int, gone: Collection[int]) -> list[Stretch] | None:
    """The stretches between the sessions that are gone; None when there are none."""
    if not gone:
        return None
    wrong = [session for session in gone if not 0 <= session < count]
    if wrong:
        raise IndexError(f"no session {wrong[0]} among {count}")
    ends = [*sorted(set(gone)), count]
    starts = [0, *(end + 1 for end in ends)]
    return [(first, last) for first, last in zip(starts, ends, strict=False) if first < last]


class _Rows(Sequence[SessionRow]):
    """The rows of all sessions."""

    __slots__ = ("_count", "_joined")

    def __init__(self, joined: JoinedSegment, count: int) -> None:
        self._joined = joined
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> SessionRow: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[SessionRow]: ...
    def __getitem__(self, at: int | slice) -> SessionRow | Sequence[SessionRow]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(self._count))]
        return self._joined.home_of(range(self._count)[at])[1]

    def __iter__(self) -> Iterator[SessionRow]:
        for run in self._joined.order.runs:
            yield from self._joined.views[run.piece].segment.sessions[run.first : run.last]


class _SessionOfMessage:
    """The number of a message's session."""

    __slots__ = ("_joined", "_starts")

    def __init__(self, joined: JoinedSegment, starts: Sequence[int]) -> None:
        self._joined = joined
        self._starts = starts

    def __getitem__(self, at: int, /) -> int:
        number = bisect_right(self._starts, at) - 1
        own = self._joined.views[number].segment.message_session[at - self._starts[number]]
        return self._joined.order.place(number, own)
