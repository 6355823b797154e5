"""Suggestions and near misses of a search that could find nothing, because its filters left nothing to search."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.frontends.harbor import ask, tools

NOTHING_LEFT: list[tuple[dict[str, Any], list[str]]] = [
    ({"after": "2031-01-01"}, ["after"]),
    ({"since": "2031-01-01", "role": "user"}, ["since"]),
    ({"before": "2001-01-01"}, ["before"]),
    ({"title": "no such title"}, ["title"]),
    ({"directory": "/home/ana/none"}, ["directory"]),
    ({"type": "reasoning", "session_id": "bee-hives"}, ["type", "session_id"]),
    ({"role": "assistant", "session_id": "bee-hives"}, ["role", "session_id"]),
    ({"exclude_session_ids": ["bee-hives"], "title": "zephyr"}, ["exclude_session_ids", "title"]),
]


@pytest.mark.parametrize("match", ["literal", "smart"])
@pytest.mark.parametrize(("args", "names"), NOTHING_LEFT)
def test_the_filters_that_left_nothing_are_named(args: dict[str, Any], names: list[str], match: str) -> None:
    answer = ask(tools(), "gauge", match=match, **args)
    assert answer["results"] == []
    about = [text for text in answer["suggestions"] if "left to search by" in text]
    assert about == answer["suggestions"][:1] or "directory" in names
    assert all(name in about[0] for name in names)
    assert "exact text" not in str(answer["suggestions"])


@pytest.mark.parametrize("match", ["literal", "smart"])
def test_a_required_text_that_nothing_holds_is_named(match: str) -> None:
    answer = ask(tools(), "gauge", match=match, must=["no such words"])
    assert (answer["results"], answer["suggestions"]) == ([], ["nothing holds 'no such words'"])


@pytest.mark.parametrize("wire", ["snake", "camel"])
def test_they_are_named_as_the_call_wrote_them(wire: str) -> None:
    name = "exclude_session_ids" if wire == "snake" else "excludeSessionIDs"
    args = {"query": "noon", name: ["bee-hives"], "title": "zephyr"}
    assert name in tools().call("recall", args, wire=wire)["suggestions"][0]


@pytest.mark.parametrize(("args", "names"), NOTHING_LEFT)
def test_sessions_that_were_not_searched_are_no_near_misses(args: dict[str, Any], names: list[str]) -> None:
    assert "near_misses" not in ask(tools(), "gauge", **args)


def test_an_unknown_session_was_not_searched() -> None:
    answer = ask(tools(), "gauge", session_id="nosuch")
    assert "no session has this id" in answer["warnings"][0]
    assert not any("1 session" in text for text in (*answer["suggestions"], *answer["warnings"]))


def test_a_search_that_had_something_to_search_is_told_to_match_otherwise() -> None:
    assert ask(tools(), "gauge drifted")["suggestions"] == [
        'No part holds this exact text: try match "smart"',
        "Only 3 sessions were searched",
    ]


def test_a_word_that_nobody_wrote_is_told_beside_the_hits_of_others() -> None:
    answer = ask(tools(), "gauge kubernetes", match="smart")
    assert answer["results"]
    assert answer["suggestion_categories"] == ["words_unknown"]
    assert answer["suggestions"] == ["nobody wrote 'kubernetes'; the hits are of the other words"]
