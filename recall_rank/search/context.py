"""SearchContext: the state of one search, which the stages of the search fill one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_rank._core.rank.candidate import Candidate
from recall_rank._core.rank.passage_names import QueryName
from recall_rank._core.search.session_hits import SessionHits
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model import NearMiss
from recall_rank.model.record_classes import field, mutable
from recall_rank.search.deadline import Deadline, DegradeKind
from recall_rank.search.expansion.expansion import Expansion
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.query import Query
from recall_rank.search.types import PageEntry

if TYPE_CHECKING:
    from recall_rank.semantic.nearest import Nearest


@mutable
class SearchContext:
    """The state of one search: its inputs, and the results of the stages so far.

    engine.run() creates it after the query expansion, the first half of the prefilter; each later stage fills its
    fields, and respond() makes the response from them.
    """

    reader: IndexReader
    query: Query
    deadline: Deadline
    eligible: EligibleSet
    expansion: Expansion
    text_marks: bytearray | None = None  # u8[parts]: the text contains the query; None before the text scan
    scored_marks: bytearray | None = None  # u8[parts]: eligible, and scored by the caller; None unless these are hits
    nearest: Nearest | None = None  # the parts near in meaning; None without an embedder, or when it was late
    found: int = 0  # hits by words, before any other; counted where the search is explained
    compared: list[QueryName] = field(default_factory=list)  # names of the query that rapidfuzz compared with others
    reranked: list[Candidate] = field(default_factory=list)  # every hit whose passage was read, best first
    page: list[PageEntry] = field(default_factory=list)
    answerable: float = 0.0
    near_misses: tuple[NearMiss, ...] = ()
    copies: dict[int, list[int]] = field(default_factory=dict)  # part that is shown -> its copies in other stores
    near_duplicates: dict[int, list[int]] = field(default_factory=dict)  # part that is shown -> the others
    titled: set[int] = field(default_factory=set)  # parts into which the title of their session was folded
    total: int = 0
    total_exact: bool = False
    sessions: SessionHits = field(default_factory=SessionHits)  # with hits, where these are grouped or ordered by time
    stages: list[str] = field(default_factory=lambda: ["parse", "filter"])  # that ran
    degraded: set[DegradeKind] = field(default_factory=set)
    parts_reached: int = 0  # parts, from the first, that every stage which decides hits has read
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parts_reached = self.eligible.parts_reached
        if self.eligible.part_marks is not None:  # a filter may have read text
            self.reached(self.parts_reached)
        if self.eligible.cut_by_caller:
            self.degraded.add(DegradeKind.CALLER_LIMIT)

    def reached(self, part: int) -> None:
        """Note that a stage that finds hits read the parts [0, part) only, because it ran out of time.

        `part` is a part number of the index; nothing is noted for the number of all parts. The smallest one that was
        noted is kept as `parts_reached`.
        """
        if part < self.reader.parts:
            self.degraded.add(DegradeKind.TIME)
            self.parts_reached = min(self.parts_reached, part)

    def note_words(self, words_done: int) -> None:
        """Note that query expansion looked up `words_done` words of the query before the deadline.

        When that is fewer than all words, no part counts as searched, except in literal and regex mode, where terms
        only rank the hits.
        """
        if words_done < len(self.query.words):
            self.degraded.add(DegradeKind.TIME)
            if not self.text_decides:
                self.reached(0)

    def note_documents(self, docs_done: int) -> None:
        """Note that the prefilter read the documents [0, docs_done) before the deadline.

        When that is fewer than all documents, only their parts count as searched, except in literal and regex mode,
        where the text scan finds the hits and the prefilter only ranks them.
        """
        if docs_done < self.reader.docs:
            self.degraded.add(DegradeKind.TIME)
            if not self.text_decides:
                self.reached(self.reader.doc_part[docs_done])

    def nearest_marks(self) -> bytearray:
        """Return marks u8[parts] of the parts that are candidates by their meaning."""
        marks = bytearray(self.reader.parts)
        for part, _ in self.nearest.best if self.nearest is not None else ():
            marks[part] = 1
        return marks

    @property
    def out_of_time(self) -> bool:
        """Whether a stage of this search ended early because the time budget was used up."""
        return bool(self.degraded) and DegradeKind.TIME in self.degraded  # the hash of an Enum is a slow call

    @property
    def text_decides(self) -> bool:
        """Whether the hits are the parts that the text scan finds, while matching terms only rank them.

        True in literal and regex mode.
        """
        return self.query.options.match in ("literal", "regex")
