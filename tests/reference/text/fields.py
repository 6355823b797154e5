"""The labelled fields of a part."""

from __future__ import annotations

from typing import Any

TEXT, OUTPUT, ERROR, COMMAND, INPUT, TOOL_TITLE, PROMPT, CWD = range(0xF8, 0x100)


def string_values(value: Any) -> list[str]:
    """Return the non-empty strings inside a JSON value, depth first."""
    if isinstance(value, str):
        return [value] if value else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [found for each in inner for found in string_values(each)]


def fields(part: Any) -> list[tuple[int, str]]:
    """Return (label, text) of every field. The strings 'command' and 'cwd' of an input are fields of their own."""
    found = [(TEXT, part.text), (PROMPT, part.prompt)]
    given = part.input
    if isinstance(given, dict):
        own = {name: given[name] for name in ("command", "cwd") if isinstance(given.get(name), str)}
        found += [
            (label, own.get(name, "").strip() and own[name]) for name, label in (("command", COMMAND), ("cwd", CWD))
        ]
        given = [value for name, value in given.items() if name not in own]
    found += [(INPUT, value) for value in string_values(given)]
    found += [(TOOL_TITLE, part.title), (ERROR, part.error), (OUTPUT, part.output)]
    return [(label, value) for label, value in found if value]
