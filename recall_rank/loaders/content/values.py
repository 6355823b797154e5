"""Convert JSON values to the types of the model: text, times in milliseconds, mappings, lists and paths."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

_FILE_KEYS = ("file_path", "filePath", "notebook_path", "notebookPath", "path")
_LATEST = 1 << 53


def text_of(value: Any) -> str | None:
    """A string unchanged, a number as digits, None for any other value."""
    if value is None or type(value) is str:
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def millis(value: Any) -> int:
    """Milliseconds since 1970 UTC, from an ISO text or a number of milliseconds; 0 for any other value."""
    if type(value) is str:
        return _from_iso(value)
    if type(value) is int:
        return value if 0 < value < _LATEST else 0
    return int(value) if type(value) is float and 0 < value < _LATEST else 0


@lru_cache(64)  # a record's time is asked for several times in a row
def _from_iso(value: str) -> int:
    try:
        when = datetime.fromisoformat(value)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return max(0, int(when.timestamp() * 1000 + 0.5))
    except (ValueError, OverflowError):
        return 0


def mapping(value: Any) -> dict[str, Any]:
    """The value when it is a mapping, else an empty mapping."""
    return value if type(value) is dict else {}


def listed(value: Any) -> list[Any]:
    """The value when it is a list, else an empty list."""
    return value if type(value) is list else []


def touched_files(tool_input: Any) -> tuple[str, ...]:
    """The paths of files that a tool call names in its input."""
    if type(tool_input) is not dict or tool_input.keys().isdisjoint(_FILE_KEYS):
        return ()
    return tuple([value for key in _FILE_KEYS if type(value := tool_input.get(key)) is str and value])
