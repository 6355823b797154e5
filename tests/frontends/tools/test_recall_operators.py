"""The tool recall reads operators only when it is asked to, takes exact phrases and an agent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recall_rank import UserVocabulary
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.recall import Recall
from tests.support.frontends.harbor import BEES, FERRIES, NOW, TIDES, Invented


@pytest.fixture
def desk() -> RecallTools:
    sessions = replace(TIDES, agent="codex"), replace(FERRIES, agent="claude-code"), BEES
    return RecallTools(Recall([Invented(*sessions)]))


def ask(desk: RecallTools, query: str, **args: Any) -> dict[str, Any]:
    return desk.call("recall", {"query": query, "match": "smart", **args}, now=NOW)


def test_operators_are_text_unless_syntax_is_true(desk: RecallTools) -> None:
    as_text, read = ask(desk, "noon role:user"), ask(desk, "noon role:user", syntax=True)
    assert "syntax" not in as_text
    assert {result["role"] for result in as_text["results"]} == {"user", "assistant"}
    assert read["syntax"] == {"text": "noon", "filters": {"role": ["user"]}}
    assert {result["role"] for result in read["results"]} == {"user"}


def test_operators_are_read_in_literal_matching_too(desk: RecallTools) -> None:
    read = ask(desk, "noon role:user", syntax=True, match="literal")
    assert {result["role"] for result in read["results"]} == {"user"}
    assert "syntax" not in ask(desk, "noon|role:user", syntax=True, match="regex")


def test_a_search_without_hits_names_only_sessions_that_the_operators_leave(desk: RecallTools) -> None:
    none = ask(desk, "zyzzyva agent:codex", syntax=True)
    assert none["total"] == 0
    assert {miss["session_id"] for miss in none["near_misses"]} == {TIDES.id}


@pytest.mark.parametrize("tool", ["session_search", "session_recall"])
def test_other_tools_tell_of_the_synonyms_that_they_used(tool: str) -> None:
    recall = Recall([Invented(TIDES, FERRIES, BEES)], vocabulary=UserVocabulary(one_way={"midday": ["noon"]}))
    args = {"query": "midday", "looking_for": "the gauge", "curator": "extractive"}
    for query, told in (("midday", True), ("noon", False)):
        answer = RecallTools(recall).call(tool, {**args, "query": query}, now=NOW)
        assert ("also searched, by the user's vocabulary: midday = noon" in answer.get("warnings", ())) == told


def test_an_agent_limits_searches_and_lists(desk: RecallTools) -> None:
    assert {result["session_id"] for result in ask(desk, "noon", agent="Codex")["results"]} == {TIDES.id}
    listed = desk.call("recall_sessions", {"scope": "global", "agent": "claude_code"}, now=NOW)
    assert [session["id"] for session in listed["sessions"]] == [FERRIES.id]
    unknown = desk.call("recall_sessions", {"scope": "global", "agent": "codx"}, now=NOW)
    assert unknown["suggestion_categories"] == ["unknown_agent"]
    assert unknown["suggestions"] == ["No session is of an agent 'codx': did you mean 'codex'?"]


def test_a_filter_of_a_wrong_type_is_refused(desk: RecallTools) -> None:
    assert ask(desk, "noon", agent=3)["error_category"] == "wrong_type:agent"
    assert desk.call("recall_sessions", {"agent": []}, now=NOW)["error_category"] == "wrong_type:agent"


def test_exact_phrases_weigh_and_a_useless_one_is_told(desk: RecallTools) -> None:
    exact = ask(desk, "noon", exact=["drift after noon"], explain=True)
    assert exact["results"][0]["explain"]["quoted"] > 0
    assert exact["total"] >= ask(desk, "noon")["total"]
    assert ask(desk, "noon", exact=7)["warnings"] == ["Ignored exact 7: it must be a list of strings"]
    assert ask(desk, "noon", exact="drift after noon")["ok"]
    assert ask(desk, "noon", exact=[" "])["ok"]
