"""Find dates in the text of a query, and convert them to time ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)[0-9]{2})"
_FORMS = (
    rf"\b{_YEAR}-(?P<number>[01][0-9])(?:-(?P<day>[0-3][0-9]))?\b",
    rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}\b(?:,?\s+{_YEAR}\b)?",
    rf"\b{_MONTH}\.?\s+{_DAY}\b(?!:)(?:,?\s+{_YEAR}\b)?",
    rf"\b{_MONTH},?\s+{_YEAR}\b",
    rf"\b(?:in|during|since|until|by|of|last|this|early|late|mid)\s+{_MONTH}\b",
    rf"\b(?:in|during|since|of)\s+{_YEAR}\b",
)


# Every form of a date contains a hint and matches _HINT. Most queries contain no hint, and most others do not match.
_HINTS = (*_MONTHS, "19", "20")
_HINT = rf"{_YEAR}|\b{_MONTH}\b"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of this module compiled; not on import, since most processes search for no date."""
    return re.compile(pattern, re.IGNORECASE)


def names_a_date(text: str) -> bool:
    """Return whether a text contains a date in one of the formats that named_dates() reads."""
    folded = text.casefold()  # the forms ignore case, by which a long s equals an s
    for hint in _HINTS:
        if hint in folded:
            return _compiled(_HINT).search(text) is not None and any(_compiled(form).search(text) for form in _FORMS)
    return False


def named_dates(text: str, oldest: int, newest: int) -> list[list[tuple[int, int]]]:
    """Return, for each date in `text`, the time ranges [start, end) that it may mean, in milliseconds since 1970, UTC.

    A date without a year has one range in each year from `oldest` to `newest`, times of the history in ms. Ranges that
    do not overlap [oldest, newest] are left out, and dates without any range, too.
    """
    if not newest:
        return []
    years = range(_year(oldest), _year(newest) + 1)
    found: list[list[tuple[int, int]]] = []
    taken: list[tuple[int, int]] = []
    for form in _FORMS:
        for match in _compiled(form).finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            ranges = [r for r in _ranges(match.groupdict(), years) if r[0] <= newest and oldest < r[1]]
            if ranges:
                found.append(ranges)
    return found


def _ranges(named: dict[str, str | None], years: range) -> Iterator[tuple[int, int]]:
    """Yield the time ranges [start, end) of a matched date, in ms: one in its own year, or, without a year, one in each
    of `years`.
    """
    month = int(named.get("number") or 0)
    if named.get("month"):
        month = _MONTHS.index(str(named["month"])[:3].lower()) + 1
    day = int(named.get("day") or 0)
    for year in [int(str(named["year"]))] if named.get("year") else years:
        try:
            if not month:
                yield _ms(year, 1, 1), _ms(year + 1, 1, 1)
            elif not day:
                yield _ms(year, month, 1), _ms(year + month // 12, month % 12 + 1, 1)
            else:
                start = _ms(year, month, day)
                yield start, start + 86_400_000
        except ValueError:  # no such day, or a year outside of the calendar
            continue


def _ms(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, tzinfo=UTC).timestamp() * 1000)


def _year(time: int) -> int:
    return datetime.fromtimestamp(max(0, time) / 1000, UTC).year
