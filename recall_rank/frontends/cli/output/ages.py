"""Times as a person reads them: a UTC date and how long ago it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from recall_rank.analysis.time_filters import DAY_MS, HOUR_MS, MINUTE_MS

_STEPS: Final = (  # up to this age, in this unit, called that
    (HOUR_MS, MINUTE_MS, "min"),
    (2 * DAY_MS, HOUR_MS, "h"),
    (14 * DAY_MS, DAY_MS, "days"),
    (60 * DAY_MS, 7 * DAY_MS, "weeks"),
    (2 * 365 * DAY_MS, 30 * DAY_MS, "months"),
)


def age(time: int, now: int) -> str:
    """How long before now: "just now", "5 min ago", "3 weeks ago"; "ahead" for clocks that were wrong."""
    if time <= 0:
        return "time unknown"
    distance = abs(now - time)
    if distance < MINUTE_MS:
        return "just now"
    for limit, unit, name in _STEPS:
        if distance < limit:
            return f"{distance // unit} {name} {'ago' if time <= now else 'ahead'}"
    return f"{distance // (365 * DAY_MS)} years {'ago' if time <= now else 'ahead'}"


def stamp(time: int) -> str:
    """The UTC minute, "" when unknown or outside the calendar."""
    if time <= 0:
        return ""
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time)
    except OverflowError:
        return ""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
