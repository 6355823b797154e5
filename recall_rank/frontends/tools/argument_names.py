"""The names of the arguments of a call: other names that a tool takes, and those that it does not know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from recall_rank.frontends.tools.parameters import Parameter
from recall_rank.frontends.tools.warnings import Warnings
from recall_rank.model.nearest_names import listed_names, nearest_names

UNKNOWN: Final = "unknown_arguments"  # category of the warning
_SHOWN: Final = 40  # characters of an unknown name


@dataclass(frozen=True, slots=True)
class NamedArguments:
    """The arguments of a call, each under the name of its parameter, and what is to be told about the others."""

    values: Mapping[str, Any]  # snake_case name -> value
    written: Callable[[str], str]  # from the name of a parameter to the name that the caller writes
    ignored: Warnings


def named_arguments(
    tool: str, parameters: Sequence[Parameter], args: Mapping[str, Any], written: Callable[[str], str]
) -> NamedArguments:
    """Return the arguments of a call of `tool` by the names of its parameters. Those without a parameter are in the
    warnings, unless they are null, which means that they are not given.

    `args` has names in snake_case, `written` returns the name that the caller writes.
    """
    values = {name: value for name, value in args.items() if value is not None}
    taken: dict[str, str] = {}  # name of a parameter -> the other name under which it is given
    ignored = Warnings(written)
    for parameter in parameters:
        for other in parameter.aliases:
            if other in values and parameter.name in values:
                name = written(taken.get(parameter.name, parameter.name))
                ignored.add(UNKNOWN, f"Ignored {written(other)}: {name} is given too")
                del values[other]
            elif other in values:
                values[parameter.name] = values.pop(other)
                taken[parameter.name] = other
    known = [parameter.name for parameter in parameters]
    unknown = [name for name in values if name not in known]
    if unknown:
        free = [written(name) for name in known if name not in values]
        ignored.add(UNKNOWN, _ignored(tool, [written(name) for name in unknown], free))
    return NamedArguments(values, lambda name: written(taken.get(name, name)), ignored)


def _ignored(tool: str, unknown: Sequence[str], free: Sequence[str]) -> str:
    """Return the sentence about unknown arguments; `free` are the parameters that are not given."""
    what = "argument" if len(unknown) == 1 else "arguments"
    near = dict.fromkeys(found for name in unknown for found in nearest_names(name, free, 1))
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"Ignored {listed_names([*map(_shown, unknown)])}: {tool} has no such {what}{hint}"


def _shown(name: str) -> str:
    short = name if len(name) <= _SHOWN else f"{name[: _SHOWN - 1]}…"
    return short if name.isascii() and name.isidentifier() else repr(short)
