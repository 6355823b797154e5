"""The original tools' field names: every one of them where the original has it, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.model.camel_case import camel, snake_arguments
from tests.support.frontends.harbor import NOW, tools

RESULT = {
    *("sessionID", "sessionTitle", "directory", "messageID", "role", "time", "partID", "partType", "pruned", "snippet"),
    *("source", "directoryRelevance", "why"),
}
COVERAGE = {
    *("totalSessionsKnown", "sessionsDiscovered", "sessionsEligible", "sessionsSearched", "sessionsSkipped"),
    *("messagesSearched", "partsSearched"),
}


def ask(name: str, **args: Any) -> dict[str, Any]:
    return tools().call(name, args, now=NOW, wire="camel")


def test_a_literal_answer() -> None:
    answer = ask("recall", query="gauge --dump")
    assert answer.keys() == {"ok", "results", "scanned", "total", "truncated", "group", "coverage", "suggestions"} - {
        "suggestions"
    }
    (result,) = answer["results"]
    assert result.keys() == {*RESULT, "toolName"}
    assert result["why"]["matchedFields"] == ["command"]
    assert answer["coverage"].keys() == COVERAGE


def test_a_ranked_answer() -> None:
    answer = ask("recall", query="gauge drift", match="smart", explain=True, group="session")
    assert (answer["matchMode"], answer["degradeKind"]) == ("smart", "none")
    first = answer["results"][0]
    assert first.keys() == {*RESULT, "score", "matchMode", "matchedTerms", "matchReasons", "hitCount", "titleMatch"}
    assert first["titleMatch"] == {"title": "Gauge drift after noon"}
    assert "matchedForms" not in first["why"]


def test_names_inside_lists_and_keys() -> None:
    args = {"toolName": "bash", "sessionID": "tide-tables", "expand": "context", "expandBudgetMessages": 2}
    answer = ask("recall", query="drift", directory="/home/ana", **args)
    coverage = answer["coverage"]
    assert coverage["limitedBy"] == ["sessionID", "directory"]
    assert coverage["directoryBucketCounts"] == {"exact": 1}
    (expanded,) = answer["expanded"]
    assert expanded.keys() == {
        *("resultIndex", "sessionID", "messageID", "mode", "messages", "hasMoreBefore", "hasMoreAfter", "context"),
    }
    part = next(entry for entry in expanded["messages"] if entry["center"])["parts"][1]
    assert part["toolName"] == "bash"
    assert part["input"] == {"command": "gauge --dump", "cwd": "/home/ana/quay/sensors"}, "not ours to rename"
    assert ask("recall", query="nothing", sessions=1)["coverage"]["skippedByReason"] == {"sessionsLimit": 2}


def test_the_other_tools() -> None:
    ids = {"sessionID": "tide-tables", "messageID": "tt2"}
    assert ask("recall_get", **ids)["context"] == {
        "sessionTitle": "Gauge drift after noon",
        "directory": "/home/ana/quay",
    }
    assert ask("recall_context", **ids).keys() == {"ok", "messages", "context", "hasMoreBefore", "hasMoreAfter"}
    assert ask("recall_messages")["pagination"].keys() == {"offset", "returned", "total", "hasMore"}
    assert ask("recall_sessions")["sessions"][0].keys() == {"id", "title", "directory", "time", "archived"}
    assert ask("recall_messages", query="nothing", expand="x")["messages"] == []
    whole = ask("recall", query="noon", expand="message")["expanded"][0]["message"]
    assert whole.keys() == {"message", "parts"}


def test_advice_and_errors() -> None:
    answer = ask("recall", query="nothingatall", scope="odd")
    assert {"warnings", "suggestions", "nearMisses"} <= answer.keys()
    assert answer["nearMisses"][0].keys() == {"sessionID", "sessionTitle", "directory", "reason"}
    assert ask("recall").keys() == {"ok", "error"}


@pytest.mark.parametrize("match", ["smart", "literal"])
def test_a_near_miss_of_a_word_carries_the_word(match: str) -> None:
    wanted = tools().call("recall", {"query": "zephirkanarx", "match": match}, now=NOW)["near_misses"]
    assert any(miss["kind"] == "term" and miss["text"] == "zephyrcanary" for miss in wanted)
    shown = ask("recall", query="zephirkanarx", match=match)["nearMisses"]
    for miss, entry in zip(wanted, shown, strict=True):
        if "session_id" in miss:
            assert entry["sessionID"] == miss["session_id"]
        else:
            assert entry == {"text": miss["text"], "reason": miss["reason"]}


@pytest.mark.parametrize(
    ("name", "written"),
    [("session_id", "sessionID"), ("has_more_before", "hasMoreBefore"), ("ok", "ok"), ("tool_name", "toolName")],
)
def test_names(name: str, written: str) -> None:
    assert camel(name) == written


def test_arguments_in_both_forms() -> None:
    args = {"toolName": "a", "tool_name": "b", "sessionID": "c", "query": "d", 7: "e"}
    assert snake_arguments(args) == {"tool_name": "b", "session_id": "c", "query": "d"}
