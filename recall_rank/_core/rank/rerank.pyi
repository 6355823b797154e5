from collections.abc import Callable

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.rank.candidate import BOOSTS as BOOSTS
from recall_rank._core.rank.candidate import Candidate
from recall_rank._core.rank.matcher import Matcher
from recall_rank._core.rank.passage_names import QueryName

@disjoint_base
class RerankQuery:
    def __init__(
        self,
        matcher: Matcher,
        whole: bytes,
        phrases: list[bytes],
        names: list[QueryName],
        *,
        width: int,
        least_phrase: float,
    ) -> None: ...

@disjoint_base
class SegmentTexts:
    def __init__(
        self,
        text_between: Callable[..., ReadableBuffer],
        doc_start: ReadableBuffer,
        part_start: ReadableBuffer,
        part_first_doc: ReadableBuffer,
        columns: DocColumns,
        first_doc: int = 0,
        first_part: int = 0,
    ) -> None: ...
    def mark_holding(self, docs: list[int], whole: bytes) -> bytearray: ...
    def measure(self, candidates: list[Candidate], query: RerankQuery, deadline_ns: int = 0) -> bool: ...

def compare(
    candidates: list[Candidate], names: list[QueryName], fold: Callable[[str], str], deadline_ns: int = 0
) -> bool: ...
def boost(candidates: list[Candidate], worth: object, long_part: float) -> None: ...
def order(candidates: list[Candidate], names: Callable[[Candidate], object]) -> list[Candidate]: ...
def diversify(candidates: list[Candidate], sessions: list[int], most: int, share: float) -> list[int]: ...
