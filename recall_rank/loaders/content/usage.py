"""What an answer used, however its program counts: all that was sent, all that was written, and what of both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recall_rank.model import Tokens

_MOST = 1 << 53


def tokens_of(
    sent: Any,
    written: Any,
    cached: Any = None,
    reasoning: Any = None,
    *,
    beside_sent: Iterable[Any] = (),
    beside_written: Iterable[Any] = (),
) -> Tokens | None:
    """The counts; None where there is none, or all are 0: then nothing was asked of a model.

    `beside_sent` and `beside_written` are what the program counts apart from what it calls sent and written.
    """
    found = Tokens(_sum(sent, beside_sent), _sum(written, beside_written), _count(cached), _count(reasoning))
    return found if found.input or found.output else None


def add_tokens(one: Tokens | None, other: Tokens | None) -> Tokens | None:
    """The sum of two accounts."""
    if one is None or other is None:
        return one or other
    return Tokens(
        _sum(one.input, (other.input,)),
        _sum(one.output, (other.output,)),
        _sum(one.cached, (other.cached,)),
        _sum(one.reasoning, (other.reasoning,)),
    )


def dollars(value: Any) -> float | None:
    """A cost; None where nothing that costs was recorded: free and unknown cannot be told apart there."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _MOST:
        return float(value)
    return None


def _sum(first: Any, rest: Iterable[Any]) -> int | None:
    known = [count for count in map(_count, (first, *rest)) if count is not None]
    return sum(known) if known else None


def _count(value: Any) -> int | None:
    return int(value) if type(value) in {int, float} and 0 <= value < _MOST else None
