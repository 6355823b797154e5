"""The matches of a query in one passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Match = tuple[int, int, int, int, float]  # start, end, slot, span, similarity


@dataclass
class PassageMatches:
    """What of a query stands in a passage."""

    first: int
    last: int = -1
    slots: int = 0
    fields: int = 0
    matches: list[Match] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.last = max(self.first, self.last)

    def shown(self, fields: Sequence[int], weights: Sequence[float]) -> int:
        inside = [match for match in self.matches if self.first <= match[0] and match[1] <= self.last]
        groups = [[match for match in inside if low <= match[0] < high] for low, high in pairwise(fields)]
        best = max(groups, key=lambda group: round(_weight(group, weights), 6), default=[]) or inside
        return best[len(best) // 2][0] if best else self.first

    def words(self, written: Sequence[str | None]) -> tuple[str, ...]:
        found = [word for k, word in enumerate(written[:64]) if word is not None and self.slots >> k & 1]
        return tuple(dict.fromkeys(found))


def _weight(group: list[Match], weights: Sequence[float]) -> float:
    """Return the weight of matches: of each word the heaviest in full, and a tenth of every one."""
    each = [(slot, sum(weights[slot : slot + span]) * similarity) for _, _, slot, span, similarity in group]
    heaviest = dict(sorted(each, key=lambda pair: pair[1]))
    return sum(heaviest.values()) + 0.1 * sum(weight for _, weight in each)
