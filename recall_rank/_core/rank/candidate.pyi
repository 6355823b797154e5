from collections.abc import Sequence
from typing import Literal, TypeAlias

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
    kind: int
    people: bool
    works: bool
    size: int
    quoted: float
    whole: float
    similarity: float
    extra: float
    meaning: float
    others: float
    raw: float
    own: float
    score: float
    sure: float
    names: list[list[str]]
    confidence: _Confidence
    stage: _Stage
    def __init__(self, part: int, doc: int, evidence: float, time: int = 0, stage: _Stage = "prefilter") -> None: ...
    @property
    def was_read(self) -> bool: ...
    @property
    def features(self) -> Sequence[float]: ...
    @features.setter
    def features(self, values: Sequence[float]) -> None: ...
    @property
    def holds_names(self) -> bool: ...
    @property
    def boosts(self) -> Sequence[float]: ...
    def forget(self) -> None: ...
    def take_rank_of(self, other: Candidate) -> None: ...
    def explain(self) -> dict[str, float]: ...

def candidates_of(hits: Hits, times: list[int], ceiling: float) -> list[Candidate]: ...
