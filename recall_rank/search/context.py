"""What the stages of one search have found out so far."""

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
    """The state of one search; engine.search() fills it stage by stage, respond() reads it."""

    segment: IndexReader
    query: Query
    deadline: Deadline
    eligible: EligibleSet
    expansion: Expansion
    text_marks: bytearray | None = None  # parts whose text holds the query, once it was scanned
    page: list[PageEntry] = field(default_factory=list)
    answerable: float = 0.0
    near_misses: tuple[NearMiss, ...] = ()
    total: int = 0
    total_exact: bool = False
    hits_of_session: dict[int, int] = field(default_factory=dict)
    stages: list[str] = field(default_factory=list)
    degraded: set[DegradeKind] = field(default_factory=set)
    parts_reached: int = 0  # parts, from the first, that every stage that decides hits has looked at
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parts_reached = self.eligible.parts_reached
        if self.eligible.part_marks is not None:  # else nothing was looked at
            self.reached(self.parts_reached)
        if self.eligible.cut_by_caller:
            self.degraded.add(DegradeKind.BUDGET)

    def reached(self, part: int) -> None:
        """Note the first part that a stage which decides hits did not come to before the deadline."""
        if part < self.segment.parts:
            self.degraded.add(DegradeKind.TIME)
            self.parts_reached = min(self.parts_reached, part)

    def looked_up(self, words_done: int) -> None:
        """Note how many words of the query were looked up: what the others would have found is anywhere."""
        if words_done < len(self.query.words):
            self.degraded.add(DegradeKind.TIME)
            if not self.text_decides:
                self.reached(0)

    def read_documents(self, docs_done: int) -> None:
        """Note how many documents the prefilter has read; where the text decides, they only rank."""
        if docs_done < self.segment.docs:
            self.degraded.add(DegradeKind.TIME)
            if not self.text_decides:
                self.reached(self.segment.doc_part[docs_done])

    @property
    def out_of_time(self) -> bool:
        """Whether the budget ended a stage."""
        return bool(self.degraded) and DegradeKind.TIME in self.degraded  # asked often, and an Enum's hash is a call

    @property
    def text_decides(self) -> bool:
        """Whether the hits are what the text scan finds, and words only rank them."""
        return self.query.options.match in ("literal", "regex")
