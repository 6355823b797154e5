"""The state of one search, which its stages fill."""

from __future__ import annotations

from dataclasses import dataclass, field

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model import NearMiss
from recall_rank.search.deadline import Deadline, DegradeKind
from recall_rank.search.expansion.expand import Expansion
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.query import Query
from recall_rank.search.types import PageEntry


@dataclass(slots=True)
class SearchContext:
    """The state of one search. engine.run() creates it after the expansion, stages fill it, respond() reads it."""

    reader: IndexReader
    query: Query
    deadline: Deadline
    eligible: EligibleSet
    expansion: Expansion
    text_marks: bytearray | None = None  # u8[parts]: the text contains the query; None before the text scan
    page: list[PageEntry] = field(default_factory=list)
    answerable: float = 0.0
    near_misses: tuple[NearMiss, ...] = ()
    total: int = 0
    total_exact: bool = False
    hits_of_session: dict[int, int] = field(default_factory=dict)  # by session number
    stages: list[str] = field(default_factory=list)
    degraded: set[DegradeKind] = field(default_factory=set)
    parts_reached: int = 0  # parts, from the first, that every stage which decides hits has read
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parts_reached = self.eligible.parts_reached
        if self.eligible.part_marks is not None:  # a filter may have read text
            self.reached(self.parts_reached)
        if self.eligible.cut_by_caller:
            self.degraded.add(DegradeKind.BUDGET)

    def reached(self, part: int) -> None:
        """Note that a stage which decides hits stopped before `part` at the deadline; the lowest such part is kept."""
        if part < self.reader.parts:
            self.degraded.add(DegradeKind.TIME)
            self.parts_reached = min(self.parts_reached, part)

    def note_words(self, words_done: int) -> None:
        """Note the number of query words that were looked up. If words are missing, no part counts as fully
        searched.
        """
        if words_done < len(self.query.words):
            self.degraded.add(DegradeKind.TIME)
            if not self.text_decides:
                self.reached(0)

    def note_documents(self, docs_done: int) -> None:
        """Note the number of documents that the prefilter read. In literal and regex mode it ranks hits but does
        not decide them.
        """
        if docs_done < self.reader.docs:
            self.degraded.add(DegradeKind.TIME)
            if not self.text_decides:
                self.reached(self.reader.doc_part[docs_done])

    @property
    def out_of_time(self) -> bool:
        """Whether a stage ended early because the time budget was used up."""
        return bool(self.degraded) and DegradeKind.TIME in self.degraded  # the hash of an Enum is a slow call

    @property
    def text_decides(self) -> bool:
        """Whether the text scan decides which parts are hits, so that terms only rank them: in literal and regex
        mode.
        """
        return self.query.options.match in ("literal", "regex")
