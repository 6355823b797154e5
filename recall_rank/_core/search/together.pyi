from collections.abc import Iterable, Sequence
from typing import Self

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

from recall_rank._core.search.compiled_query import CompiledQuery
from recall_rank._core.search.evidence import Evidence

@disjoint_base
class Together:
    def __new__(cls, each: Iterable[Evidence]) -> Self: ...
    def ask(self, question: CompiledQuery) -> None: ...
    def read(self, first: int, last: int, deadline_ns: int = 0) -> bool: ...
    def fuse(
        self,
        neighbours: Sequence[float],
        session: Sequence[float],
        only: Sequence[ReadableBuffer | None],
        echo: float = 0.0,
        echo_floor: float = 0.0,
    ) -> int: ...
    def top(self, count: int) -> list[tuple[int, int, int, float, float, int]]: ...
