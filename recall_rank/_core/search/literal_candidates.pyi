from collections.abc import Iterable

from _typeshed import ReadableBuffer, WriteableBuffer

from recall_rank._core.index.postings import Postings
from recall_rank._core.index.vocabulary import Vocabulary

def terms_containing(vocabulary: Vocabulary, run: bytes, most: int, deadline_ns: int = 0) -> list[int] | None: ...
def mark_documents(postings: Postings, terms: Iterable[int], documents: WriteableBuffer) -> None: ...
def ranges_around(
    documents: ReadableBuffer,
    doc_start: ReadableBuffer,
    doc_part: ReadableBuffer,
    part_start: ReadableBuffer,
    reach: int,
    eligible: ReadableBuffer | None = None,
) -> tuple[memoryview[int], memoryview[int], memoryview[int]]: ...
