from collections.abc import Callable
from typing import Any, Generic, ParamSpec, Self, TypeVar

from typing_extensions import disjoint_base

_P = ParamSpec("_P")
_T = TypeVar("_T")

@disjoint_base
class RecordFactory(Generic[_P, _T]):
    def __new__(cls, cls_: Callable[_P, _T]) -> Self: ...
    @property
    def make(self) -> Callable[_P, _T]: ...
    def make_all(self, rows: list[tuple[Any, ...]]) -> list[_T]: ...
