from collections.abc import Callable
from typing import Any

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

from recall_rank._core.rank.snippet_window import Near

@disjoint_base
class Spot:
    def __init__(self, text: ReadableBuffer, at: int) -> None: ...
    @property
    def slots(self) -> int: ...
    @property
    def fields(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def events(self) -> list[tuple[int, int, int, int, float]]: ...
    @property
    def middle(self) -> int: ...
    def words(self, written: list[str | None]) -> tuple[str, ...]: ...
    def near(
        self,
        fields: ReadableBuffer,
        width: int,
        weights: list[float],
        begin: Callable[[Any, int, int], int] | None = None,
    ) -> Near: ...
