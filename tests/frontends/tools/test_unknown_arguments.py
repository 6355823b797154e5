"""Arguments that a tool does not have: each is named in a warning of the answer, and an obvious other name is taken."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recall_rank.frontends.cli.commands.batch import serve
from recall_rank.frontends.hooks.hook_calls import HOOKS
from recall_rank.frontends.mcp.compact_answers import compact
from recall_rank.frontends.tools.dispatch import TOOLS, RecallTools
from recall_rank.frontends.tools.session_recall import SessionRecallTools
from recall_rank.frontends.tools.warnings import MAX_WARNINGS
from recall_rank.recall import Recall
from tests.support.frontends.harbor import NOW, Invented, ask, parts

UNKNOWN = "unknown_arguments"
NEEDED: dict[str, dict[str, Any]] = {
    "recall": {"query": "noon"},
    "recall_get": {"session_id": "tide-tables", "message_id": "tt1"},
    "recall_context": {"session_id": "tide-tables", "message_id": "tt1"},
    "recall_messages": {"session_id": "tide-tables"},
    "recall_sessions": {"scope": "global"},
    "session_search": {"query": "noon"},
    "session_recall": {"query": "noon", "looking_for": "what happens at noon", "curator": "extractive"},
}


def told(answer: dict[str, Any]) -> list[str]:
    """The warnings of an answer about unknown arguments."""
    pairs = zip(answer.get("warnings", ()), answer.get("warning_categories", ()), strict=True)
    return [text for text, category in pairs if category == UNKNOWN]


@pytest.mark.parametrize("mode", ["raw", "schema"])
@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_names_what_it_does_not_know(desk: RecallTools, tool: str, mode: str) -> None:
    answer = desk.call(tool, {**NEEDED[tool], "banana": 1}, now=NOW, mode=mode)
    assert answer["ok"] is True
    assert told(answer) == [f"Ignored banana: {tool} has no such argument"]


@pytest.mark.parametrize("tool", TOOLS)
def test_what_is_known_or_null_is_not_told(desk: RecallTools, tool: str) -> None:
    answer = desk.call(tool, {**NEEDED[tool], "banana": None}, now=NOW)
    assert told(answer) == []


def test_a_misspelt_name_gets_the_one_that_was_meant(desk: RecallTools) -> None:
    answer = ask(desk, "noon", max_results=1, sesionId="tide-tables")
    assert told(answer) == [
        "Ignored max_results, sesionId: recall has no such arguments; did you mean 'results' or 'session_id'?"
    ]


def test_names_are_suggested_as_the_caller_writes_names(desk: RecallTools) -> None:
    answer = desk.call("recall", {"query": "noon", "sesionId": "tide-tables"}, now=NOW, wire="camel")
    assert answer["warnings"] == ["Ignored sesionId: recall has no such argument; did you mean 'sessionID'?"]


def test_an_argument_of_another_tool_is_named_as_it_was_written(desk: RecallTools) -> None:
    answer = desk.call("recall_get", {**NEEDED["recall_get"], "expandResults": 2}, now=NOW)
    assert told(answer) == ["Ignored expandResults: recall_get has no such argument"]


def test_long_and_odd_names_are_quoted_and_cut(desk: RecallTools) -> None:
    odd: dict[str, Any] = dict.fromkeys(("a b\n\x1b[31m", "c" * 500, *(f"z{number}" for number in range(30))), 1)
    (text,) = told(ask(desk, "noon", **odd))
    assert r"'a b\n\x1b[31m'" in text
    assert "and 27 more" in text
    assert len(text) < 300


def test_an_error_tells_it_too(desk: RecallTools) -> None:
    answer = desk.call("recall", {"querry": "noon"}, now=NOW)
    assert (answer["ok"], answer["error_category"]) == (False, "query_required")
    assert told(answer) == ["Ignored querry: recall has no such argument; did you mean 'query'?"]


def test_it_stands_first_among_at_most_five_warnings(desk: RecallTools) -> None:
    odd: dict[str, Any] = dict.fromkeys(("scope", "match", "group", "type", "role", "expand"), "x")
    answer = ask(desk, "noon", banana=1, **odd)
    assert answer["warning_categories"][0] == UNKNOWN
    assert len(answer["warnings"]) == len(answer["warning_categories"]) == MAX_WARNINGS


@pytest.mark.parametrize("mode", ["raw", "schema"])
def test_recall_takes_limit_for_its_results(desk: RecallTools, mode: str) -> None:
    answer = ask(desk, "noon", limit=2, mode=mode)
    assert "warnings" not in answer
    assert parts(answer) == parts(ask(desk, "noon", results=2))
    assert len(parts(answer)) == 2


@pytest.mark.parametrize(("tool", "field"), [("recall_messages", "messages"), ("recall_sessions", "sessions")])
def test_tools_with_a_limit_take_results_for_it(desk: RecallTools, tool: str, field: str) -> None:
    answer = desk.call(tool, {**NEEDED[tool], "results": 2}, now=NOW)
    assert "warnings" not in answer
    assert len(answer[field]) == 2


def test_of_two_names_of_one_argument_its_own_counts(desk: RecallTools) -> None:
    answer = ask(desk, "noon", results=3, limit=1)
    assert len(parts(answer)) == 3
    assert told(answer) == ["Ignored limit: results is given too"]
    assert len(parts(ask(desk, "noon", results=None, limit=1))) == 1


def test_an_unusable_value_is_named_as_it_was_written(desk: RecallTools) -> None:
    answer = ask(desk, "noon", limit="many")
    assert answer["warnings"] == ["Ignored limit 'many': it must be a number"]
    assert ask(desk, "noon", limit="many", mode="schema")["error"] == "arguments do not fit the schema: limit"


def test_a_hook_takes_what_its_host_sends(desk: RecallTools) -> None:
    assert "warnings" not in desk.call("hook:nudge", {"system": [], "banana": 1}, now=NOW)


def test_an_answer_over_mcp_keeps_it(desk: RecallTools) -> None:
    assert compact(ask(desk, "noon", banana=1))["warnings"] == ["Ignored banana: recall has no such argument"]


def test_a_batch_tells_it_of_arguments_and_of_defaults() -> None:
    desk = RecallTools(Recall([Invented()]), hooks=HOOKS)

    def warned(tool: str, args: dict[str, Any], options: dict[str, Any]) -> list[str]:
        line = json.dumps({"id": 1, "tool": tool, "args": {**NEEDED[tool], **args}, "options": options}).encode()
        return told(serve(desk, line, 1)["output"])

    assert warned("recall", {"banana": 1}, {}) == ["Ignored banana: recall has no such argument"]
    assert warned("recall", {}, {"max_resluts": 1}) == ["Ignored max_resluts: recall has no such argument"]
    assert warned("recall", {}, {"max_results": 1, "width": 80}) == []
    assert warned("recall_get", {}, {"width": 80}) == []  # a default for another tool
    assert warned("recall_get", {"width": 80}, {}) == ["Ignored width: recall_get has no such argument"]


def test_the_library_of_session_recall_tells_it() -> None:
    answer = SessionRecallTools(Recall([Invented()])).answer({**NEEDED["session_recall"], "limit": 2})
    assert told(answer) == ["Ignored limit: session_recall has no such argument"]
