"""HostOptions: settings of the recall tools that their host program makes when it starts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

MAX_NUMBER = 2**31 - 1  # no history has as many of anything: a larger number means all
MATCHES = ("literal", "smart", "fuzzy", "regex")
_MINIMUM = {"default_width": 50}
_MAXIMUM = {"default_width": 10_000, "max_results": 1000}  # what the engine returns at once


@dataclass(frozen=True, slots=True)
class HostOptions:
    """The settings of a host program: limits and defaults of the tools, and the hooks that are enabled.

    `concurrency` limits the parallel calls of the MCP server; it has no effect in other hosts.
    """

    concurrency: int = 3
    max_sessions: int | None = None
    max_results: int = 50
    max_session_list: int = 100
    max_messages: int = 50
    max_window: int = 10
    default_width: int = 200
    default_match: str = "literal"  # how `recall` matches when a call does not say
    global_: bool = True
    primary: bool = True
    nudge: bool = True
    auto_recall: bool = False
    compaction_recall: bool = False
    other_languages: bool = True  # auto recall also knows phrases in languages other than English
    redact: bool = False  # replace secrets in every answer

    @property
    def max_width(self) -> int:
        """The largest snippet, in characters, that a call may request."""
        return max(self.default_width, 1000)


NAMES = {field.name.rstrip("_"): field.name for field in fields(HostOptions)}
_FLAGS = {field.name for field in fields(HostOptions) if isinstance(field.default, bool)}
_CAMEL = {name.title().replace("_", ""): name for name in NAMES}


def snake_name(name: str) -> str:
    """Return the snake_case name of an option given in camelCase or as a field of HostOptions; any other name
    unchanged.
    """
    return _CAMEL.get(name[:1].upper() + name[1:], "global" if name == "global_" else name)


def host_options(given: Mapping[str, Any], start: HostOptions | None = None) -> HostOptions:
    """Return the options in `given`, whose names may be snake_case or camelCase; absent options are those of `start`.

    Numbers are rounded down and limited to the accepted range. Values of a wrong type, and unknown ways to match, are
    ignored.
    """
    changes: dict[str, Any] = {}
    for written, value in given.items():
        name = snake_name(written)
        if NAMES.get(name) in _FLAGS:
            if isinstance(value, bool):
                changes[NAMES[name]] = value
        elif name == "default_match":
            if value in MATCHES:
                changes[name] = value
        elif name in NAMES:
            number = _whole_number(value)
            if number is not None:
                changes[name] = min(max(number, _MINIMUM.get(name, 1)), _MAXIMUM.get(name, MAX_NUMBER))
    return replace(start or HostOptions(), **changes)


def _whole_number(value: object) -> int | None:
    """Return a finite number rounded down to an int; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return math.floor(value)
