"""Values that the tools refuse, and values that they replace with a warning."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.tools.dispatch import TOOLS, RecallTools
from tests.support.examples import examples
from tests.support.frontends.harbor import NOW, ask, tools

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("args", "category"),
    [
        ({"query": 42}, "query_required"),
        ({"query": None}, "query_required"),
        ({"query": "  "}, "query_required"),
        ({"query": "a", "tool_name": "bash", "type": "text"}, "tool_name_needs_tool_type"),
        ({"query": "a", "last": "2h", "until": "3d"}, "empty_time_window"),
        ({"query": "a", "project": 5}, "wrong_type:project"),
        ({"query": "a", "must": [1]}, "wrong_type:must"),
        ({"query": "a", "must_not": 5}, "wrong_type:must_not"),
        ({"query": "a", "exclude_session_ids": {"a": 1}}, "wrong_type:exclude_session_ids"),
    ],
)
def test_impossible_requests_are_errors(desk: RecallTools, args: dict[str, Any], category: str) -> None:
    answer = desk.call("recall", args, now=NOW)
    assert (answer["ok"], answer["error_category"]) == (False, category)
    assert answer["error"]


@pytest.mark.parametrize(
    ("args", "categories"),
    [
        ({"scope": "planet"}, ["value_ignored:scope"]),
        ({"match": "SMART"}, ["value_ignored:match"]),
        ({"match": 5, "role": ["user"], "explain": "yes", "fallback": 1}, []),
        ({"results": 0}, ["clamped:results"]),
        ({"results": 10**30}, ["clamped:results"]),
        ({"results": "3"}, ["value_ignored:results"]),
        ({"results": True}, ["value_ignored:results"]),
        ({"width": float("inf")}, ["value_ignored:width"]),
        ({"width": float("nan")}, ["value_ignored:width"]),
        ({"sessions": -1}, ["clamped:sessions"]),
        ({"title": 7}, ["value_ignored:title"]),
        ({"session_id": {"a": 1}}, ["value_ignored:session_id"]),
        ({"after": {"a": 1}}, ["time_ignored:after"]),
        ({"after": 10**30}, ["time_ignored:after"]),
        ({"after": "soonish", "window": -4}, ["time_ignored:after", "clamped:window"]),
        ({"window": 99, "after": "eh", "width": 9}, ["clamped:width", "time_ignored:after", "clamped:window"]),
        ({"expand_budget_chars": "many"}, ["value_ignored:expand_budget_chars"]),
        ({"expand_budget_messages": 0}, ["value_ignored:expand_budget_messages"]),
        ({"expand_budget_messages": 31}, ["clamped:expand_budget_messages"]),
        ({"banana": 1, "title": None, "must": ""}, ["unknown_arguments"]),
        (
            {"scope": "x", "match": "x", "group": "x", "type": "x", "role": "x", "expand": "x", "width": 1},
            [f"value_ignored:{name}" for name in ("scope", "match", "group", "type", "role")],
        ),
    ],
)  # fmt: skip
def test_odd_values_are_replaced_with_a_warning(desk: RecallTools, args: dict[str, Any], categories: list[str]) -> None:
    answer = ask(desk, "noon", **args)
    assert answer["ok"] is True
    assert answer.get("warning_categories", []) == categories
    assert len(answer.get("warnings", ())) == len(categories)


@pytest.mark.parametrize(
    ("args", "refused"),
    [
        ({}, ["query"]),
        ({"query": ""}, ["query"]),
        ({"query": "a", "results": 51, "width": 1001}, ["results", "width"]),
        ({"query": "a", "scope": "planet", "explain": "yes"}, ["scope", "explain"]),
        ({"query": "a", "expand_results": 1.5, "window": "wide", "last": 7}, ["last", "expand_results", "window"]),
        ({"query": "a", "after": True, "title": 1}, ["title", "after"]),
        ({"query": "a", "order": "sideways", "must": [1], "offset": -1}, ["must", "order", "offset"]),
        ({"query": "a", "project": 5, "must_not": 5, "budget_ms": "x"}, ["project", "must_not", "budget_ms"]),
    ],
)
def test_a_schema_refuses_by_name(desk: RecallTools, args: dict[str, Any], refused: list[str]) -> None:
    answer = desk.call("recall", args, now=NOW, mode="schema")
    assert answer["ok"] is False
    assert answer["rejected_by_schema"] is True
    assert answer["rejected_params"] == refused


def test_the_schema_accepts_values_that_are_capped_later(desk: RecallTools) -> None:
    args = {"expand_results": 40, "window": "auto", "after": 5, "banana": True, "order": "time", "must": ["noon"]}
    answer = ask(desk, "noon", "schema", **args)
    assert answer["warning_categories"] == ["unknown_arguments", "clamped:expand_results"]


def test_a_defect_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tools()
    monkeypatch.setattr(broken._histories, "search", lambda *_, **__: 1 / 0)
    answer = ask(broken, "noon")
    assert answer["ok"] is False
    assert answer["error"].startswith("internal error: ZeroDivisionError")
    assert broken.call("forget", {})["error"].startswith("unknown tool 'forget'")
    assert broken.call("recall", [])["error"] == "args must be an object, not a list"


@pytest.mark.parametrize(
    ("args", "error", "told"),
    [
        ({"quer": "x"}, "query is missing: name a word or a text to look for", "did you mean 'query'?"),
        ({}, "query is missing: name a word or a text to look for", None),
        ({"query": {"a": 1}}, "query must be a string, not an object", None),
        ({"query": True}, "query must be a string, not true or false", None),
        ({"query": "x", "project": [1]}, "project must be a string, not a list", None),
        ({"query": "x", "must": 1.5}, "must must be a list of strings, not a number", None),
    ],
)
def test_an_error_tells_kinds_of_json(desk: RecallTools, args: dict[str, Any], error: str, told: str | None) -> None:
    answer = desk.call("recall", args, now=NOW)
    assert answer["error"] == error
    assert told is None or answer["warnings"] == [f"Ignored quer: recall has no such argument; {told}"]


SOME = {"last": JSON, "match": JSON, "results": JSON, "directory": JSON, "session_id": JSON, "window": JSON}


@examples(40)
@given(
    st.sampled_from(sorted(TOOLS)),
    JSON | st.fixed_dictionaries({"query": st.text(max_size=5)}, optional={**SOME, "expand": JSON, "scope": JSON}),
    st.sampled_from(["schema", "raw"]),
)
def test_any_arguments_are_answered(name: str, args: Any, mode: str) -> None:
    answer = DESK.call(name, args, now=NOW, mode=mode)
    assert answer["ok"] is True or answer["error"]
    assert "internal error" not in answer.get("error", "")


DESK = tools()


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({"maxResults": 7.9}, "max_results", 7),
        ({"max_results": 0}, "max_results", 1),
        ({"max_results": 10**400}, "max_results", 1000),
        ({"defaultWidth": 10}, "default_width", 50),
        ({"max_sessions": 3}, "max_sessions", 3),
        ({"max_window": "wide"}, "max_window", 10),
        ({"max_window": True}, "max_window", 10),
        ({"maxMessages": float("nan")}, "max_messages", 50),
        ({"global": False}, "global_", False),
        ({"global": "no"}, "global_", True),
        ({"banana": 1}, "concurrency", 3),
    ],
)
def test_options_of_the_host(given: dict[str, Any], name: str, value: Any) -> None:
    assert getattr(host_options(given), name) == value
