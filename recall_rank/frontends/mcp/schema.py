"""The tools as an MCP client sees them: names, typed arguments and answers, read-only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from recall_rank.frontends.mcp.descriptions import ARGUMENTS, DESCRIPTIONS, TITLES
from recall_rank.frontends.tools.dispatch import TOOLS
from recall_rank.frontends.tools.host_options import HostOptions
from recall_rank.frontends.tools.parameters import Parameter

CURSOR: Final = "cursor"
MOST_TEXTS: Final = 64  # words or ids of one argument
LONGEST_TEXT: Final = 4_096
MOST_BUDGET_MS: Final = 10_000  # whatever a call asks for

_ITEMS: Final = {"type": "array", "items": {"type": "object"}}
_STRINGS: Final = {"type": "array", "items": {"type": "string"}}
_ANSWERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "recall": {
        "results": _ITEMS,
        "expanded": _ITEMS,
        "total": {"type": "integer"},
        "truncated": {"type": "boolean"},
        "coverage": {"type": "object"},
        "suggestions": _STRINGS,
        "near_misses": _ITEMS,
    },
    "recall_get": {"message": {"type": "object"}, "parts": _ITEMS, "context": {"type": "object"}},
    "recall_context": {
        "messages": _ITEMS,
        "has_more_before": {"type": "boolean"},
        "has_more_after": {"type": "boolean"},
    },
    "recall_messages": {"messages": _ITEMS, "pagination": {"type": "object"}, "context": {"type": "object"}},
    "recall_sessions": {"sessions": _ITEMS, "returned": {"type": "integer"}, "scope": {"type": "string"}},
}


def tool_definitions(options: HostOptions) -> list[dict[str, Any]]:
    """Every tool as the protocol's JSON."""
    return [
        {
            "name": name,
            "title": TITLES[name],
            "description": DESCRIPTIONS[name],
            "inputSchema": input_schema(name, options),
            "outputSchema": output_schema(name),
            "annotations": {
                "title": TITLES[name],
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }
        for name in TOOLS
    ]


def input_schema(name: str, options: HostOptions) -> dict[str, Any]:
    """What a tool takes, as JSON Schema. Odd values are forgiven all the same: the schema says what is meant."""
    parameters = TOOLS[name][1](options)
    properties = {each.name: {**_type(each), **_said(name, each)} for each in parameters}
    properties[CURSOR] = {"type": "string", "description": ARGUMENTS[CURSOR]}
    required = [each.name for each in parameters if each.required]
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def output_schema(name: str) -> dict[str, Any]:
    """What a tool answers."""
    return {
        "type": "object",
        "properties": {
            "ok": {"type": "boolean"},
            "trust": {"type": "string"},
            "notice": {"type": "string"},
            **_ANSWERS[name],
            "warnings": _STRINGS,
            "next_cursor": {"type": "string"},
            "error": {"type": "string"},
            "error_category": {"type": "string"},
        },
        "required": ["ok", "trust"],
    }


def _said(tool: str, parameter: Parameter) -> dict[str, Any]:
    said: dict[str, Any] = {"description": ARGUMENTS.get(f"{tool}.{parameter.name}") or ARGUMENTS[parameter.name]}
    if parameter.default not in (None, ()):
        said["default"] = parameter.default
    return said


def _type(parameter: Parameter) -> dict[str, Any]:
    kind = parameter.type
    if kind == "choice":
        return {"type": "string", "enum": list(parameter.choices)}
    if kind == "flag":
        return {"type": "boolean"}
    if kind == "texts":
        return {"type": "array", "items": {"type": "string"}, "maxItems": MOST_TEXTS}
    if kind in ("text", "time"):
        return {"type": "string"}
    if kind == "instant":
        return {"type": ["string", "number"]}
    most = parameter.high if parameter.cap is None else parameter.cap
    if parameter.name == "budget_ms":
        most = MOST_BUDGET_MS
    number: dict[str, Any] = {"type": "integer", "minimum": parameter.low}
    if most is not None:
        number["maximum"] = most
    return {"anyOf": [number, {"const": "auto"}]} if kind == "window" else number
