"""What one engine's searches took and found."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench.reporting.ranks import quantile

if TYPE_CHECKING:
    from bench.engines import Engine

SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
# kinds of query that times could be bought with: what is misspelt, and what many words together tell
GROUPS = {
    "typo": ("identifier_typo", "identifier_typo_separator", "error_noisy"),
    "multi-term": ("phrase", "words_dropped", "error_string", "first_message_dropped", "question_answer"),
}


@dataclass(slots=True)
class Measured:
    """One engine's build and its searches."""

    engine: Engine
    build_cpu: float
    rounds: list[list[float]] = field(default_factory=list)  # ms of every search, a list a run over the queries
    unstable: int = 0  # searches that answered otherwise the second time
    _asked: Counter[str] = field(default_factory=Counter)
    _found: Counter[str] = field(default_factory=Counter)

    @property
    def spent_ms(self) -> list[float]:
        return [spent for one in self.rounds for spent in one]

    @property
    def asked(self) -> int:
        return self._asked.total()

    @property
    def found(self) -> int:
        return self._found.total()

    def at(self, share: float) -> float:
        """A quantile: the median of those of all rounds."""
        return statistics.median(quantile(one, share) for one in self.rounds)

    def note(self, kind: str, found: bool) -> None:
        """Count a query and whether its answer was there."""
        self._asked[kind] += 1
        self._found[kind] += found

    def asked_of(self, kind: str) -> int:
        """Queries of a kind, or of a group of kinds."""
        return sum(self._asked[one] for one in GROUPS.get(kind, (kind,)))

    def rate(self, kind: str) -> float:
        """The share of them whose answer was among the first ten."""
        return sum(self._found[one] for one in GROUPS.get(kind, (kind,))) / max(1, self.asked_of(kind))
