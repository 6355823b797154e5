"""The deadline of a search, and the reasons why an answer can be incomplete."""

from __future__ import annotations

import enum
from collections.abc import Callable
from time import monotonic_ns
from typing import Any, Final

Clock = Callable[[], int]  # nanoseconds: time.monotonic_ns, or a fake one in tests
SCORE_BY: Final = 0.75  # share of the budget after which no candidate is scored
RESERVE: Final = 0.3  # share of the budget reserved for the response,
RESERVE_MS: Final = 2.0  # but at most this: a page is made, and its snippets are cut


class DegradeKind(enum.StrEnum):
    """A reason why an answer is incomplete. When several apply, a response names the first one in the order of this
    enum.
    """

    NONE = "none"
    TIME = "time"  # the budget ended a stage
    CALLER_LIMIT = "budget"  # a limit of the caller left sessions out
    FALLBACK = "fallback"  # no term matched; the hits are those of the text scan


class Deadline:
    """The deadline of one search: the end of its time budget, less a reserve for making the response.

    `at_ns` is the deadline. `score_by_ns` is the time at which scoring ends: later it does not begin, and what it has
    done is dropped if it is not complete. It is SCORE_BY of the budget, or the deadline, which comes first for budgets
    below 8 ms. Both are in nanoseconds of `clock`. Native loops compare them with the monotonic clock.
    """

    __slots__ = ("_cancel", "_clock", "_started", "at_ns", "score_by_ns")

    def __init__(self, budget_ms: float, clock: Clock = monotonic_ns, cancel: Any = None) -> None:
        self._clock = clock
        self._cancel = cancel
        self._started = clock()
        self.at_ns = self._started + int((budget_ms - min(RESERVE_MS, RESERVE * budget_ms)) * 1e6)
        self.score_by_ns = min(self.at_ns, self._started + int(budget_ms * 1e6 * SCORE_BY))

    def passed(self, ahead_ns: int = 0) -> bool:
        """Return whether the search must end: the deadline has passed, or the caller has cancelled.

        With `ahead_ns`, whether the deadline will have passed `ahead_ns` nanoseconds from now.
        """
        late = self._clock() + ahead_ns >= self.at_ns
        return late or (self._cancel is not None and self._cancel.is_set())

    def too_late_to_score(self) -> bool:
        """Return whether the time for scoring is over: `score_by_ns` has passed, or the caller has
        cancelled.
        """
        return self._clock() >= self.score_by_ns or (self._cancel is not None and self._cancel.is_set())

    def seconds_to_score(self) -> float:
        """Seconds until the time for scoring is over, 0 when it is."""
        return max(0.0, (self.score_by_ns - self._clock()) / 1e9)

    def elapsed_ms(self) -> float:
        """Milliseconds since the search began."""
        return (self._clock() - self._started) / 1e6
