from _typeshed import ReadableBuffer, WriteableBuffer

def cosines(
    values: ReadableBuffer,
    scales: ReadableBuffer,
    query: ReadableBuffer,
    found: WriteableBuffer,
    deadline_ns: int = 0,
) -> int: ...
