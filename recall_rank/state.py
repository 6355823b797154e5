"""What the stages of one search have found out so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from recall_rank.budget import Deadline, DegradeKind
from recall_rank.eligible import Eligible
from recall_rank.expand import Expansion
from recall_rank.group import Grouped
from recall_rank.index.segment import Segment
from recall_rank.model import NearMiss
from recall_rank.query import Query


@dataclass(slots=True)
class Search:
    """The state of one search; engine.search() fills it stage by stage, respond() reads it."""

    segment: Segment
    query: Query
    deadline: Deadline
    allowed: Eligible
    expansion: Expansion
    text_marks: bytearray | None = None  # parts whose text holds the query, once it was scanned
    page: list[Grouped] = field(default_factory=list)
    near_misses: tuple[NearMiss, ...] = ()
    total: int = 0
    total_exact: bool = False
    hits_of_session: dict[int, int] = field(default_factory=dict)
    stages: list[str] = field(default_factory=list)
    degraded: set[DegradeKind] = field(default_factory=set)
    share_reached: float = 1.0  # of the documents or parts, by the stage that got least far
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.allowed.cut_by_caller:
            self.degraded.add(DegradeKind.BUDGET)

    def reached(self, done: int, of: int) -> None:
        """Note how far a stage came before the deadline."""
        if done < of:
            self.degraded.add(DegradeKind.TIME)
            self.share_reached = min(self.share_reached, done / of)
