"""What a search reads: one segment, or several as one."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, Self

from recall_rank._core.search.compiled_query import CompiledQuery
from recall_rank._core.search.hits import Hits
from recall_rank.index.reader.segment_view import SegmentView
from recall_rank.index.segment.segment import Segment, SessionRow

SessionHits = tuple[int, int, int, float, int, bool, int]  # session, part, document, score, hits, title, tier


class Column(Protocol):
    """A number a row."""

    def __getitem__(self, at: int, /) -> int: ...


class Texts(Protocol):
    """A text a row."""

    def __getitem__(self, at: int, /) -> str: ...


class Evidences(Protocol):
    """The evidence of one query, as recall_rank._core.search.evidence tells of it."""

    @property
    def hit_count(self) -> int: ...
    @property
    def docs_done(self) -> int: ...

    def accumulate(self, question: CompiledQuery, deadline_ns: int = 0) -> bool: ...
    def add_times(self, starts: array[int], ends: array[int], value: float) -> None: ...
    def fuse(
        self,
        neighbours: Sequence[float],
        session: Sequence[float],
        only: bytearray | None = None,
        echo: float = 0.0,
        echo_floor: float = 0.0,
    ) -> int: ...
    def extend(self, other: Self, share: float) -> None: ...
    def extend_marked(self, parts: bytearray, first_docs: Any) -> None: ...
    def top(self, count: int) -> Hits: ...
    def among(self, parts: bytearray) -> Hits: ...
    def sessions(self) -> list[SessionHits]: ...
    def mark_hits(self, parts: bytearray) -> None: ...
    def write_scores(self, scores: array[float]) -> None: ...


class IndexReader(Protocol):
    """Sessions that are searched together, newest first, in one numbering.

    Messages, parts and documents of sessions that are gone have numbers too, and marks have a byte for each, but no
    session has them. Texts are read in the segment that holds them: see local() and parted().
    """

    @property
    def sessions(self) -> Sequence[SessionRow]:
        """The sessions; where the messages of one stand, its row tells for its own segment, span_of() for all."""

    @property
    def message_ids(self) -> Texts: ...
    @property
    def message_session(self) -> Column: ...
    @property
    def message_role(self) -> Column: ...
    @property
    def message_time(self) -> Column: ...
    @property
    def message_first_part(self) -> Column: ...
    @property
    def part_ids(self) -> Texts: ...
    @property
    def part_message(self) -> Column: ...
    @property
    def part_first_doc(self) -> Column: ...
    @property
    def doc_part(self) -> Column: ...

    @property
    def docs(self) -> int: ...
    @property
    def parts(self) -> int: ...
    @property
    def messages(self) -> int: ...
    @property
    def said_messages(self) -> int:
        """The messages of all sessions, titles not counted."""

    @property
    def said_parts(self) -> int:
        """The parts of all sessions, titles not counted."""

    @property
    def views(self) -> Sequence[SegmentView]:
        """The segments."""

    def averages(self, eligible: bytearray | None = None) -> tuple[int, int]:
        """(documents, words) of the marked documents, for None of all that are left."""

    def evidence(self, eligible: bytearray | None) -> Evidences:
        """Evidence over all marked documents, none of it yet."""

    def local(self, part: int, doc: int) -> tuple[Segment, int, int]:
        """The segment that holds a part, and the part's and the document's number there."""

    def parted(self, docs: Sequence[int]) -> Iterable[tuple[SegmentView, Sequence[int]]]:
        """For every segment that holds some of `docs`, the places in `docs` of those that it holds."""

    def home_of(self, session: int) -> tuple[Segment, SessionRow]:
        """The segment that holds a session, and its row there."""

    def span_of(self, session: int) -> tuple[int, int]:
        """The messages [first, last) of a session; the first is its title."""

    def own_sessions(self, marks: Sequence[bool]) -> list[bytes]:
        """Marks of sessions as each segment numbers them."""

    def content_parts(self) -> bytearray:
        """A mark for every part of a session that is not its title, u8[parts]."""

    def session_of_part(self, part: int) -> SessionRow: ...

    def sessions_of(self, parts: list[int]) -> list[int]:
        """The session of each part."""

    def times_of(self, parts: list[int]) -> list[int]:
        """When the message of each part was said, ms."""
