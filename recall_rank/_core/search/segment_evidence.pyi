from typing import Self

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.index.postings import Postings

@disjoint_base
class SegmentSource:
    @property
    def columns(self) -> DocColumns: ...
    @property
    def postings(self) -> Postings: ...
    @property
    def first_part(self) -> int: ...
    @property
    def first_doc(self) -> int: ...
    def __new__(
        cls,
        columns: DocColumns,
        postings: Postings,
        first_part: int = 0,
        first_doc: int = 0,
        live_parts: ReadableBuffer | None = None,
        session_runs: tuple[ReadableBuffer, ReadableBuffer] | None = None,
    ) -> Self: ...

@disjoint_base
class SegmentEvidence:
    def __new__(cls, source: SegmentSource) -> Self: ...
