from array import array
from collections.abc import Callable

from _typeshed import ReadableBuffer

def cut(text: bytes, longest: int) -> list[int]: ...
def passages(docs: list[int], doc_start: ReadableBuffer, first_doc: int) -> tuple[array[int], array[int]]: ...
def folded(
    text: ReadableBuffer, starts: ReadableBuffer, ends: ReadableBuffer, fold: Callable[[str], str]
) -> list[str]: ...
