"""The parameters of the five tools: what each takes, what a schema refuses, what a forgiving host makes of the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from recall_rank.frontends.tools.host_options import MOST, HostOptions
from recall_rank.frontends.tools.warnings import Remarks

Type = Literal["text", "choice", "flag", "number", "whole", "window", "instant", "time", "texts"]

EXPANSION: Final = ("expand_results", "window", "expand_budget_messages", "expand_budget_chars")
LARGEST: Final = 2**63
TIMES: Final = ("before", "after", "since", "until", "last", "from", "to")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. Numbers from `low` to `high` are accepted by the schema; above `cap` they are lowered to it."""

    name: str
    type: Type
    default: Any = None
    choices: tuple[str, ...] = ()
    low: int = 1
    high: int | None = None
    cap: int | None = None
    ignored_below: bool = False  # a value below `low` is no value, rather than the lowest
    required: bool = False
    ours: bool = False  # not a parameter of the original: odd values are forgiven everywhere


def recall_parameters(options: HostOptions) -> tuple[Parameter, ...]:
    """Those of `recall`, in the order in which odd values are told."""
    return (
        Parameter("query", "text", required=True),
        Parameter("scope", "choice", "global", ("session", "project", "global")),
        Parameter("match", "choice", "literal", ("literal", "smart", "fuzzy", "regex")),
        Parameter("explain", "flag", False),
        Parameter("group", "choice", "part", ("part", "session")),
        Parameter("type", "choice", "all", ("text", "tool", "reasoning", "all")),
        Parameter("role", "choice", "all", ("user", "assistant", "all")),
        Parameter("expand", "choice", "none", ("none", "context", "message")),
        Parameter("session_id", "text"),
        Parameter("title", "text"),
        Parameter("sessions", "number", None, high=options.max_sessions),
        Parameter("results", "number", min(10, options.max_results), high=options.max_results),
        Parameter("width", "number", options.default_width, low=50, high=options.max_width),
        *(Parameter(name, "instant" if name in ("before", "after") else "time") for name in TIMES),
        Parameter("directory", "text"),
        Parameter("fallback", "flag", False),
        Parameter("tool_name", "text"),
        Parameter("expand_results", "whole", 1, cap=3),
        Parameter("window", "window", min(3, options.max_window), low=0, cap=options.max_window),
        Parameter("expand_budget_messages", "whole", 30, cap=30, ignored_below=True),
        Parameter("expand_budget_chars", "whole", 30_000, cap=30_000, ignored_below=True),
        Parameter("project", "text", ours=True),
        Parameter("exclude_session_ids", "texts", (), ours=True),
        Parameter("must", "texts", (), ours=True),
        Parameter("must_not", "texts", (), ours=True),
        Parameter("order", "choice", None, ("relevance", "time"), ours=True),
        Parameter("offset", "number", 0, low=0, high=2**31, ours=True),
        Parameter("budget_ms", "number", None, low=1, high=86_400_000, ours=True),
    )


def get_parameters(_: HostOptions | None = None) -> tuple[Parameter, ...]:
    """Those of `recall_get`."""
    return Parameter("session_id", "text", required=True), Parameter("message_id", "text", required=True)


def context_parameters(options: HostOptions) -> tuple[Parameter, ...]:
    """Those of `recall_context`."""
    most = options.max_window
    return (
        *get_parameters(),
        Parameter("window", "number", min(3, most), low=0, high=most),
        Parameter("before", "number", None, low=0, high=most),
        Parameter("after", "number", None, low=0, high=most),
    )


def messages_parameters(options: HostOptions) -> tuple[Parameter, ...]:
    """Those of `recall_messages`."""
    return (
        Parameter("session_id", "text"),
        Parameter("offset", "number", 0, low=0),
        Parameter("limit", "number", min(10, options.max_messages), high=options.max_messages),
        Parameter("role", "choice", "all", ("user", "assistant", "all")),
        Parameter("reverse", "flag", False),
        Parameter("query", "text"),
    )


def sessions_parameters(options: HostOptions) -> tuple[Parameter, ...]:
    """Those of `recall_sessions`."""
    return (
        Parameter("scope", "choice", "project", ("project", "global")),
        Parameter("search", "text"),
        Parameter("limit", "number", min(20, options.max_session_list), high=options.max_session_list),
    )


def refused(parameters: Sequence[Parameter], args: Mapping[str, Any]) -> list[str]:
    """The parameters whose values the original's schema refuses, in its order."""
    return [each.name for each in parameters if not each.ours and not _accepts(each, args.get(each.name))]


def _accepts(parameter: Parameter, value: object) -> bool:
    if value is None:
        return not parameter.required
    kind = parameter.type
    if kind == "text":
        return isinstance(value, str) and bool(value or not parameter.required or parameter.name != "query")
    if kind == "time":
        return isinstance(value, str)
    if kind == "instant":
        return isinstance(value, str) or _is_number(value)
    if kind == "choice":
        return isinstance(value, str) and value in parameter.choices
    if kind == "flag":
        return isinstance(value, bool)
    if kind == "window" and value == "auto":
        return True
    return _in_range(parameter, value)


def _in_range(parameter: Parameter, value: object) -> bool:
    if not isinstance(value, int | float) or not _is_number(value):
        return False
    if parameter.type in ("whole", "window") and value != math.floor(value):
        return False
    return parameter.low <= value <= (math.inf if parameter.high is None else parameter.high)


def _is_number(value: object) -> bool:
    """Whether it is a number that can be meant: of any size, but neither NaN nor infinite."""
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, float) and math.isfinite(value)
    )


def read(parameters: Sequence[Parameter], args: Mapping[str, Any], remarks: Remarks, late: Remarks) -> dict[str, Any]:
    """A usable value for every parameter but times and query; odd ones are replaced and remarked on.

    Remarks on expansion go to `late`: they are told after those on times.
    """
    found: dict[str, Any] = {}
    for parameter in parameters:
        told = late if parameter.name in EXPANSION else remarks
        value = args.get(parameter.name)
        if parameter.type in ("instant", "time"):
            found[parameter.name] = value
        elif parameter.type == "text":
            found[parameter.name] = _text(parameter, value, told)
        elif parameter.type == "choice":
            found[parameter.name] = _choice(parameter, value, told)
        elif parameter.type == "flag":
            found[parameter.name] = value if isinstance(value, bool) else parameter.default
        elif parameter.type == "texts":
            found[parameter.name] = _texts(parameter, value, told)
        else:
            found[parameter.name] = _count(parameter, value, told)
    return found


def _text(parameter: Parameter, value: object, remarks: Remarks) -> str | None:
    if parameter.name == "query" and isinstance(value, str):
        return value  # a blank in front of a word is part of what is looked for
    if value is not None and not isinstance(value, str):
        _ignored(parameter, value, "it must be a string", remarks)
        return None
    return (value or "").strip() or None


def _choice(parameter: Parameter, value: object, remarks: Remarks) -> str | None:
    if isinstance(value, str) and value not in parameter.choices:
        _ignored(parameter, value, f"it must be one of {', '.join(parameter.choices)}", remarks)
    found = isinstance(value, str) and value in parameter.choices
    return str(value) if found else parameter.default


def _texts(parameter: Parameter, value: object, remarks: Remarks) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if listed is None or listed == "":
        return ()
    if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
        _ignored(parameter, value, "it must be a list of strings", remarks)
        return ()
    return tuple(each for each in listed if each)


def _count(parameter: Parameter, value: object, remarks: Remarks) -> Any:
    if value is None:
        return parameter.default
    if parameter.type == "window" and value == "auto":
        return "auto"
    if not isinstance(value, int | float) or not _is_number(value):
        _ignored(parameter, value, "it must be a number", remarks)
        return parameter.default
    number = min(math.trunc(value), MOST)
    if parameter.ignored_below and number < parameter.low:
        _ignored(parameter, value, f"it must be at least {parameter.low}", remarks)
        return parameter.default
    most = parameter.high if parameter.cap is None else parameter.cap
    kept = max(parameter.low, number if most is None else min(number, most))
    if kept != number:
        limits = f"at least {parameter.low}" if most is None else f"from {parameter.low} to {most}"
        remarks.add(
            f"clamped:{parameter.name}", f"Clamped {parameter.name} to {kept}: it must be {limits}, not {_shown(value)}"
        )
    return kept


def _ignored(parameter: Parameter, value: object, reason: str, remarks: Remarks) -> None:
    remarks.add(f"value_ignored:{parameter.name}", f"Ignored {parameter.name} {_shown(value)}: {reason}")


def _shown(value: object) -> str:
    """The value as a remark quotes it: an agent's slip may be a megabyte long, or have more digits than can be told."""
    if isinstance(value, int) and abs(value) > LARGEST:
        return "a number of no use"
    text = repr(value) if isinstance(value, str | int | float) else type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."
