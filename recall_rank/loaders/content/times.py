"""Convert recorded times to milliseconds since 1970 UTC, and describe those that are no times.

Every loader passes every time through millis() before it compares or sorts times: a column or member that should have a
time may hold any value.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, Protocol

from recall_rank.loaders.json.parse import Record
from recall_rank.model import Malformed

LATEST: Final = 253_402_300_800_000  # the year 10000, which no calendar here has
_FIRST_SECOND, _FIRST_MS = 100_000_000, 100_000_000_000  # March 1973 in seconds and in milliseconds
_UNKNOWN = ("", "0", b"", b"0")
_LONGEST = 64  # characters of a time that is stored as text

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 30
_short.maxlist = _short.maxdict = 2
_short.maxlevel = 1


class _Records(Protocol):
    """Records of one file with their line numbers; `malformed` describes those that cannot be used."""

    malformed: list[Malformed]
    location: str

    def __iter__(self) -> Iterator[tuple[int, Record]]: ...


def millis(value: Any) -> int:
    """Milliseconds since 1970 UTC before the year 10000, from an ISO text or a number; 0 for any other value.

    The size of a number tells its unit: what would be before March 1973 in milliseconds is a number of seconds, which
    lasts until the year 5138. Databases return text as bytes.
    """
    kind = type(value)
    if kind is str:
        return _from_text(value) if len(value) <= _LONGEST else 0
    if kind is int or kind is float:
        return _from_number(value)
    return _from_text(value.decode("utf-8", "replace")) if kind is bytes and len(value) <= _LONGEST else 0


def _from_number(value: float) -> int:
    if _FIRST_SECOND <= value < _FIRST_MS:
        return int(value * 1000 + 0.5)
    return int(value) if 0 < value < LATEST else 0


@lru_cache(64)  # a record's time is asked for several times in a row
def _from_text(value: str) -> int:
    try:
        if value.isdigit() and len(value) > 8:  # eight digits are a date
            return _from_number(int(value))
        when = datetime.fromisoformat(value)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return max(0, int(when.timestamp() * 1000 + 0.5))
    except (ValueError, OverflowError):
        return 0


def odd_time(value: Any) -> str | None:
    """Return the reason why a recorded time cannot be used; None when it can, and for null, 0 and empty text, which
    stand for an unknown time.
    """
    kind = type(value)
    if value is None or millis(value) or (value == 0 if kind is int or kind is float else value in _UNKNOWN):
        return None
    if kind is int and value.bit_length() > 64:
        shown = f"an integer of {value.bit_length()} bits"
    else:
        text = value[:_LONGEST].decode("utf-8", "replace") if kind is bytes else value
        shown = _short.repr(text[:_LONGEST] if kind is bytes or kind is str else value)
    return f"{shown} is no time"


def odd_times(record: Record, *paths: str) -> Iterator[str]:
    """Yield "path: reason" for each value at `paths` in the record that cannot be used as a time. A path has the names
    that lead to a value, with dots between them.
    """
    for path in paths:
        value: Any = record
        for name in path.split("."):
            value = value.get(name) if type(value) is dict else None
        if reason := odd_time(value):
            yield f"{path}: {reason}"


def with_checked_times(records: _Records, *paths: str) -> Iterator[tuple[int, Record]]:
    """Yield the numbered records unchanged, and add to `records.malformed` each record in which a value at one of
    `paths` cannot be used as a time. A record that was just added there for another reason is not added again. A path
    has the names that lead to a value, with dots between them.
    """
    malformed = records.malformed
    plain = [path for path in paths if "." not in path]
    deep = [path.split(".") for path in paths if "." in path]
    for number, record in records:
        yield number, record
        for name in plain:
            value = record.get(name)
            if value is not None and not millis(value):
                break
        else:
            for names in deep:
                value = record
                for name in names:
                    value = value.get(name) if type(value) is dict else None
                if value is not None and not millis(value):
                    break
            else:
                continue
        reasons = list(odd_times(record, *paths))
        place = f"line {number}"
        if reasons and (not malformed or malformed[-1].place != place):
            malformed.append(Malformed(records.location, place, "; ".join(reasons)))
