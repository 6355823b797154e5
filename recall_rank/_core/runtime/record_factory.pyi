from collections.abc import Callable
from typing import Any, Generic, ParamSpec, Self, TypeVar

from typing_extensions import disjoint_base

_P = ParamSpec("_P")
_T = TypeVar("_T")

@disjoint_base
class Maker(Generic[_P, _T]):
    def __new__(cls, cls_: Callable[_P, _T]) -> Self: ...
    @property
    def make(self) -> Callable[_P, _T]: ...
    def each(self, rows: list[tuple[Any, ...]]) -> list[_T]: ...
