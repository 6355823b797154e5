from collections.abc import Callable

from _typeshed import ReadableBuffer

def passage_ends(text: bytes, longest: int) -> list[int]: ...
def fold_ranges(
    text: ReadableBuffer, starts: ReadableBuffer, ends: ReadableBuffer, fold: Callable[[str], str]
) -> list[str]: ...
