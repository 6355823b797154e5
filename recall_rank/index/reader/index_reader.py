"""IndexReader: reads several segments as one index."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple, overload

from recall_rank._core.index.vocabulary import within_each
from recall_rank._core.search.evidence import Evidence
from recall_rank._core.search.segment_evidence import SegmentSource
from recall_rank.index.reader.concat_column import ReaderColumn, concat, concat_numbers
from recall_rank.index.reader.literal_scan import mark_literal
from recall_rank.index.reader.segment_view import SegmentView, Stretch
from recall_rank.index.reader.session_order import SessionOrder
from recall_rank.index.reader.session_origins import SessionOrigins, session_origins
from recall_rank.index.segment.segment import Segment, SessionRow

_PROCESSORS = os.cpu_count() or 1


class LocalPart(NamedTuple):
    """A part and one of its documents: the segment that holds them, and their numbers in that segment."""

    view: SegmentView
    part: int
    doc: int


class IndexReader:
    """Reads n >= 0 segments, without their deleted sessions, as one index.

    dead[k] are the numbers of the deleted sessions of segments[k]; by default none is deleted. A session is stored in
    one segment. The answers of a search do not depend on how sessions are distributed over segments.

    Live sessions are numbered newest first over all segments, deleted ones not at all. Messages, parts and documents
    are numbered segment after segment, and those of deleted sessions keep their numbers, so that the rows of one
    segment are consecutive; no live session refers to them. Texts are read from the segment itself: see local() and
    split_by_segment().

    Immutable except for cached values; any number of threads may read. `before` is an older reader of this index:
    what it has cached of a segment is taken over, as long as both begin with equal segments, and where both were given
    one object for its deleted sessions.
    Raises ValueError when `dead` and `segments` differ in length, IndexError for a deleted session that does not exist.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        dead: Sequence[Collection[int]] | None = None,
        before: IndexReader | None = None,
    ) -> None:
        self.dead: tuple[Collection[int], ...] = ((),) * len(segments) if dead is None else tuple(dead)
        if len(segments) != len(self.dead):
            raise ValueError(f"{len(segments)} segments, but dead sessions of {len(self.dead)}")
        views: list[SegmentView] = []
        messages = parts = docs = terms = 0
        shared = 0 if before is None else _shared(before, segments, self.dead)
        for number, (segment, gone) in enumerate(zip(segments, self.dead, strict=True)):
            if before is not None and number < shared:
                views.append(before.views[number])
            else:
                views.append(SegmentView(segment, messages, parts, docs, terms, gone))
            messages, parts, docs = messages + segment.messages, parts + segment.parts, docs + segment.docs
            terms += segment.terms
        self.views: tuple[SegmentView, ...] = tuple(views)
        self.messages, self.parts, self.docs = messages, parts, docs
        self.languages: tuple[str, ...] | None = None  # beside English; a cache of search.expansion.languages
        self._processors = _PROCESSORS
        self._fetches = any(segment.partial for segment in segments)
        self._first_messages = [view.first_message for view in views]
        self._first_parts = [view.first_part for view in views]
        self._first_docs = [view.first_doc for view in views]

    @property
    def whole(self) -> Segment | None:
        """The only segment, if there is exactly one and none of its sessions is deleted; else None.

        Row numbers of this segment equal those of the reader.
        """
        return self.views[0].segment if len(self.views) == 1 and self.views[0].sessions is None else None

    sharded = False  # whether other workers score and scan the segments: those of a ShardReader

    def mark_text(self, text: str, keep: bytearray | None, found: bytearray, deadline_ns: int) -> int:
        """Mark in `found`, u8[parts], the parts of which a field contains `text`; return the first part not reached.

        See mark_literal(), which has the meaning of the arguments.
        """
        return mark_literal(self.views, text, keep, found, deadline_ns)

    def near_terms(self, form: bytes, bound: int, deadline_ns: int) -> Sequence[Sequence[tuple[int, int]]]:
        """Return for each segment the (term, edits) of the terms at 1 to `bound` edits from a form, by edits, then by
        number.
        """
        vocabularies = [view.segment.vocabulary for view in self.views]
        return within_each(vocabularies, form, bound, deadline_ns=deadline_ns)

    @property
    def missing_views(self) -> Collection[int]:
        """The numbers of the segments that this search does not reach: some of a ShardReader."""
        return ()

    @property
    def problems(self) -> Mapping[str, str]:
        """The reasons why some segments are not reached, by the names of their shards."""
        return {}

    def check(self) -> None:
        """Raise DamagedIndexError when the file of a segment was changed while it is open."""
        for view in self.views:
            view.segment.check()

    def evidence(self, eligible: bytes | bytearray | memoryview | None) -> Evidence:
        """Return an Evidence, which collects the scores of one query, without any score yet.

        It is limited to the documents marked in `eligible`, u8[docs]; None is all documents of live sessions.
        """
        return Evidence(self._sources, eligible, self._processors)

    @cached_property
    def _sources(self) -> tuple[SegmentSource, ...]:
        whole = self.whole is not None
        return tuple(
            SegmentSource(
                view.segment.doc_columns,
                view.segment.postings,
                view.first_part,
                view.first_doc,
                view.parts_of(None),
                None if whole else self.order.runs_of(number),
            )
            for number, view in enumerate(self.views)
        )

    def averages(self, eligible: bytearray | None = None) -> tuple[int, int]:
        """Return (documents, words): how many documents are marked in `eligible`, u8[docs], and how many words they
        have.

        None counts the documents of all live sessions.
        """
        own = [view.averages(eligible) for view in self.views]
        return sum(docs for docs, _ in own), sum(words for _, words in own)

    # --- sessions ------------------------------------------------------------------------------------------

    @cached_property
    def order(self) -> SessionOrder:
        """The order of the live sessions, which maps the reader's session numbers to those of segments."""
        return SessionOrder(self.views)

    @cached_property
    def _session_count(self) -> int:
        """The number of live sessions; counted at first use, because it reads a column of each segment."""
        return sum(view.session_count for view in self.views)

    @cached_property
    def sessions(self) -> Sequence[SessionRow]:
        """The rows of the live sessions, indexed by the reader's session number.

        first_message and last_message of a row are numbers in its segment; span_of() gives those of the reader.
        """
        return _LiveSessions(self, self._session_count) if self.whole is None else self.whole.sessions

    @cached_property
    def origins(self) -> SessionOrigins:
        """The live sessions by their origin."""
        return session_origins(self.sessions)

    @cached_property
    def message_session(self) -> ReaderColumn[int]:
        """The reader's session number of every message."""
        return _SessionOfMessage(self) if self.whole is None else self.whole.message_session

    def home_of(self, session: int) -> tuple[Segment, SessionRow]:
        """Return (segment, row): the segment that stores a session, and the session's row."""
        if self.whole is not None:
            return self.whole, self.whole.sessions[session]
        number, own = self.order.find(session)
        segment = self.views[number].segment
        return segment, segment.sessions[own]

    def span_of(self, session: int) -> tuple[int, int]:
        """Return the range [first, last) of a session's messages; number `first` holds only its title."""
        if self.whole is not None:
            return self.whole.span_of(session)
        number, own = self.order.find(session)
        view = self.views[number]
        first, last = view.segment.span_of(own)
        return first + view.first_message, last + view.first_message

    def own_sessions(self, values: bytes | bytearray, dead: int) -> list[bytes]:
        """Split `values`, which has one byte for each live session of the reader, by segment.

        Element k of the result is u8[sessions of segment k], with the byte `dead` for deleted sessions.
        """
        if self.whole is not None:
            return [bytes(values)]
        own = [bytearray([dead]) * len(view.segment.sessions) for view in self.views]
        for run in self.order.runs:
            own[run.segment][run.first : run.last] = values[run.number : run.number + run.last - run.first]
        return [bytes(of_segment) for of_segment in own]

    # --- messages, parts and documents -----------------------------------------------------------------------

    @cached_property
    def message_ids(self) -> ReaderColumn[str]:
        """The id of every message."""
        return concat(self._first_messages, [view.segment.message_ids for view in self.views])

    @cached_property
    def message_role(self) -> ReaderColumn[int]:
        """The role of every message, as an index into ROLES."""
        return concat(self._first_messages, [view.segment.message_role for view in self.views])

    @cached_property
    def message_time(self) -> ReaderColumn[int]:
        """The time of every message in ms since 1970, 0 when unknown."""
        return concat(self._first_messages, [view.segment.message_time for view in self.views])

    @cached_property
    def message_first_part(self) -> ReaderColumn[int]:
        """The number of the first part of every message.

        The element behind the last message of the index is the number of all parts.
        """
        columns = [view.segment.message_first_part for view in self.views]
        return concat_numbers(self._first_messages, columns, self._first_parts)

    @cached_property
    def part_ids(self) -> ReaderColumn[str]:
        """The id of every part."""
        return concat(self._first_parts, [view.segment.part_ids for view in self.views])

    @cached_property
    def part_message(self) -> ReaderColumn[int]:
        """The reader's message number of every part."""
        columns = [view.segment.part_message for view in self.views]
        return concat_numbers(self._first_parts, columns, self._first_messages)

    @cached_property
    def part_first_doc(self) -> ReaderColumn[int]:
        """The number of the first document of every part.

        The element behind the last part of the index is the number of all documents.
        """
        columns = [view.segment.part_first_doc for view in self.views]
        return concat_numbers(self._first_parts, columns, self._first_docs)

    @cached_property
    def doc_part(self) -> ReaderColumn[int]:
        """The reader's part number of every document."""
        return concat_numbers(self._first_docs, [view.segment.doc_part for view in self.views], self._first_parts)

    @cached_property
    def messages_without_titles(self) -> int:
        """The number of messages of live sessions, the messages that contain titles not counted."""
        return self._without_titles([stretch for view in self.views for stretch in view.stretches()])

    @cached_property
    def parts_without_titles(self) -> int:
        """The number of parts of live sessions, titles not counted."""
        return self._without_titles([stretch for view in self.views for stretch in view.part_stretches()])

    def _without_titles(self, stretches: Sequence[Stretch]) -> int:
        return sum(last - first for first, last in stretches) - self._session_count  # each session has one title

    def content_parts(self) -> bytearray:
        """Return marks u8[parts], 1 for each part of a live session that is not its title."""
        marks = bytearray()
        for view in self.views:
            own = view.segment.content_parts()
            if view.sessions is not None:
                live = view.part_stretches()
                for (_, end), (start, _) in zip([(0, 0), *live], [*live, (len(own), 0)], strict=True):
                    own[end:start] = bytes(start - end)
            marks += own
        return marks

    def session_of_part(self, part: int) -> SessionRow:
        """Return the row of the session to which a part belongs."""
        view, own, _ = self.local(part, 0)
        segment = view.segment
        return segment.sessions[segment.message_session[segment.part_message[own]]]

    def sessions_of(self, parts: list[int]) -> list[int]:
        """Return the session number of each of `parts`."""
        if self.whole is not None:
            return self.whole.doc_columns.sessions_of(parts)
        messages, sessions = self.part_message, self.message_session
        return [sessions[messages[part]] for part in parts]

    def times_of(self, parts: list[int]) -> list[int]:
        """Return for each of `parts` the time of its message in ms since 1970, 0 when unknown."""
        if self.whole is not None:
            return self.whole.doc_columns.times_of(parts)
        messages, times = self.part_message, self.message_time
        return [times[messages[part]] for part in parts]

    def fetch_parts(self, parts: Iterable[int], *, sessions: bool = False) -> None:
        """Fetch what results tell of `parts`, or, with `sessions`, only the records of their sessions, from segments
        whose files are in a store; do nothing for others.
        """
        if not self._fetches:
            return
        of_view: dict[int, list[int]] = {}
        for part in parts:
            number = bisect_right(self._first_parts, part) - 1
            of_view.setdefault(number, []).append(part - self._first_parts[number])
        for number, own in of_view.items():
            self.views[number].segment.fetch_parts(own, sessions=sessions)

    # --- where rows are --------------------------------------------------------------------------------------

    def local(self, part: int, doc: int) -> LocalPart:
        """Return the SegmentView that holds a part, with the numbers of `part` and of its document `doc` in that
        segment.
        """
        number = bisect_right(self._first_parts, part) - 1
        view = self.views[number]
        return LocalPart(view, part - view.first_part, doc - view.first_doc)

    def split_by_segment(self, docs: Sequence[int]) -> Iterable[tuple[SegmentView, Sequence[int]]]:
        """Return (segment, indices) for each segment that holds some of `docs`.

        The indices are positions in the list `docs`, ascending: docs[i] is in that segment for each i of `indices`.
        """
        if len(self.views) == 1:
            return ((self.views[0], range(len(docs))),)
        places: dict[int, list[int]] = {}
        for place, doc in enumerate(docs):
            places.setdefault(bisect_right(self._first_docs, doc) - 1, []).append(place)
        return [(self.views[number], places[number]) for number in sorted(places)]


def _shared(before: IndexReader, segments: Sequence[Segment], dead: Sequence[Collection[int]]) -> int:
    """Return how many segments, from the first, are those of `before`, with the deleted sessions in the same object."""
    known = zip(before.views, before.dead, segments, dead, strict=False)
    return sum(1 for _ in takewhile(lambda each: each[0].segment is each[2] and each[1] is each[3], known))


class _LiveSessions(Sequence[SessionRow]):
    """The rows of the live sessions of all segments, indexed by the reader's session number."""

    __slots__ = ("_count", "_reader")

    def __init__(self, reader: IndexReader, count: int) -> None:
        self._reader = reader
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
        return self._reader.home_of(range(self._count)[at])[1]

    def __iter__(self) -> Iterator[SessionRow]:
        for run in self._reader.order.runs:
            yield from self._reader.views[run.segment].segment.sessions[run.first : run.last]


class _SessionOfMessage:
    """A column: the reader's number of the session of each message of the reader."""

    __slots__ = ("_reader", "_starts")

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        self._starts = [view.first_message for view in reader.views]

    def __getitem__(self, message: int, /) -> int:
        number = bisect_right(self._starts, message) - 1
        own = self._reader.views[number].segment.message_session[message - self._starts[number]]
        return self._reader.order.number(number, own)
