"""The schemas that an MCP client gets agree with the parameters of the tools."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest

from recall_rank.frontends.host_options import HostOptions, host_options
from recall_rank.frontends.mcp.descriptions import DESCRIPTIONS, INSTRUCTIONS
from recall_rank.frontends.mcp.schema import UNDESCRIBED, input_schema, tool_definitions
from recall_rank.frontends.tools.dispatch import TOOLS
from recall_rank.frontends.tools.parameters import refused

SAMPLES: list[Any] = [None, "", "x", "auto", "smart", "user", True, 0, 1, 3, 10, 50, 51, 10**6, -1, 1.5, ["a"], {}]


@pytest.mark.parametrize("name", TOOLS)
def test_the_schema_describes_every_parameter(name: str) -> None:
    options = HostOptions()
    schema = input_schema(name, options)
    jsonschema.Draft202012Validator.check_schema(schema)
    parameters = TOOLS[name].parameters(options)
    described = [each.name for each in parameters if each.name in schema["properties"]]
    assert list(schema["properties"]) == [*described, "cursor"]
    hidden = {each.name for each in parameters} - {*described}
    assert hidden <= UNDESCRIBED
    assert not hidden & set(schema.get("required", ()))
    assert all(entry["description"] for entry in schema["properties"].values())
    assert schema.get("required", []) == [each.name for each in parameters if each.required]


@pytest.mark.parametrize("name", TOOLS)
def test_values_of_the_schema_are_accepted(name: str) -> None:
    options = HostOptions()
    schema = input_schema(name, options)
    parameters = TOOLS[name].parameters(options)
    required = {each.name: "x" for each in parameters if each.required}
    validator = jsonschema.Draft202012Validator(schema)
    allowed = 0
    for each in parameters:
        for value in SAMPLES if each.name in schema["properties"] else ():
            args = {**required, each.name: value}
            if value is not None and validator.is_valid(args):
                assert refused(parameters, args) in ([], [each.name] if each.name == "query" and value == "" else [])
                allowed += 1
    assert allowed


@pytest.mark.parametrize("name", TOOLS)
def test_defaults_fit(name: str) -> None:
    schema = input_schema(name, host_options({"max_results": 5, "default_width": 80}))
    for entry in schema["properties"].values():
        if "default" in entry:
            jsonschema.validate(entry["default"], entry)
    if name == "recall":
        assert schema["properties"]["results"]["maximum"] == 5


def test_descriptions_say_when_to_call_and_that_recall_is_not_memory() -> None:
    definitions = {each["name"]: each for each in tool_definitions(HostOptions())}
    assert list(definitions) == list(TOOLS)
    for each in definitions.values():
        assert each["annotations"]["readOnlyHint"]
        assert "Call it" in each["description"]
        jsonschema.Draft202012Validator.check_schema(each["outputSchema"])
    assert "Do not call it" in DESCRIPTIONS["recall"]
    assert "First call" in DESCRIPTIONS["recall"]
    assert "not memory" in DESCRIPTIONS["recall"]
    assert "Worth writing down" in INSTRUCTIONS


@pytest.mark.parametrize(
    ("argument", "advice"),
    [
        ("sessions", ["Omit", "all"]),
        ("group", ["session", "broad"]),
        ("tool_name", ["exact", 'type "tool"', "first"]),
    ],
)
def test_the_guidance_for_a_first_call_is_complete(argument: str, advice: list[str]) -> None:
    definition = next(each for each in tool_definitions(HostOptions()) if each["name"] == "recall")
    described = definition["inputSchema"]["properties"][argument]["description"]
    sentences = [each for each in definition["description"].split(". ") if argument in each]
    assert sentences
    for word in advice:
        assert word in described
        assert word in " ".join(sentences)


def test_calls_in_descriptions_are_accepted() -> None:
    for name, text in {"": INSTRUCTIONS, **DESCRIPTIONS}.items():
        calls = re.findall(r"\{[^}]*\}", text)
        assert calls or name in ("recall_get", "recall_messages", "recall_sessions")
        for call in calls:
            args = json.loads(call)
            tool = (
                name
                if name in ("session_search", "session_recall")
                else "recall"
                if "query" in args
                else "recall_context"
            )
            jsonschema.validate(args, input_schema(tool, HostOptions()))
            assert set(args) <= {each.name for each in TOOLS[tool].parameters(HostOptions())}
