from typing import Final

from _typeshed import ReadableBuffer, WriteableBuffer

MOST_BYTES: Final[int]

def pack_blocks(text: ReadableBuffer, dictionary: ReadableBuffer, block: int) -> tuple[bytearray, memoryview]: ...
def unpack_blocks(
    packed: ReadableBuffer,
    starts: ReadableBuffer,
    dictionary: ReadableBuffer,
    blocks: ReadableBuffer,
    text: WriteableBuffer,
    block: int,
) -> None: ...
