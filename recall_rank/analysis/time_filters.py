"""Parse time filters, as people and agents write them, to two exclusive bounds in milliseconds since 1970 (epoch).

All times are UTC, so that a filter does not depend on the machine. A date means its midnight, a day word such as
"today" the start of that day, and a date-time without a zone is UTC. A month counts 30 days, a year 365.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from recall_rank.model.option_errors import OptionValueError
from recall_rank.model.record_classes import frozen

SECOND_MS: Final = 1_000
MINUTE_MS: Final = 60 * SECOND_MS
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS

MAX_TIME_MS: Final = 8_640_000_000_000_000  # the last instant JavaScript agents can write
MIN_EPOCH_DIGITS: Final = 12  # shorter digit strings are years or mistakes, not milliseconds

_UNIT_MS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), MINUTE_MS),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), HOUR_MS),
    **dict.fromkeys(("d", "day", "days"), DAY_MS),
    **dict.fromkeys(("w", "week", "weeks"), 7 * DAY_MS),
    **dict.fromkeys(("mo", "month", "months"), 30 * DAY_MS),
    **dict.fromkeys(("y", "yr", "yrs", "year", "years"), 365 * DAY_MS),
}
_DURATION: Final = re.compile(r"([0-9]{1,15})\s*([a-z]{1,7})(?:\s+ago)?")
_AMBIGUOUS: Final = re.compile(r"[0-9]+\s*M(?:\s+ago)?")
_DATE: Final = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:[t ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
    r"\s*(z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?)?)?"
)

_LOWER: Final = ("after", "from", "last", "since")  # ties go to the first named
_UPPER: Final = ("before", "to", "until")
_TAKES_DURATION: Final = frozenset({"from", "last", "since", "until"})
_TAKES_SMALL_NUMBERS: Final = frozenset({"after", "before"})  # documented as plain epoch ms from the start

ACCEPTED: Final = "a date (2026-05-27), a date-time (2026-05-27T18:00Z), now, today, yesterday or epoch milliseconds"
ACCEPTED_DURATION: Final = "a duration (30m, 2h, 3d, 1w, 2mo, 1y), " + ACCEPTED


class TimeWarning(NamedTuple):
    """A warning about a time filter: its category, the parameter it is about, and the sentence to show."""

    category: str
    parameter: str
    text: str


class EmptyTimeWindow(ValueError):  # noqa: N818 - it names the window
    """The bounds of a time filter exclude every time: the lower bound is not before the upper bound."""


@frozen
class TimeWindow:
    """The times t with after < t < before, in epoch milliseconds; None is no bound. `warnings` are for the caller."""

    after: int | None = None
    before: int | None = None
    warnings: Sequence[TimeWarning] = ()

    def __contains__(self, time: int) -> bool:
        return (self.after is None or self.after < time) and (self.before is None or time < self.before)


UNBOUNDED: Final = TimeWindow()


def parse_duration(text: str) -> int | None:
    """Return the milliseconds of a duration such as "2h", "3 days" or "1w ago"; None for any other text.

    None for "1M", too: it is a month for some programs and a minute for others.
    """
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None or found[2] not in _UNIT_MS or _is_ambiguous(text):
        return None
    return int(found[1]) * _UNIT_MS[found[2]]


def _is_ambiguous(value: object) -> bool:
    """Return whether a value is a number with the unit M, which could be minutes or months."""
    return isinstance(value, str) and _AMBIGUOUS.fullmatch(value.strip()) is not None


def parse_instant(value: str | float, now: int) -> int | None:
    """Return the epoch milliseconds of a date, a day word or a number, as ACCEPTED lists; None for any other value.

    `now` is in epoch milliseconds. Times beyond MAX_TIME_MS, and 0 and before, are not accepted.
    """
    if isinstance(value, str):
        time = _parse_word(value.strip().lower(), now)
    else:
        time = int(value) if 0 < value <= MAX_TIME_MS else None  # neither for NaN nor for an infinity
    return time if time is not None and 0 < time <= MAX_TIME_MS else None


def _parse_word(text: str, now: int) -> int | None:
    """Return the epoch milliseconds of a day word, of a number of 12 to 20 digits or of a date; None for any other
    text.
    """
    if text == "now":
        return now
    if text in ("today", "yesterday"):
        return now - now % DAY_MS - (DAY_MS if text == "yesterday" else 0)
    if text.isascii() and text.isdigit() and MIN_EPOCH_DIGITS <= len(text) <= 20:
        return int(text)
    return _parse_date(text)


def _parse_date(text: str) -> int | None:
    """Return the epoch milliseconds of an ISO 8601 date or date-time; None for other texts and for days that do not
    exist.
    """
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(group) if group else None for group in found.groups()[:6])
    try:
        moment = datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=UTC)
    except ValueError:  # month 13, 30 February, 24:00, year 0
        return None
    # Not timestamp(): that goes through a float and may be a millisecond off.
    epoch = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    return epoch + int((found[7] or "0")[:3].ljust(3, "0")) - _zone_ms(found[8])


def _zone_ms(zone: str | None) -> int:
    """Return the offset from UTC, in milliseconds, of a time zone such as z, +02:00 or -0530; 0 for None."""
    if not zone or zone == "z":
        return 0
    digits = zone[1:].replace(":", "")
    offset = int(digits[:2]) * HOUR_MS + int(digits[2:]) * MINUTE_MS
    return -offset if zone[0] == "-" else offset


def resolve_window(
    now: int,
    *,
    after: object = None,
    from_: object = None,
    last: object = None,
    since: object = None,
    before: object = None,
    to: object = None,
    until: object = None,
    strict: bool = True,
) -> TimeWindow:
    """Return the times that satisfy all given bounds: after the latest lower bound and before the earliest upper bound.

    `now` is in epoch milliseconds. If `strict`, a value that cannot be parsed raises a ValueError that names the
    parameter, the value and the accepted values; otherwise the value is ignored, with a warning unless it is blank.
    Bounds that exclude every time raise EmptyTimeWindow.
    """
    if after is from_ is last is since is None and before is to is until is None:
        return UNBOUNDED
    warnings: list[TimeWarning] = []
    given = {"after": after, "from": from_, "last": last, "since": since, "before": before, "to": to, "until": until}
    bounds: dict[str, int] = {}
    for parameter, value in given.items():
        time = _read_bound(parameter, value, now, strict, warnings)
        if time is not None:
            bounds[parameter] = time
    lower = _choose("lower", [name for name in _LOWER if name in bounds], bounds, warnings)
    upper = _choose("upper", [name for name in _UPPER if name in bounds], bounds, warnings)
    window = TimeWindow(bounds.get(lower), bounds.get(upper), tuple(warnings))
    if window.after is not None and window.before is not None and window.after >= window.before:
        raise EmptyTimeWindow(
            f"Time filters produce an empty window: {lower}={given[lower]!r} is not before {upper}={given[upper]!r}"
        )
    return window


def _read_bound(parameter: str, value: object, now: int, strict: bool, warnings: list[TimeWarning]) -> int | None:
    """Return the bound that `value` of `parameter` means, in epoch milliseconds; None when there is none.

    A value that cannot be parsed raises if `strict`; otherwise it gives None and adds a warning unless it is blank.
    """
    if value is None:
        return None
    duration = parse_duration(value) if isinstance(value, str) else None
    if duration is not None and parameter in _TAKES_DURATION:
        return _read_duration(parameter, str(value), duration, now, strict, warnings)
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        time = parse_instant(value, now)
        if time is not None and (isinstance(value, str) or _is_plausible(parameter, time)):
            # Bounds are exclusive whole milliseconds: 5.5 as an upper bound must still let 5 through.
            return math.ceil(value) if isinstance(value, float) and parameter in _UPPER else time
    accepted = _accepted(parameter) if not _is_ambiguous(value) else "written with m for minutes or mo for months"
    if strict:
        raise OptionValueError(parameter, f"must be {accepted}, not {value!r}")
    if not _is_blank(value):
        warnings.append(TimeWarning("time_ignored", parameter, f"Ignored {parameter} {value!r}: it must be {accepted}"))
    return None


def _read_duration(
    parameter: str, value: str, duration: int, now: int, strict: bool, warnings: list[TimeWarning]
) -> int | None:
    if duration > 0:
        return max(now - duration, 1)  # a duration longer than the epoch keeps every known time
    if parameter in _UPPER:
        if not strict:
            warnings.append(TimeWarning("time_normalized", parameter, f"Normalized {parameter} {value!r} to now"))
        return now
    if strict:
        raise OptionValueError(parameter, f"must be longer than zero, not {value!r}")
    warnings.append(TimeWarning("time_zero_width", parameter, f"Ignored zero-width {parameter} {value!r}"))
    return None


def _is_plausible(parameter: str, time: int) -> bool:
    """Return whether a number can be meant as epoch milliseconds: last=7 is a mistake, not a time in 1970.

    The parameters `after` and `before` accept small numbers, too.
    """
    return parameter in _TAKES_SMALL_NUMBERS or len(str(time)) >= MIN_EPOCH_DIGITS


def _is_blank(value: object) -> bool:
    """Return whether a value is one that agents send for "no bound": blank text, or a number of 0 or less."""
    if isinstance(value, str):
        return not value.strip()
    return isinstance(value, int | float) and not isinstance(value, bool) and value <= 0


def _accepted(parameter: str) -> str:
    return ACCEPTED_DURATION if parameter in _TAKES_DURATION else f"{ACCEPTED} (durations go into since or until)"


def _choose(side: str, names: Sequence[str], bounds: Mapping[str, int], warnings: list[TimeWarning]) -> str:
    """Return the parameter with the most restrictive bound among `names`; "" when there is none.

    `bounds` maps a parameter to its bound, `side` is "lower" or "upper". A warning names the parameters that lose.
    """
    if not names:
        return ""
    pick = max if side == "lower" else min
    winner = pick(names, key=lambda name: bounds[name])  # of equals the first, as max and min guarantee
    losers = [name for name in names if bounds[name] != bounds[winner]]
    if losers:
        text = f"Used {winner} as the {side} time bound; ignored less restrictive {', '.join(losers)}"
        warnings.append(TimeWarning(f"{side}_bound_chosen", winner, text))
    return winner
