"""What the program that offers the recall tools decides once, at its start."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

_LEAST = {"default_width": 50}
_MOST = {"default_width": 10_000, "max_results": 1000}  # what the engine gives at once
MOST = 2**31 - 1  # more than there is of anything: a larger number means all


@dataclass(frozen=True, slots=True)
class HostOptions:
    """Limits and defaults of the tools, and which hooks are on. `concurrency` is taken for hosts that set it: sources
    are read once, here."""

    concurrency: int = 3
    max_sessions: int | None = None
    max_results: int = 50
    max_session_list: int = 100
    max_messages: int = 50
    max_window: int = 10
    default_width: int = 200
    global_: bool = True
    nudge: bool = True
    auto_recall: bool = False
    compaction_recall: bool = False
    redact: bool = False  # secrets are replaced in every answer

    @property
    def max_width(self) -> int:
        return max(self.default_width, 1000)


NAMES = {field.name.rstrip("_"): field.name for field in fields(HostOptions)}
_FLAGS = {field.name for field in fields(HostOptions) if isinstance(field.default, bool)}
_CAMEL = {name.title().replace("_", ""): name for name in NAMES}


def plain_name(name: str) -> str:
    """The name of an option that may have been written as maxResults."""
    return _CAMEL.get(name[:1].upper() + name[1:], name)


def host_options(given: Mapping[str, Any], start: HostOptions | None = None) -> HostOptions:
    """The options in `given`, names in snake_case or camelCase, the others as in `start`.

    Numbers are cut to whole ones and raised to the least that makes sense; what is of another type is left out.
    """
    changes: dict[str, Any] = {}
    for written, value in given.items():
        name = plain_name(written)
        if NAMES.get(name) in _FLAGS:
            if isinstance(value, bool):
                changes[NAMES[name]] = value
        elif name in NAMES:
            number = _number(value)
            if number is not None:
                changes[name] = min(max(number, _LEAST.get(name, 1)), _MOST.get(name, MOST))
    return replace(start or HostOptions(), **changes)


def _number(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return math.floor(value)
