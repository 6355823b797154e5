from _typeshed import ReadableBuffer

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
