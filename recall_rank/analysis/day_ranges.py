"""Parse the first and the last day of a time range, as people and agents write them, to a TimeWindow.

Both ends are inclusive: a last day of 2026-03-04 ends with the last millisecond of that day, a last month with that of
its last day. All times are UTC.
"""

from __future__ import annotations

import re
from typing import Final

from recall_rank.analysis.date_mentions import named_dates
from recall_rank.analysis.time_filters import (
    DAY_MS,
    EmptyTimeWindow,
    TimeWarning,
    TimeWindow,
    parse_duration,
    parse_instant,
)
from recall_rank.model.option_errors import OptionValueError
from recall_rank.model.serialize import json_kind

ACCEPTED_DAYS: Final = (
    "a day (2026-03-04, March 4 2026), a month (2026-03), a year, today, yesterday, a duration (3d, 2w) or a date-time"
)
FIRST, LAST = "date_from", "date_to"
_ISO: Final = re.compile(r"([0-9]{4})(?:[-/.]([0-9]{1,2})(?:[-/.]([0-9]{1,2}))?)?")
_AHEAD_MS: Final = 100 * 366 * DAY_MS  # a date may lie so far in the future
_LONGEST: Final = 60  # characters of a value that a message quotes, and of a value that is read


def day_window(now: int, date_from: object = None, date_to: object = None, *, strict: bool = True) -> TimeWindow:
    """Return the times from the beginning of `date_from` to the end of `date_to`; a bound that is None or blank is
    open.

    `now` is in epoch milliseconds. A month or day without a year is the last one that has begun. If `strict`, a value
    that cannot be parsed raises OptionValueError, which names the parameter, the value and the accepted values;
    otherwise the value is ignored with a warning. A range that ends before it begins raises EmptyTimeWindow.
    """
    warnings: list[TimeWarning] = []
    first = _period(FIRST, date_from, now, strict, warnings)
    last = _period(LAST, date_to, now, strict, warnings)
    if first is not None and last is not None and first[0] >= last[1]:
        raise EmptyTimeWindow(f"{FIRST}={_quoted(date_from)} is after {LAST}={_quoted(date_to)}: no day lies between")
    after = None if first is None else max(1, first[0] - 1)
    return TimeWindow(after, None if last is None else last[1], tuple(warnings))


def _period(name: str, value: object, now: int, strict: bool, warnings: list[TimeWarning]) -> tuple[int, int] | None:
    """Return the times [start, end) that the value of the parameter `name` means, in epoch milliseconds; None for no
    bound.

    A value that cannot be parsed raises OptionValueError if `strict`; otherwise it gives None and adds to `warnings`.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    found = _read(value, now)
    if found is not None:
        return found
    text = f"must be {ACCEPTED_DAYS}, not {_quoted(value)}"
    if strict:
        raise OptionValueError(name, text)
    warnings.append(TimeWarning("time_ignored", name, f"Ignored {name}: it {text}"))
    return None


def _read(value: object, now: int) -> tuple[int, int] | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if not isinstance(value, str):
        return _moment(parse_instant(value, now))
    text = value.strip()
    if len(text) > _LONGEST:
        return None
    iso = _ISO.fullmatch(text)
    if iso is not None:
        return _calendar_period(*(int(group) if group else None for group in iso.groups()))
    duration = parse_duration(text)
    if duration is not None:
        return _moment(max(1, now - duration))
    time = parse_instant(text, now)
    if time is not None:
        return (time, time + DAY_MS) if text.lower() in ("today", "yesterday") else _moment(time)
    return _named_period(text, now)


def _moment(time: int | None) -> tuple[int, int] | None:
    return None if time is None else (time, time + 1)


def _calendar_period(year: int | None, month: int | None = None, day: int | None = None) -> tuple[int, int] | None:
    """Return the times [start, end) of a year, a month or a day, in epoch milliseconds; None for one not in the
    calendar.
    """
    year = year or 0
    start = parse_instant(f"{year:04}-{month or 1:02}-{day or 1:02}", 0)
    if start is None:
        return None
    if day is not None:
        return start, start + DAY_MS
    following = (year + 1, 1) if month in (None, 12) else (year, (month or 0) + 1)
    end = parse_instant(f"{following[0]:04}-{following[1]:02}-01", 0)
    return None if end is None else (start, end)


def _named_period(text: str, now: int) -> tuple[int, int] | None:
    """Return the times [start, end) of the only date in a text such as "March 4", in epoch milliseconds.

    Without a year, it is the last one that has begun at the time `now`. None unless the text has exactly one date.
    """
    dates = named_dates(f"in {text}", 1, now + _AHEAD_MS)
    if len(dates) != 1:
        return None
    ranges = dates[0]
    begun = [each for each in ranges if each[0] <= now]
    return ranges[0] if len(ranges) == 1 else max(begun, default=None)


def _quoted(value: object) -> str:
    text = repr(value) if isinstance(value, str | int | float) else json_kind(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
