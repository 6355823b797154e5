from collections.abc import Callable
from typing import Generic, TypeVar

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

_B = TypeVar("_B", bound=ReadableBuffer)
_T = TypeVar("_T")

@disjoint_base
class Snippet(Generic[_T]):
    def __init__(self, text: str, spans: tuple[_T, ...], field: int) -> None: ...
    @property
    def text(self) -> str: ...
    @property
    def spans(self) -> tuple[_T, ...]: ...
    @property
    def field(self) -> int: ...

@disjoint_base
class SnippetWindow:
    def __init__(
        self,
        text: _B,
        fields: ReadableBuffer,
        at: int,
        first: int,
        last: int,
        width: int,
        begin: Callable[[_B, int, int], int] | None = None,
    ) -> None: ...
    @property
    def field(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...
    @property
    def spans(self) -> list[tuple[int, int]]: ...
    @property
    def text(self) -> str: ...
    @property
    def before(self) -> int: ...
    @property
    def ellipses(self) -> tuple[str, str]: ...
    def select(
        self,
        matches: list[tuple[int, int, int, int, float]],
        first: int,
        last: int,
        width: int,
        weights: list[float],
    ) -> None: ...
    def cut(self, make: Callable[[int, int, int, int], _T]) -> Snippet[_T]: ...
