from collections.abc import Iterator, Sequence
from typing import NamedTuple

from typing_extensions import disjoint_base

class Hit(NamedTuple):
    part: int
    doc: int
    score: float
    base: float
    tier: int

class SessionHit(NamedTuple):
    session: int
    part: int
    doc: int
    score: float
    hits: int
    title: bool
    tier: int

@disjoint_base
class Hits:
    def __init__(self, rows: Sequence[Hit] = ()) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, at: int, /) -> Hit: ...
    def __iter__(self) -> Iterator[Hit]: ...
    @property
    def first_tier(self) -> int: ...
    def parts(self) -> list[int]: ...
    def docs(self) -> list[int]: ...
    def taken(self, places: Sequence[int]) -> Hits: ...
