"""The time a search may take, and what it says when that was not enough."""

from __future__ import annotations

import enum
from collections.abc import Callable
from time import monotonic_ns
from typing import Any, Final

Clock = Callable[[], int]  # nanoseconds; time.monotonic_ns, or a test's own
SCORE_BY: Final = 0.75  # share of the budget after which scoring does not begin any more
RESERVE: Final = 0.3  # share of the budget that is kept for the answer itself,
RESERVE_MS: Final = 2.0  # but no more than this: a page is made, and its snippets are cut


class DegradeKind(enum.StrEnum):
    """Why an answer is less than it could be; the first that applies, in this order, names the response."""

    NONE = "none"
    TIME = "time"  # the budget ended a stage
    BUDGET = "budget"  # a limit of the caller cut what was searched
    FALLBACK = "fallback"  # no term matched; the answer is the text scan's


class Deadline:
    """One search's deadline: the end of its budget less what writing the answer takes.

    Native loops compare `at_ns` with the monotonic clock themselves.
    """

    __slots__ = ("_cancel", "_clock", "_started", "at_ns", "score_by_ns")

    def __init__(self, budget_ms: float, clock: Clock = monotonic_ns, cancel: Any = None) -> None:
        self._clock = clock
        self._cancel = cancel
        self._started = clock()
        self.at_ns = self._started + int((budget_ms - min(RESERVE_MS, RESERVE * budget_ms)) * 1e6)
        self.score_by_ns = min(self.at_ns, self._started + int(budget_ms * 1e6 * SCORE_BY))

    def passed(self, ahead_ns: int = 0) -> bool:
        """Whether it is time to answer: what is left of the budget is kept for that, or the caller has cancelled.

        With `ahead_ns`, whether it will be when so much longer has been worked.
        """
        late = self._clock() + ahead_ns >= self.at_ns
        return late or (self._cancel is not None and self._cancel.is_set())

    def too_late_to_score(self) -> bool:
        return self._clock() >= self.score_by_ns or (self._cancel is not None and self._cancel.is_set())

    def elapsed_ms(self) -> float:
        return (self._clock() - self._started) / 1e6
