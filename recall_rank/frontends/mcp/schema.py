"""The definitions of the tools for MCP clients: names, read-only hints, JSON Schemas of arguments and answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.mcp.descriptions import ARGUMENTS, DESCRIPTIONS, TITLES
from recall_rank.frontends.tools.dispatch import TOOLS
from recall_rank.frontends.tools.families import CURATED_TOOLS
from recall_rank.frontends.tools.parameters import Parameter
from recall_rank.frontends.tools.sessions.recall_call import STATUSES

CURSOR: Final = "cursor"
OWN_SCOPE: Final = "project"  # the default scope where the host disables "global"
MAX_TEXTS: Final = 64  # entries of an argument that is a list
MAX_TEXT_CHARS: Final = 4_096
MAX_BUDGET_MS: Final = 10_000  # of one search

# Arguments that are accepted and not described: others do as well, and a model reads every description in each session.
UNDESCRIBED: Final = frozenset(
    "explain fold width before after from to fallback expand_results expand_budget_messages expand_budget_chars "
    "budget_ms generation session_prefix".split()
)
_DESCRIBED_IN: Final = {"recall_context": frozenset({"before", "after"})}
_MARKS: Final = {"recalled_begin": {"type": "string"}, "recalled_end": {"type": "string"}}
_OF_ANSWER: Final[Mapping[str, Mapping[str, Any]]] = {
    "session_recall": {"status": {"type": "string", "enum": list(STATUSES)}, "text": {"type": "string"}},
}


def tool_definitions(
    options: HostOptions, names: Iterable[str] = TOOLS, *, structured: bool = True
) -> list[dict[str, Any]]:
    """Return the definitions of tools, by default of all, as the JSON values that the protocol prescribes.

    Without `structured`, they have no schema of the answer: with one, a client expects structured answers.
    """
    return [
        {
            "name": name,
            "title": TITLES[name],
            "description": DESCRIPTIONS[name],
            "inputSchema": input_schema(name, options),
            **({"outputSchema": output_schema(name)} if structured else {}),
            # what is read-only is neither destructive nor repeated at a cost; a curator may be the model of a provider
            "annotations": {"readOnlyHint": True, "openWorldHint": name in CURATED_TOOLS},
        }
        for name in names
    ]


def input_schema(name: str, options: HostOptions) -> dict[str, Any]:
    """Return the JSON Schema of the arguments of a tool. Other values are accepted, too, with a warning, and so are the
    arguments in UNDESCRIBED.
    """
    left_out = UNDESCRIBED - _DESCRIBED_IN.get(name, frozenset())
    parameters = [_in_scope(each, options) for each in TOOLS[name].parameters(options) if each.name not in left_out]
    properties = {each.name: {**_type(each), **_described(name, each)} for each in parameters}
    properties[CURSOR] = {"type": "string", "description": ARGUMENTS[CURSOR]}
    required = [each.name for each in parameters if each.required]
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def _in_scope(parameter: Parameter, options: HostOptions) -> Parameter:
    """Return the parameter unchanged, unless it is `scope` and the host disables searches of all projects: then its
    choice "global" is removed.
    """
    if parameter.name != "scope" or options.global_:
        return parameter
    return replace(parameter, default=OWN_SCOPE, choices=tuple(each for each in parameter.choices if each != "global"))


def output_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of the answer of a tool: what programs rely on. docs/tools.md describes the rest."""
    properties = {"ok": {"type": "boolean"}, **_OF_ANSWER.get(name, {}), **_MARKS}
    return {"type": "object", "properties": properties, "required": ["ok"]}


def _described(tool: str, parameter: Parameter) -> dict[str, Any]:
    """Return the description and the default value of a parameter as a JSON Schema."""
    described: dict[str, Any] = {"description": ARGUMENTS.get(f"{tool}.{parameter.name}") or ARGUMENTS[parameter.name]}
    if parameter.default not in (None, ()):
        described["default"] = parameter.default
    return described


def _type(parameter: Parameter) -> dict[str, Any]:
    """Return the type and the limits of a parameter as a JSON Schema."""
    kind = parameter.type
    if kind == "choice":
        return {"type": "string", "enum": list(parameter.choices)}
    if kind == "flag":
        return {"type": "boolean"}
    if kind == "texts":
        return {"type": "array", "items": {"type": "string"}, "maxItems": MAX_TEXTS}
    if kind in ("text", "time"):
        return {"type": "string"}
    if kind == "instant":
        return {"anyOf": [{"type": "string"}, {"type": "number"}]}  # a list of types is refused by strict validators
    most = parameter.high if parameter.cap is None else parameter.cap
    if parameter.name == "budget_ms":
        most = MAX_BUDGET_MS
    number: dict[str, Any] = {"type": "integer", "minimum": parameter.low}
    if most is not None:
        number["maximum"] = most
    return {"anyOf": [number, {"const": "auto"}]} if kind == "window" else number
