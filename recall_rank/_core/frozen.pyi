from typing import Any, Generic, Self, TypeVar

from typing_extensions import disjoint_base

_T = TypeVar("_T")

@disjoint_base
class Maker(Generic[_T]):
    def __new__(cls, cls_: type[_T]) -> Self: ...
    def make(self, *values: Any) -> _T: ...
