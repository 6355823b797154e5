"""Convert JSON values to the types of the model: text, mappings, lists and paths."""

from __future__ import annotations

from typing import Any

_FILE_KEYS = ("file_path", "filePath", "notebook_path", "notebookPath", "path")


def text_of(value: Any) -> str | None:
    """Return a string unchanged, a number as digits, None for any other value."""
    if value is None or type(value) is str:
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def mapping(value: Any) -> dict[str, Any]:
    """Return the value when it is a mapping, else an empty mapping."""
    return value if type(value) is dict else {}


def listed(value: Any) -> list[Any]:
    """Return the value when it is a list, else an empty list."""
    return value if type(value) is list else []


def touched_files(tool_input: Any) -> tuple[str, ...]:
    """Return the paths of files that a tool call names in its input."""
    if type(tool_input) is not dict or tool_input.keys().isdisjoint(_FILE_KEYS):
        return ()
    return tuple([value for key in _FILE_KEYS if type(value := tool_input.get(key)) is str and value])
