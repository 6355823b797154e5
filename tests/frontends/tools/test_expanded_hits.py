"""The parameter `expand` of `recall`: whole messages or neighbours of the first hits, within budgets."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.tools.expanded_hits import MARKER
from recall_rank.model import Message, Part, Session
from recall_rank.recall import Recall
from tests.support.frontends.harbor import BEES, HERE, NOW, Invented, tools


@pytest.fixture(scope="module")
def desk() -> RecallTools:
    return tools()


def ids(answer: dict[str, Any]) -> list[str]:
    return [entry["message"]["id"] for entry in answer["messages"]]


def expanded(desk: RecallTools, query: str, **args: Any) -> dict[str, Any]:
    return desk.call("recall", {"query": query, **args}, now=NOW)


def test_hits_expand_to_their_messages(desk: RecallTools) -> None:
    answer = expanded(desk, "noon", expand="message", expand_results=2)
    assert [entry["message_id"] for entry in answer["expanded"]] == ["tt1", "tt4"]
    assert [entry["result_index"] for entry in answer["expanded"]] == [0, 1]
    assert answer["expanded"][0]["message"]["parts"][0]["content"] == "Why does the tide gauge drift after noon?"
    assert expanded(desk, "nothingatall", expand="context")["expanded"] == []


def test_hits_expand_to_their_neighbours(desk: RecallTools) -> None:
    answer = expanded(desk, "overflow", expand="context", window=1)
    (entry,) = answer["expanded"]
    assert ids(entry) == ["tt1", "tt2", "tt3"]
    assert (entry["has_more_before"], entry["has_more_after"]) == (False, True)
    echo = entry["messages"][2]["parts"][0]
    assert echo["content"] == "[recall output omitted]"
    assert "output" not in echo
    assert echo["input"] == {"query": "pelican"}


def test_a_budget_of_messages(desk: RecallTools) -> None:
    answer = expanded(desk, "ferry", expand="context", window=4, expand_results=3, expand_budget_messages=6)
    sizes = [len(entry["messages"]) for entry in answer["expanded"]]
    assert sum(sizes) == 6
    assert all(any(message["center"] for message in entry["messages"]) for entry in answer["expanded"])
    assert answer["warning_categories"] == ["expansion_context_capped"]
    auto = expanded(desk, "ferry", expand="context", window="auto", expand_results=3)
    assert "warnings" not in auto


def test_a_budget_of_characters() -> None:
    long = Part("p", "tool", tool="bash", output="buoy " + "x" * 9000)
    desk = tools(Session("long-output", (Message("m1", "assistant", 1, (long, long)),)))
    answer = expanded(desk, "buoy", expand="message", expand_budget_chars=5000)
    first, second = answer["expanded"][0]["message"]["parts"]
    assert (len(first["output"]), len(second["output"])) == (4000, 1000)
    assert first["output"].endswith(MARKER)
    assert answer["warning_categories"] == ["expansion_text_capped"]
    tiny = expanded(desk, "buoy", expand="message", expand_budget_chars=20)
    assert "output" not in tiny["expanded"][0]["message"]["parts"][0]


def test_the_characters_go_to_the_hit_before_its_neighbours() -> None:
    """Regression: long messages in front of a hit used them up, and the hit itself was without text."""
    texts = ["about the pier " + "x" * 3000, "the heron " + "y" * 3000, "about the pier " + "z" * 3000]
    said = (Message(f"m{at}", "user", NOW, (Part(f"p{at}", "text", text),)) for at, text in enumerate(texts))
    answer = expanded(tools(Session("s", tuple(said))), "heron", expand="context", window=1, expand_budget_chars=3500)
    before, hit, after = ([part.get("content") for part in m["parts"]] for m in answer["expanded"][0]["messages"])
    assert hit == [texts[1]]
    assert before[0].endswith(MARKER)
    assert after == [None]


def test_titles_do_not_expand() -> None:
    answer = expanded(tools(BEES), "Zephyrcanary sw", expand="message")
    assert answer["expanded"] == []
    assert answer["warning_categories"] == ["expansion_title_only"]


def test_a_message_that_is_gone_is_a_warning() -> None:
    source = Invented()
    desk = RecallTools(Recall([source]), context=HERE)
    expanded(desk, "noon")
    del source.sessions["tide-tables"]
    source.sessions["tide-tables"] = Session("tide-tables", ())
    answer = expanded(desk, "overflow", expand="message")
    assert answer["expanded"] == []
    assert answer["warning_categories"] == ["expansion_failed"]
