"""Errors and warnings name an argument as the caller wrote it: in snake_case or in camelCase."""

from __future__ import annotations

import re
from typing import Any

import pytest

from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.mcp.server import check_limits
from recall_rank.frontends.tools.dispatch import TOOLS
from recall_rank.frontends.tools.parameters import Parameter
from recall_rank.frontends.tools.warnings import ToolError
from recall_rank.model.camel_case import camel, snake_arguments
from tests.support.frontends.harbor import NOW, tools

ODD: dict[str, Any] = {"text": 7, "choice": "odd", "flag": 7, "number": "many", "whole": "many", "window": "wide"}
ODD |= {"instant": {"a": 1}, "time": {"a": 1}, "texts": [7]}
JOINED = re.compile(r"\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w*\b")  # names of several words
CASES = [(tool, each) for tool in TOOLS if tool.startswith("recall") for each in TOOLS[tool].parameters(HostOptions())]


def names_in(answer: dict[str, Any]) -> set[str]:
    texts = [answer.get("error", ""), *answer.get("warnings", ()), *answer.get("suggestions", ())]
    return {name for text in texts for name in JOINED.findall(text) if name not in TOOLS}


def call(tool: str, parameter: Parameter, *, wire: str, mode: str, written: str) -> dict[str, Any]:
    """Return the answer to a call whose argument `parameter` has an odd value and the name `written`."""
    args = {"query": "noon"} if tool == "recall" else {}
    return tools(context=None).call(tool, {**args, written: ODD[parameter.type]}, now=NOW, wire=wire, mode=mode)


@pytest.mark.parametrize("mode", ["raw", "schema"])
@pytest.mark.parametrize("wire", ["snake", "camel"])
@pytest.mark.parametrize(("tool", "parameter"), CASES, ids=[f"{tool}-{each.name}" for tool, each in CASES])
def test_odd_values(tool: str, parameter: Parameter, wire: str, mode: str) -> None:
    written = camel(parameter.name) if wire == "camel" else parameter.name
    named = names_in(call(tool, parameter, wire=wire, mode=mode, written=written))
    assert all(("_" in name) == (wire == "snake") for name in named)
    if "_" in parameter.name and parameter.type not in ("flag", "choice"):
        assert written in named


@pytest.mark.parametrize("tool", TOOLS)
def test_every_argument_has_a_name_in_camel_case(tool: str) -> None:
    names = [each.name for each in TOOLS[tool].parameters(HostOptions())]
    for spell in (camel, joined):
        assert list(snake_arguments({spell(name): 1 for name in names})) == names


def joined(name: str) -> str:
    """The words of a name in camelCase, with "Id" for an id, as most programs write it."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


@pytest.mark.parametrize("written", ["expand_budget_chars", "expandBudgetChars"])
def test_the_name_is_that_of_the_call_whatever_the_wire(written: str) -> None:
    parameter = Parameter("expand_budget_chars", "whole")
    assert written in names_in(call("recall", parameter, wire="snake", mode="raw", written=written))


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("recall", {"query": "a", "tool_name": "bash", "type": "text"}),
        ("recall", {"query": "a", "scope": "session"}),
        ("recall", {"query": "a", "session_id": "no such one"}),
        ("recall_get", {"session_id": "tide-tables"}),
        ("recall_get", {}),
        ("recall_context", {"message_id": "tt1"}),
        ("recall_messages", {}),
        ("recall", {"query": "a", "expand_results": 9, "expand_budget_messages": 99}),
    ],
)
@pytest.mark.parametrize("wire", ["snake", "camel"])
def test_errors_and_limits(tool: str, args: dict[str, Any], wire: str) -> None:
    given = {camel(name): value for name, value in args.items()} if wire == "camel" else args
    answer = tools(context=None).call(tool, given, now=NOW, wire=wire)
    assert "error" in answer or "warnings" in answer
    assert all(("_" in name) == (wire == "snake") for name in names_in(answer))


def test_a_caller_that_writes_camel_case_is_answered_so() -> None:
    answer = tools().call("recall_get", {"messageID": "tt1"})
    assert "sessionID" in answer["error"]
    assert "session_id" not in answer["error"]
    assert "session_id" in tools().call("recall_get", {"message_id": "tt1"})["error"]


@pytest.mark.parametrize("name", ["budget_ms", "budgetMs"])
def test_the_limit_of_a_budget_holds_for_both_names(name: str) -> None:
    with pytest.raises(ToolError, match=f"{name} may be 10000 at most"):
        check_limits({name: 60_000})
