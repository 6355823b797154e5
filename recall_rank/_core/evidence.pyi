from typing import Self

from _typeshed import ReadableBuffer, WriteableBuffer
from typing_extensions import disjoint_base

from recall_rank._core.layout import Layout
from recall_rank._core.postings import Postings

@disjoint_base
class Evidence:
    @property
    def hit_count(self) -> int: ...
    @property
    def blocks_done(self) -> int: ...
    @property
    def docs_done(self) -> int: ...
    def __new__(cls, layout: Layout, postings: Postings, eligible: ReadableBuffer | None = None) -> Self: ...
    def accumulate(
        self,
        starts: ReadableBuffer,
        firsts: ReadableBuffer,
        lasts: ReadableBuffer,
        weights: ReadableBuffer,
        factors: ReadableBuffer,
        joint: ReadableBuffer,
        k1: float,
        norms: ReadableBuffer,
        class_weights: ReadableBuffer,
        deadline_ns: int = 0,
    ) -> bool: ...
    def add_times(self, starts: ReadableBuffer, ends: ReadableBuffer, value: float) -> None: ...
    def fuse(
        self,
        neighbours: ReadableBuffer,
        session: ReadableBuffer,
        only: ReadableBuffer | None = None,
        echo: float = 0.0,
        echo_floor: float = 0.0,
    ) -> int: ...
    def top(self, count: int) -> list[tuple[int, int, float, float]]: ...
    def sessions(self) -> list[tuple[int, int, int, float, int, bool]]: ...
    def session_evidence(self, session: int) -> float: ...
    def mark_hits(self, parts: WriteableBuffer) -> None: ...
    def write_scores(self, scores: WriteableBuffer) -> None: ...

def by_score(row: tuple[int, int, int, float, int, bool]) -> tuple[float, int]: ...
def idf(documents: float, frequency: float) -> float: ...
