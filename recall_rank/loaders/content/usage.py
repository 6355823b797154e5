"""Convert the token counts and costs that programs record to those that the model package defines."""

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
    """Return the token counts; None when all are absent or 0, which means that no model was called.

    `sent` and `written` are the counts of input and output tokens. `beside_sent` and `beside_written` are further
    counts that the program keeps separately and that are added to them.
    """
    found = Tokens(_sum(sent, beside_sent), _sum(written, beside_written), _count(cached), _count(reasoning))
    return found if found.input or found.output else None


def add_tokens(one: Tokens | None, other: Tokens | None) -> Tokens | None:
    """Return the sums of the counts of both; None when both are None."""
    if one is None or other is None:
        return one or other
    return Tokens(
        _sum(one.input, (other.input,)),
        _sum(one.output, (other.output,)),
        _sum(one.cached, (other.cached,)),
        _sum(one.reasoning, (other.reasoning,)),
    )


def dollars(value: Any) -> float | None:
    """Return the cost in US dollars when it is positive, else None: programs also record 0 for an unknown cost."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _MOST:
        return float(value)
    return None


def _sum(first: Any, rest: Iterable[Any]) -> int | None:
    known = [count for count in map(_count, (first, *rest)) if count is not None]
    return sum(known) if known else None


def _count(value: Any) -> int | None:
    return int(value) if type(value) in {int, float} and 0 <= value < _MOST else None
