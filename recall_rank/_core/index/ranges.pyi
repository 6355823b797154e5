from _typeshed import ReadableBuffer

from recall_rank._core.index.postings import Postings

def held_in(postings: Postings, first: int, last: int, starts: ReadableBuffer, ends: ReadableBuffer) -> int: ...
