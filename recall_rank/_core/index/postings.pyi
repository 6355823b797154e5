from typing import Protocol, Self

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

class _Loader(Protocol):
    def load(self, ranges: list[tuple[int, int]], /) -> None: ...
    def load_counts(self, ranges: list[tuple[int, int]], /) -> None: ...

@disjoint_base
class Postings:
    @property
    def buffers(self) -> tuple[ReadableBuffer, ...]: ...
    @property
    def term_count(self) -> int: ...
    @property
    def block_count(self) -> int: ...
    def __new__(
        cls,
        shared_bits: ReadableBuffer,
        shared_ranks: ReadableBuffer,
        lone_docs: ReadableBuffer,
        lone_blocks: ReadableBuffer,
        df: ReadableBuffer,
        frequent: ReadableBuffer,
        more: ReadableBuffer,
        block_starts: ReadableBuffer,
        block_bits: ReadableBuffer,
        block_ranks: ReadableBuffer,
        pointers: ReadableBuffer,
        frames: ReadableBuffer,
        *,
        loader: _Loader | None = None,
    ) -> Self: ...
    def __len__(self) -> int: ...
    def frequency(self, first: int, last: int, eligible: ReadableBuffer | None = None) -> int: ...
    def frequency_in(self, first: int, last: int, starts: ReadableBuffer, ends: ReadableBuffer) -> int: ...
    def frequencies(self, groups: list[list[tuple[int, int, float]]], most: int) -> list[int]: ...
    def postings(self, term: int) -> list[tuple[int, int]]: ...
    def keys(self, block: int, numbers: ReadableBuffer, places: ReadableBuffer, base: int) -> bytes: ...
