"""The parameters of the tools: types and limits, validation by schema, replacement of invalid values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from recall_rank.frontends.host_options import MATCHES, MAX_NUMBER, HostOptions
from recall_rank.frontends.tools.warnings import ToolError, Warnings
from recall_rank.model.serialize import json_kind

Type = Literal["text", "choice", "flag", "number", "whole", "window", "instant", "time", "texts"]

EXPANSION: Final = ("expand_results", "window", "expand_budget_messages", "expand_budget_chars")
LARGEST: Final = 2**63  # a larger number is not a time, and is not quoted in a warning
FIRST_DAY: Final = "date_from"
LAST_DAY: Final = "date_to"
SCORINGS: Final = ("recall", "praisonai")
GENERATIONS: Final = ("g1", "g3")
_LIMIT: Final = ("limit",)
_RESULTS: Final = ("results",)
TIMES: Final = ("before", "after", "since", "until", "last", "from", "to")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool: its name, type, default and limits.

    The schema accepts numbers from `low` to `high`. An accepted number above `cap` is reduced to `cap`.
    """

    name: str
    type: Type
    default: Any = None
    choices: tuple[str, ...] = ()
    low: int = 1
    high: int | None = None
    cap: int | None = None
    ignored_below: bool = False  # a value below `low` is ignored, not raised to `low`
    required: bool = False
    strict: bool = False  # a value of a wrong type is an error in every mode: without it, more would be searched
    aliases: tuple[str, ...] = ()  # other names under which a call may give it


def recall_parameters(options: HostOptions) -> tuple[Parameter, ...]:
    """Return the parameters of the tool `recall`, in the order in which invalid values are reported."""
    return (
        Parameter("query", "text", required=True),
        Parameter("scope", "choice", "global", ("session", "project", "global")),
        Parameter("match", "choice", options.default_match, MATCHES),
        Parameter("explain", "flag", False),
        Parameter("group", "choice", "part", ("part", "session")),
        Parameter("type", "choice", "all", ("text", "tool", "reasoning", "all")),
        Parameter("role", "choice", "all", ("user", "assistant", "all")),
        Parameter("expand", "choice", "none", ("none", "context", "message")),
        Parameter("session_id", "text"),
        Parameter("title", "text"),
        Parameter("sessions", "number", None, high=options.max_sessions),
        Parameter("results", "number", min(10, options.max_results), high=options.max_results, aliases=_LIMIT),
        Parameter("width", "number", options.default_width, low=50, high=options.max_width),
        *(Parameter(name, "instant" if name in ("before", "after") else "time") for name in TIMES),
        Parameter("directory", "text"),
        Parameter("fallback", "flag", False),
        Parameter("tool_name", "text"),
        Parameter("expand_results", "whole", 1, cap=3),
        Parameter("window", "window", min(3, options.max_window), low=0, cap=options.max_window),
        Parameter("expand_budget_messages", "whole", 30, cap=30, ignored_below=True),
        Parameter("expand_budget_chars", "whole", 30_000, cap=30_000, ignored_below=True),
        Parameter("project", "text", strict=True),
        Parameter("agent", "text", strict=True),
        Parameter("exclude_session_ids", "texts", (), strict=True),
        Parameter("must", "texts", (), strict=True),
        Parameter("must_not", "texts", (), strict=True),
        Parameter("exact", "texts", ()),
        Parameter("syntax", "flag", False),
        Parameter("order", "choice", None, ("relevance", "time")),
        Parameter("offset", "number", 0, low=0, high=2**31),
        Parameter("fold", "flag", True),
        Parameter("budget_ms", "number", None, low=1, high=86_400_000),
    )


def get_parameters(_: HostOptions | None = None) -> tuple[Parameter, ...]:
    """Return the parameters of the tool `recall_get`."""
    return Parameter("session_id", "text", required=True), Parameter("message_id", "text", required=True)


def context_parameters(options: HostOptions) -> tuple[Parameter, ...]:
    """Return the parameters of the tool `recall_context`."""
    most = options.max_window
    return (
        *get_parameters(),
        Parameter("window", "number", min(3, most), low=0, high=most),
        Parameter("before", "number", None, low=0, high=most),
        Parameter("after", "number", None, low=0, high=most),
    )


def messages_parameters(options: HostOptions) -> tuple[Parameter, ...]:
    """Return the parameters of the tool `recall_messages`."""
    return (
        Parameter("session_id", "text"),
        Parameter("offset", "number", 0, low=0),
        Parameter("limit", "number", min(10, options.max_messages), high=options.max_messages, aliases=_RESULTS),
        Parameter("role", "choice", "all", ("user", "assistant", "all")),
        Parameter("reverse", "flag", False),
        Parameter("query", "text"),
    )


def sessions_parameters(options: HostOptions) -> tuple[Parameter, ...]:
    """Return the parameters of the tool `recall_sessions`."""
    most = options.max_session_list
    return (
        Parameter("scope", "choice", "project", ("project", "global")),
        Parameter("search", "text"),
        Parameter("agent", "text", strict=True),
        Parameter("limit", "number", min(20, most), high=most, aliases=_RESULTS),
    )


def session_search_parameters(options: HostOptions, *, original: bool = False) -> tuple[Parameter, ...]:
    """Return the parameters of the tool `session_search`; with `original`, for PraisonAI's scoring, which accepts any
    whole number as a limit and as a window.
    """
    limit, window = min(options.max_session_list, options.max_results), options.max_window
    lowest = (-MAX_NUMBER, -MAX_NUMBER) if original else (1, 0)
    highest = (None, None) if original else (limit, window)
    return (
        Parameter("query", "text", strict=True),
        Parameter("session_id", "text", strict=True),
        Parameter("around_message_id", "instant"),
        Parameter("limit", "number", min(5, limit), low=lowest[0], high=highest[0], aliases=_RESULTS),
        Parameter("window", "number", min(5, window), low=lowest[1], high=highest[1]),
        Parameter("scoring", "choice", "recall", SCORINGS),
        Parameter("generation", "choice", "g3", GENERATIONS),
        Parameter("session_prefix", "text", strict=True),
        Parameter("budget_ms", "number", None, low=1, high=86_400_000),
    )


def session_recall_parameters(_: HostOptions | None = None) -> tuple[Parameter, ...]:
    """Return the parameters of the tool `session_recall`.

    `curator` takes the one name that sends nothing to a program or a model: those are for the host to choose.
    """
    return (
        Parameter("query", "text", required=True, strict=True),
        Parameter("looking_for", "text", required=True, strict=True),
        Parameter("project", "text", strict=True),
        Parameter(FIRST_DAY, "time"),
        Parameter(LAST_DAY, "time"),
        Parameter("curator", "choice", None, ("extractive",)),
        Parameter("budget_ms", "number", None, low=1, high=86_400_000),
    )


def refused(parameters: Sequence[Parameter], args: Mapping[str, Any]) -> list[str]:
    """Return the names of the parameters whose value in `args` the schema refuses, in the order of `parameters`."""
    return [each.name for each in parameters if not _accepts(each, args.get(each.name))]


def _accepts(parameter: Parameter, value: object) -> bool:
    """Return whether the schema accepts the value for the parameter."""
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
    if kind == "texts":
        return _is_texts(value)
    if kind == "window" and value == "auto":
        return True
    return _in_range(parameter, value)


def _in_range(parameter: Parameter, value: object) -> bool:
    """Return whether the value is a number within the limits of the parameter."""
    if not isinstance(value, int | float) or not _is_number(value):
        return False
    if parameter.type in ("whole", "window") and value != math.floor(value):
        return False
    return parameter.low <= value <= (math.inf if parameter.high is None else parameter.high)


def _is_texts(value: object) -> bool:
    """Return whether the value is a string or a list of strings."""
    return isinstance(value, str) or (isinstance(value, list | tuple) and all(isinstance(each, str) for each in value))


def _is_number(value: object) -> bool:
    """Return whether the value is a finite number and not a bool."""
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, float) and math.isfinite(value)
    )


def read(
    parameters: Sequence[Parameter], args: Mapping[str, Any], warnings: Warnings, expansion_warnings: Warnings
) -> dict[str, Any]:
    """Return a mapping from the name of every parameter to a usable value; times and the query are returned as they
    are.

    An invalid value is replaced by the nearest accepted value or by the default, with a warning. The warning is added
    to `expansion_warnings` for the parameters of the expansion of hits, to `warnings` for all others. Raises ToolError
    for a value of a wrong type where more than wanted would be searched without it.
    """
    found: dict[str, Any] = {}
    for parameter in parameters:
        told = expansion_warnings if parameter.name in EXPANSION else warnings
        value = args.get(parameter.name)
        if parameter.strict and value is not None:
            _check_type(parameter, value, warnings)
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


def _check_type(parameter: Parameter, value: object, warnings: Warnings) -> None:
    """Raise ToolError for a value that is no text, or no list of texts, as the parameter needs it."""
    several = parameter.type == "texts"
    if not (_is_texts(value) if several else isinstance(value, str)):
        name, wanted = warnings.written(parameter.name), "a list of strings" if several else "a string"
        category = f"{parameter.name}_required" if parameter.required else f"wrong_type:{parameter.name}"
        raise ToolError(category, f"{name} must be {wanted}, not {json_kind(value)}")


def _text(parameter: Parameter, value: object, warnings: Warnings) -> str | None:
    if parameter.name == "query" and isinstance(value, str):
        return value  # blanks around words are part of a literal query
    if value is not None and not isinstance(value, str):
        _ignored(parameter, value, "it must be a string", warnings)
        return None
    return (value or "").strip() or None


def _choice(parameter: Parameter, value: object, warnings: Warnings) -> str | None:
    if isinstance(value, str) and value not in parameter.choices:
        _ignored(parameter, value, f"it must be one of {', '.join(parameter.choices)}", warnings)
    found = isinstance(value, str) and value in parameter.choices
    return str(value) if found else parameter.default


def _texts(parameter: Parameter, value: object, warnings: Warnings) -> tuple[str, ...]:
    if value is None:
        return ()
    if not _is_texts(value):
        _ignored(parameter, value, "it must be a list of strings", warnings)
        return ()
    listed: Any = [value] if isinstance(value, str) else value
    return tuple(each for each in listed if each)


def _count(parameter: Parameter, value: object, warnings: Warnings) -> Any:
    if value is None:
        return parameter.default
    if parameter.type == "window" and value == "auto":
        return "auto"
    if not isinstance(value, int | float) or not _is_number(value):
        _ignored(parameter, value, "it must be a number", warnings)
        return parameter.default
    number = min(math.trunc(value), MAX_NUMBER)
    if parameter.ignored_below and number < parameter.low:
        _ignored(parameter, value, f"it must be at least {parameter.low}", warnings)
        return parameter.default
    most = parameter.high if parameter.cap is None else parameter.cap
    kept = max(parameter.low, number if most is None else min(number, most))
    if kept != number:
        limits = f"at least {parameter.low}" if most is None else f"from {parameter.low} to {most}"
        warnings.add(
            f"clamped:{parameter.name}",
            f"Clamped {warnings.written(parameter.name)} to {kept}: it must be {limits}, not {_shown(value)}",
        )
    return kept


def _ignored(parameter: Parameter, value: object, reason: str, warnings: Warnings) -> None:
    warnings.add(
        f"value_ignored:{parameter.name}", f"Ignored {warnings.written(parameter.name)} {_shown(value)}: {reason}"
    )


def _shown(value: object) -> str:
    """Return the value as text for a warning, cut to 60 characters."""
    if isinstance(value, int) and abs(value) > LARGEST:
        return "a number of no use"
    text = repr(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else json_kind(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
