"""No call of the tools raises: whatever goes wrong, also behind the tool itself, is the error of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.frontends.hooks.hook_calls import HOOKS
from recall_rank.frontends.tools import dispatch
from recall_rank.frontends.tools.dispatch import TOOLS, RecallTools
from recall_rank.frontends.tools.session_recall import SessionRecallTools
from recall_rank.frontends.tools.session_search import SessionTools
from recall_rank.model import Message, Part, Session
from recall_rank.model.serialize import MAX_DEPTH, json_line, too_deep
from recall_rank.recall import Recall
from tests.support.frontends.harbor import NOW, Invented, tools

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def nested(depth: int, kind: type = list) -> Any:
    """Lists, tuples or objects in one another."""
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if kind is dict else kind([value])
    return value


def endless() -> list[Any]:
    """A list that contains itself twice."""
    value: list[Any] = []
    value += [value, value]
    return value


@pytest.mark.parametrize("kind", [list, tuple, dict])
def test_the_depth_of_a_value_is_measured(kind: type) -> None:
    assert not too_deep(nested(MAX_DEPTH, kind))
    assert too_deep(nested(MAX_DEPTH + 1, kind))
    assert too_deep(nested(100_000, kind))


def test_a_value_is_measured_once_wherever_it_stands() -> None:
    value: Any = "text"
    for _ in range(MAX_DEPTH):
        value = [value, value, "x", 1, None]
    assert not too_deep(value)
    assert too_deep(endless())
    assert not too_deep("text")


@pytest.mark.parametrize("wire", ["snake", "camel"])
@pytest.mark.parametrize("redact", [False, True])
@pytest.mark.parametrize("name", [*TOOLS, *HOOKS, "session_transcript", "unheard", ["no name"], None])
def test_no_arguments_make_a_call_raise(name: Any, redact: bool, wire: str) -> None:
    desk = tools(redact=redact)
    for value in (nested(800), nested(800, dict), nested(200), endless(), {1, 2}, b"\xff"):
        for args in (value, {"query": value}, {"messages": [value]}, {"session_id": value}, {"unheard": value}):
            answer = desk.call(name, args, wire=wire, now=NOW)
            assert isinstance(answer, dict)
            if too_deep(args):
                refused = str(answer.get("error") or answer["content"])
                assert any(why in refused for why in ("nested", "unknown tool", "object", "TypeError")), answer
                assert json_line(answer)


@pytest.mark.parametrize("wire", ["snake", "camel"])
@pytest.mark.parametrize("at", ["without_secrets", "camel_answer", "documented_answer", "original_answer"])
def test_a_defect_behind_the_tool_is_an_answer(monkeypatch: pytest.MonkeyPatch, at: str, wire: str) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"no such thing {SECRET}")

    monkeypatch.setattr(dispatch, at, broken)
    desk = tools(redact=True)
    for name in ("recall", "session_search", "session_recall"):
        answer = desk.call(name, {"query": "noon", "looking_for": "the time"}, wire=wire, now=NOW)
        if answer.get("error"):
            assert (answer["ok"], answer["error_category"]) == (False, "internal")
            assert "RuntimeError" in answer["error"]
        assert SECRET not in str(answer)
    shown = desk.call("recall", {"query": "noon"}, wire=wire, now=NOW)
    assert shown["ok"] is (at not in ("without_secrets", *(["camel_answer"] if wire == "camel" else [])))


def test_a_lack_of_memory_behind_the_tool_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(dispatch, "without_secrets", broken)
    assert tools(redact=True).call("recall", {"query": "noon"})["error_category"] == "out_of_memory"


@pytest.mark.parametrize("redact", [False, True])
def test_a_message_whose_tool_had_a_deep_input_is_shown(redact: bool) -> None:
    part = Part("p", "tool", tool="bash", input={"tree": nested(700)}, output="the lamp is lit")
    session = Session("lamp", (Message("m", "assistant", NOW, (part,)),), source="invented")
    desk = tools(session, redact=redact)
    for name in ("recall_get", "recall_messages"):
        answer = desk.call(name, {"session_id": "lamp", "message_id": "m"})
        assert isinstance(answer["ok"], bool)
        assert json_line(answer)


@pytest.mark.parametrize("value", [nested(800), endless(), {1, 2}], ids=["deep", "endless", "set"])
def test_the_methods_of_the_library_do_not_raise(value: Any) -> None:
    recall = Recall([Invented()])
    assert '"success": false' in SessionTools(histories=recall, strict=True).session_search(value)
    assert '"error"' in SessionRecallTools(recall).session_recall(value, "the time")
    assert SessionRecallTools(recall).answer({"query": value, "looking_for": "x"})["status"] == "error"


def test_a_machine_whose_histories_cannot_be_opened_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(Recall, "discover", broken)
    assert "the disk is gone" in SessionTools().session_search("x")
    assert "the disk is gone" in SessionRecallTools().session_recall("x", "y")


def test_hooks_may_raise() -> None:
    def broken(*_: object) -> dict[str, Any]:
        raise RuntimeError("no hook")

    desk = RecallTools(Recall([Invented()]), hooks={"hook:x": broken})
    assert desk.call("hook:x", {})["error"] == "internal error: RuntimeError: no hook"
