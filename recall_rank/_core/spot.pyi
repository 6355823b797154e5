from collections.abc import Callable
from typing import Self, TypeVar

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

from recall_rank._core.frame import Near

_B = TypeVar("_B", bound=ReadableBuffer)

@disjoint_base
class Spot:
    def __new__(cls, at: int = 0) -> Self: ...
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
        text: _B,
        fields: ReadableBuffer,
        width: int,
        weights: list[float],
        begin: Callable[[_B, int, int], int] | None = None,
    ) -> Near: ...
