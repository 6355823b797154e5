from array import array
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

from recall_rank._core.search.hits import Hits

_Confidence: TypeAlias = Literal["low", "medium", "high"]
_Stage: TypeAlias = Literal["prefilter", "score", "scan"]

BOOSTS: tuple[str, ...]

@disjoint_base
class Candidate:
    part: int
    doc: int
    time: int
    evidence: float
    quoted: float
    whole: float
    similarity: float
    extra: float
    others: float
    raw: float
    score: float
    sure: float
    confidence: _Confidence
    stage: _Stage
    def __init__(self, part: int, doc: int, evidence: float, time: int = 0, stage: _Stage = "prefilter") -> None: ...
    @property
    def features(self) -> Sequence[float]: ...
    @property
    def phrase(self) -> float: ...
    @property
    def boosts(self) -> Sequence[float]: ...
    def forget(self) -> None: ...
    def stand_for(self, other: Candidate) -> None: ...
    def explain(self) -> dict[str, float]: ...

def of_hits(hits: Hits, times: list[int], ceiling: float) -> list[Candidate]: ...
def take_features(candidates: list[Candidate], table: ReadableBuffer) -> None: ...
def docs_of(candidates: list[Candidate]) -> list[int]: ...
def in_a_run(candidates: list[Candidate], least: float) -> list[Candidate]: ...
def around(
    candidates: list[Candidate],
    doc_start: ReadableBuffer,
    first_doc: int,
    part_start: ReadableBuffer,
    first_part: int,
    reach: int,
) -> tuple[array[int], array[int]]: ...
def windows(
    candidates: list[Candidate], doc_start: ReadableBuffer, first_doc: int
) -> tuple[array[int], array[int]]: ...
def boost(candidates: list[Candidate], worth: ReadableBuffer, now: int, fade: float) -> None: ...
def signs_of(candidate: Candidate, words: float, plenty: float, least: float) -> list[float]: ...
def chances(
    candidates: list[Candidate],
    asked: ReadableBuffer,
    chance: ReadableBuffer,
    sure: ReadableBuffer,
    words: float,
    plenty: float,
    least: float,
) -> None: ...
def best_first(candidates: list[Candidate], names: Callable[[Candidate], object]) -> list[Candidate]: ...
def in_turns(candidates: list[Candidate], sessions: list[int], most: int, share: float) -> list[int]: ...
