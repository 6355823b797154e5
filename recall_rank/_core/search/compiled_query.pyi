from collections.abc import Sequence
from typing import Protocol, Self

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

class _Group(Protocol):
    @property
    def members(self) -> Sequence[tuple[int, int, float]]: ...
    @property
    def factor(self) -> float: ...
    @property
    def joint(self) -> bool: ...

@disjoint_base
class CompiledQuery:
    def __new__(
        cls, groups: Sequence[_Group], k1: float, norms: ReadableBuffer, class_weights: ReadableBuffer
    ) -> Self: ...
    def __len__(self) -> int: ...
