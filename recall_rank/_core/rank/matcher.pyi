from collections.abc import Sequence
from typing import Self

from _typeshed import ReadableBuffer, WriteableBuffer
from typing_extensions import disjoint_base

from recall_rank._core.rank.passage_matches import PassageMatches

@disjoint_base
class Matcher:
    def __new__(cls, weights: Sequence[float], counted: Sequence[bool]) -> Self: ...
    def add(self, form: bytes, slot: int, span: int, similarity: float) -> bool: ...
    def add_all(self, forms: list[tuple[bytes, int, int, float]], prefixes: list[tuple[bytes, int, float]]) -> None: ...
    def add_cue(self, form: bytes) -> bool: ...
    def add_prefix(self, form: bytes, slot: int, similarity: float) -> bool: ...
    def measure(
        self,
        text: ReadableBuffer,
        starts: ReadableBuffer,
        ends: ReadableBuffer,
        width: int,
        out: WriteableBuffer,
        deadline_ns: int = 0,
    ) -> int: ...
    def form_matches(
        self, text: ReadableBuffer, start: int, end: int
    ) -> list[tuple[int, int, int, int, float, int]]: ...
    def matches(self, text: ReadableBuffer, start: int, end: int, label: int, width: int) -> PassageMatches: ...
