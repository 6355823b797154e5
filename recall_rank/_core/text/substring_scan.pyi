from _typeshed import ReadableBuffer, WriteableBuffer

def find(text: ReadableBuffer, needle: bytes, start: int = 0, wide: bool = True) -> int: ...
def stands(
    text: ReadableBuffer,
    starts: ReadableBuffer,
    ends: ReadableBuffer,
    needle: bytes,
    most: int,
    wide: bool = True,
) -> list[tuple[int, bool]]: ...
def mark_parts(
    text: ReadableBuffer,
    starts: ReadableBuffer,
    needle: bytes,
    marks: WriteableBuffer,
    eligible: ReadableBuffer | None = None,
    deadline_ns: int = 0,
    wide: bool = True,
) -> int: ...
def mark_ranges(
    text: ReadableBuffer,
    starts: ReadableBuffer,
    ends: ReadableBuffer,
    needle: bytes,
    marks: WriteableBuffer,
    wide: bool = True,
) -> None: ...
def count_points(text: ReadableBuffer, start: int, end: int, wide: bool = True) -> int: ...
