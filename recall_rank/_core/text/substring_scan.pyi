from _typeshed import ReadableBuffer, WriteableBuffer

def find(text: ReadableBuffer, needle: bytes, start: int = 0, use_simd: bool = True) -> int: ...
def first_standalone(
    text: ReadableBuffer,
    starts: ReadableBuffer,
    ends: ReadableBuffer,
    needle: bytes,
    most: int,
    use_simd: bool = True,
) -> list[tuple[int, bool]]: ...
def mark_parts(
    text: ReadableBuffer,
    starts: ReadableBuffer,
    needle: bytes,
    marks: WriteableBuffer,
    eligible: ReadableBuffer | None = None,
    deadline_ns: int = 0,
    use_simd: bool = True,
) -> int: ...
def mark_ranges(
    text: ReadableBuffer,
    starts: ReadableBuffer,
    ends: ReadableBuffer,
    needle: bytes,
    marks: WriteableBuffer,
    use_simd: bool = True,
) -> None: ...
def count_code_points(text: ReadableBuffer, start: int, end: int, use_simd: bool = True) -> int: ...
