from collections.abc import Callable

from _typeshed import ReadableBuffer

def cut(text: bytes, longest: int) -> list[int]: ...
def folded(
    text: ReadableBuffer, starts: ReadableBuffer, ends: ReadableBuffer, fold: Callable[[str], str]
) -> list[str]: ...
