"""The hooks as calls: JSON in and out, unregistered when off, limited to the project with global off."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.frontends.harbor import HERE, NOW, tools

QUESTION = "Why did the tide gauge drift after noon, as last time?"
PARTS = [{"type": "text", "text": QUESTION}]


def call(name: str, args: dict[str, Any], wire: str = "snake", **options: Any) -> dict[str, Any]:
    return tools(**options).call(f"hook:{name}", args, now=NOW, wire=wire)


def test_only_the_reminder_is_on_by_default() -> None:
    assert call("nudge", {"system": []})["registered"] is True
    assert call("auto_recall", {"parts": PARTS}) == {"ok": True, "registered": False, "parts": PARTS}
    assert call("compaction", {"context": []}) == {"ok": True, "registered": False, "context": []}
    assert call("nudge", {"system": []}, nudge=False) == {"ok": True, "registered": False, "system": []}


def test_a_part_is_added() -> None:
    answer = call("auto_recall", {"parts": PARTS, "message_id": "new"}, autoRecall=True)
    given, added = answer["parts"]
    assert given == PARTS[0]
    assert added.pop("text").startswith("<recall-auto>")
    assert added == {"type": "text", "synthetic": True, "session_id": HERE.session_id, "message_id": "new"}


def test_camel_case_names() -> None:
    args = {"parts": PARTS, "messageID": "new"}
    assert call("auto_recall", args, wire="camel", autoRecall=True)["parts"][1]["messageID"] == "new"


def test_back_references_in_other_languages_are_an_option_of_the_host() -> None:
    parts = [{"type": "text", "text": "tide gauge drift after noon: wie haben wir das letztes Mal gelöst?"}]
    given = {"parts": parts}
    assert len(call("auto_recall", given, auto_recall=True)["parts"]) == 2
    for written in ("otherLanguages", "other_languages"):
        assert call("auto_recall", given, auto_recall=True, **{written: False})["parts"] == parts
        assert len(call("auto_recall", given, auto_recall=True, **{written: "no"})["parts"]) == 2  # of a wrong type
    english = {"parts": PARTS}
    assert len(call("auto_recall", english, auto_recall=True, other_languages=False)["parts"]) == 2


@pytest.mark.parametrize(
    "parts",
    [
        None,
        "text",
        [],
        [None, 7, {"type": "text"}],
        [{"type": "file", "text": QUESTION}],
        [{"type": "text", "text": QUESTION, "synthetic": True}],
    ],
)
def test_calls_without_anything_to_add(parts: Any) -> None:
    assert call("auto_recall", {"parts": parts}, auto_recall=True)["parts"] == parts


def test_the_session_defaults_to_the_current_one() -> None:
    session = {"context": []}
    assert call("compaction", session, compaction_recall=True)["context"] == []
    assert call("compaction", {"context": "no list"}, compaction_recall=True)["context"] == "no list"
    assert call("compaction", {"context": [], "session_id": 7}, compaction_recall=True)["context"] == []


def test_with_global_off_only_the_project_is_searched() -> None:
    parts = [{"type": "text", "text": "what did we say about the bees swarm last time"}]
    assert len(call("auto_recall", {"parts": parts}, auto_recall=True)["parts"]) == 2
    assert call("auto_recall", {"parts": parts}, auto_recall=True, **{"global": False})["parts"] == parts
    closed = call("auto_recall", {"parts": PARTS}, auto_recall=True, **{"global": False})
    assert "tide-tables" in closed["parts"][1]["text"]


NAMES = ["recall", "recall_get", "recall_context", "recall_messages", "recall_sessions"]


class TestPrimary:
    """The option `primary`: the recall tools are among those that a host gives to its own agent alone."""

    def test_the_tools_are_added_once_and_in_order(self) -> None:
        first = call("primary", {"primary_tools": ["edit", "recall_get"]})
        assert first["registered"] is True
        assert first["primary_tools"] == ["edit", "recall_get", *(name for name in NAMES if name != "recall_get")]
        assert call("primary", {"primary_tools": first["primary_tools"]})["primary_tools"] == first["primary_tools"]

    def test_a_host_without_a_list_gets_one(self) -> None:
        assert call("primary", {})["primary_tools"] == NAMES

    @pytest.mark.parametrize("given", ["recall", 7, {"a": 1}])
    def test_a_value_that_is_no_list_is_returned_unchanged(self, given: Any) -> None:
        assert call("primary", {"primary_tools": given})["primary_tools"] == given

    def test_it_can_be_off(self) -> None:
        answer = call("primary", {"primary_tools": ["edit"]}, primary=False)
        assert answer == {"ok": True, "registered": False, "primary_tools": ["edit"]}

    def test_camel_case_names(self) -> None:
        answer = call("primary", {"primaryTools": ["edit"]}, wire="camel")
        assert answer["primaryTools"] == ["edit", *NAMES]
