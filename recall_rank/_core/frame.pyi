from _typeshed import ReadableBuffer

def frame(
    text: ReadableBuffer,
    start: int,
    end: int,
    events: list[tuple[int, int, int, int, float]],
    first: int,
    last: int,
    width: int,
    weights: list[float],
) -> tuple[int, int, list[tuple[int, int]]]: ...
