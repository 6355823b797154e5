from typing import Self

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

def encode_ids(
    names: ReadableBuffer,
    starts: ReadableBuffer,
    holder: ReadableBuffer,
    holders: ReadableBuffer,
    holder_starts: ReadableBuffer,
) -> tuple[bytearray, memoryview]: ...
def decode_ids(
    records: ReadableBuffer,
    starts: ReadableBuffer,
    holder: ReadableBuffer,
    first: int,
    holders: ReadableBuffer,
    holder_starts: ReadableBuffer,
) -> tuple[bytearray, memoryview]: ...

@disjoint_base
class IdRecords:
    def __new__(cls, records: ReadableBuffer, starts: ReadableBuffer, verified: ReadableBuffer, block: int) -> Self: ...
    def name(self, at: int, holder: str) -> str | None: ...
