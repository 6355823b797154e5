"""The recall tool's arguments, defaults and forgiveness."""

from __future__ import annotations

from typing import Any

import pytest
from frontends.samples import NOW, FakeIndex, session
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.recall_tool import answer, read_context
from recall_rank.model import Context

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture
def index() -> FakeIndex:
    return FakeIndex([session("s1", "the rate limit")])


def asked(index: FakeIndex, args: dict[str, Any], **more: Any) -> dict[str, Any]:
    assert answer(index, args, now=NOW, **more)["ok"] is True
    return index.asked[-1][1]


@pytest.mark.parametrize(
    ("args", "match", "order"),
    [
        ({}, "literal", "time"),
        ({"match": "regex"}, "regex", "time"),
        ({"match": "smart"}, "smart", "relevance"),
        ({"match": "fuzzy"}, "fuzzy", "relevance"),
        ({"order": "relevance"}, "literal", "relevance"),
        ({"match": "smart", "order": "time"}, "smart", "time"),
    ],
)
def test_defaults_are_the_original_tools(index: FakeIndex, args: dict[str, Any], match: str, order: str) -> None:
    options = asked(index, {"query": "rate", **args})
    assert (options["match"], options["order"], options["scope"]) == (match, order, "global")


def test_options_reach_the_engine(index: FakeIndex) -> None:
    context = Context(session_id="s1")
    given_args = {"query": "rate", "results": 50, "tool_name": "bash", "must_not": ["x"], "title": None}
    options = asked(index, given_args, context=context, cancel="event")
    assert options["results"] == 50
    assert options["tool_name"] == "bash"
    assert options["must_not"] == ["x"]
    assert options["context"] is context
    assert options["cancel"] == "event"
    assert options["now"] == NOW
    assert "title" not in options


def test_times_become_bounds(index: FakeIndex) -> None:
    options = asked(index, {"query": "rate", "last": "2h", "to": "now", "from": "1y"})
    assert (options["after"], options["before"]) == (NOW - 7_200_000, NOW)
    assert not {"last", "to", "from", "from_"} & options.keys()


def test_odd_times_are_forgiven_and_told(index: FakeIndex) -> None:
    output = answer(index, {"query": "rate", "last": "soonish"}, now=NOW)
    assert output["ok"] is True
    assert len(output["warnings"]) == 1
    assert "last 'soonish'" in output["warnings"][0]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, "query must be a string, not None"),
        ({"query": 42}, "query must be a string, not 42"),
        ({"query": " "}, "query must not be blank"),
        ([], "args must be an object, not list"),
        ({"query": "a", "banana": 1}, "unknown argument banana; accepted are after, before"),
        ({"query": "a", "sessionID": "x"}, "unknown argument sessionID"),
        ({"query": "a", "results": 51}, "results must be a whole number from 1 to 50, not 51"),
        ({"query": "a", "results": 0}, "not 0"),
        ({"query": "a", "results": True}, "not True"),
        ({"query": "a", "results": "3"}, "not '3'"),
        ({"query": "a", "last": "1h", "until": "2h"}, "empty window"),
        ({"query": "defect"}, "internal error: RuntimeError: boom"),
    ],
)
def test_a_bad_call_is_answered_with_its_reason(index: FakeIndex, args: Any, words: str) -> None:
    output = answer(index, args)
    assert output.keys() == {"ok", "error"}
    assert output["ok"] is False
    assert words in output["error"]


@given(
    JSON
    | st.fixed_dictionaries({"query": st.text(max_size=5)}, optional={"last": JSON, "match": JSON, "results": JSON})
)
def test_any_arguments_are_answered(args: Any) -> None:
    output = answer(FakeIndex([]), args)
    assert output["ok"] is True or output["error"]


@pytest.mark.parametrize(
    ("value", "context"),
    [
        (None, None),
        ({}, Context()),
        ({"session_id": "", "project": "  ", "directory": None}, Context()),
        ({"session_id": "s1", "worktree": "/srv"}, Context(session_id="s1", worktree="/srv")),
    ],
)
def test_contexts(value: Any, context: Context | None) -> None:
    assert read_context(value) == context


@pytest.mark.parametrize("value", [[], "here", {"folder": "/srv"}, {"directory": 7}])
def test_a_context_of_another_shape_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="context"):
        read_context(value)
