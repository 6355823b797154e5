from typing import Self

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

def shorten(
    names: ReadableBuffer,
    starts: ReadableBuffer,
    holder: ReadableBuffer,
    holders: ReadableBuffer,
    holder_starts: ReadableBuffer,
) -> tuple[bytearray, memoryview]: ...
def lengthen(
    records: ReadableBuffer,
    starts: ReadableBuffer,
    holder: ReadableBuffer,
    first: int,
    holders: ReadableBuffer,
    holder_starts: ReadableBuffer,
) -> tuple[bytearray, memoryview]: ...

@disjoint_base
class Shortened:
    def __new__(cls, records: ReadableBuffer, starts: ReadableBuffer, verified: ReadableBuffer, block: int) -> Self: ...
    def name(self, at: int, holder: str) -> str | None: ...
