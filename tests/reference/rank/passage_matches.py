"""The matches of a query in one passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class PassageMatches:
    """What of a query stands in a passage."""

    first: int
    last: int = -1
    slots: int = 0
    fields: int = 0
    matches: list[tuple[int, int, int, int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.last = max(self.first, self.last)

    @property
    def middle(self) -> int:
        inside = [start for start, end, *_ in self.matches if self.first <= start and end <= self.last]
        return inside[len(inside) // 2] if inside else self.first

    def words(self, written: Sequence[str | None]) -> tuple[str, ...]:
        found = [word for k, word in enumerate(written[:64]) if word is not None and self.slots >> k & 1]
        return tuple(dict.fromkeys(found))
