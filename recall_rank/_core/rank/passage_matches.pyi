from collections.abc import Callable
from typing import Any, NamedTuple

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

from recall_rank._core.rank.snippet_window import SnippetWindow

class WordMatch(NamedTuple):
    start: int
    end: int
    slot: int
    span: int
    similarity: float

@disjoint_base
class PassageMatches:
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
    def matches(self) -> list[WordMatch]: ...
    def words(self, written: list[str | None]) -> tuple[str, ...]: ...
    def snippet_window(
        self,
        fields: ReadableBuffer,
        width: int,
        weights: list[float],
        begin: Callable[[Any, int, int], int] | None = None,
    ) -> SnippetWindow: ...
