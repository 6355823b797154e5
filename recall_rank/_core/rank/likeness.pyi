from collections.abc import Callable

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

from recall_rank._core.rank.candidate import Candidate
from recall_rank._core.rank.matcher import Matcher

@disjoint_base
class Sketch:
    @property
    def numbers(self) -> list[int]: ...
    @property
    def forms(self) -> int: ...

def comparable(candidates: list[Candidate], words: float) -> list[int]: ...
def sketches(
    matcher: Matcher,
    text_between: Callable[..., ReadableBuffer],
    doc_start: ReadableBuffer,
    first_doc: int,
    candidates: list[Candidate],
    whole: bool,
) -> list[Sketch]: ...
def resembling(sketches: list[Sketch], share: float) -> list[int]: ...
def families(
    sketches: list[Sketch], sessions: list[int], kind: Callable[[int], object], within: float, between: float
) -> list[int]: ...
