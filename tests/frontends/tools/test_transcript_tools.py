"""recall_get, recall_context, recall_messages and recall_sessions, and the methods of Recall that they call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.histories.transcript import UnknownMessage, UnknownSession
from recall_rank.model import Context, Message, Part, Session
from recall_rank.recall import Recall
from tests.support.frontends.harbor import HERE, TIDES, Invented, tools


@pytest.fixture(scope="module")
def desk() -> RecallTools:
    return tools()


def ids(answer: dict[str, Any]) -> list[str]:
    return [entry["message"]["id"] for entry in answer["messages"]]


def test_a_message_in_full(desk: RecallTools) -> None:
    answer = desk.call("recall_get", {"sessionID": "tide-tables", "messageID": "tt2"})
    assert answer == {
        "ok": True,
        "message": {
            "id": "tt2",
            "role": "assistant",
            "time": TIDES.messages[1].time,
            "agent": "build",
            "model": "small",
        },
        "parts": [
            {"id": "tt2p", "type": "reasoning", "pruned": False, "content": "The gauge counter may overflow."},
            {
                "id": "tt2q",
                "type": "tool",
                "pruned": True,
                "tool_name": "bash",
                "title": "Dump the gauge",
                "input": {"command": "gauge --dump", "cwd": "/home/ana/quay/sensors"},
                "output": "gauge 7 drift 0.4\n",
            },
        ],
        "context": {"session_title": "Gauge drift after noon", "directory": "/home/ana/quay"},
    }


@pytest.mark.parametrize(
    ("part", "content"),
    [
        (Part("p", "step-finish", status="stop"), "[step-finish] stop"),
        (Part("p", "step-start"), "[step-start]"),
        (Part("p", "compaction", status="auto"), "[compaction boundary (auto)]"),
        (Part("p", "compaction", "what was said"), "[compaction boundary]\nwhat was said"),
        (Part("p", "patch", files=("a.py", "b.py")), "[patch] a.py, b.py"),
        (Part("p", "file", files=("gauge.csv",)), "[file] gauge.csv"),
        (Part("p", "subtask", "Count boats", prompt="Count every boat"), "[subtask] Count boats"),
        (Part("p", "retry", status="3", error="overloaded"), "[retry] attempt 3"),
        (Part("p", "mystery"), "[mystery]"),
    ],
)
def test_parts_without_text_are_described(part: Part, content: str) -> None:
    session = Session("odd-parts", (Message("m", "assistant", 1, (part,)),))
    (shown,) = tools(session).call("recall_get", {"session_id": "odd-parts", "message_id": "m"})["parts"]
    assert shown["content"] == content
    assert shown.get("error") == part.error


def test_lone_surrogates_are_replaced() -> None:
    deep: Any = "x"
    for _ in range(500):
        deep = [deep]
    part = Part("p", "tool", tool="t", input={"deep": deep}, output="bad \ud800")
    other = Part("q", "tool", tool="t", input={1: "\udfff", "n": [1.5, None, True]})
    session = Session("odd-text", (Message("m", "assistant", 1, (part, other)),))
    first, second = tools(session).call("recall_get", {"session_id": "odd-text", "message_id": "m"})["parts"]
    assert first["input"] == "[nested too deep to be shown]"
    assert first["output"] == "bad \ufffd"
    assert second["input"] == {"1": "\ufffd", "n": [1.5, None, True]}


@pytest.mark.parametrize(
    ("args", "expected", "center", "more"),
    [
        ({"message_id": "tt2"}, ["tt1", "tt2", "tt3", "tt4"], 1, (False, False)),
        ({"message_id": "tt2", "window": 1}, ["tt1", "tt2", "tt3"], 1, (False, True)),
        ({"message_id": "tt3", "before": 0, "window": 1}, ["tt3", "tt4"], 0, (True, False)),
        ({"message_id": "tt4", "window": 0}, ["tt4"], 0, (True, False)),
        ({"message_id": "tt1", "window": 99}, ["tt1", "tt2", "tt3", "tt4"], 0, (False, False)),
    ],
)
def test_neighbours_of_a_message(
    desk: RecallTools, args: dict[str, Any], expected: list[str], center: int, more: tuple[bool, bool]
) -> None:
    answer = desk.call("recall_context", {"session_id": "tide-tables", **args})
    assert ids(answer) == expected
    assert [entry["center"] for entry in answer["messages"]].index(True) == center
    assert (answer["has_more_before"], answer["has_more_after"]) == more


@pytest.mark.parametrize(
    ("args", "expected", "total"),
    [
        ({}, ["tt1", "tt2", "tt3", "tt4"], 4),
        ({"offset": 3, "limit": 5}, ["tt4"], 4),
        ({"reverse": True, "limit": 2}, ["tt4", "tt3"], 4),
        ({"query": "  GAUGE "}, ["tt1", "tt2", "tt4"], 3),
        ({"query": "sensors"}, ["tt2"], 1),
        ({"query": "pelican"}, [], 0),
        ({"role": "user", "query": "noon", "reverse": True}, ["tt4", "tt1"], 2),
        ({"session_id": " ", "limit": 1}, ["tt1"], 4),
        ({"limit": "ten", "offset": -4, "role": "robot", "reverse": "yes"}, ["tt1", "tt2", "tt3", "tt4"], 4),
    ],
)
def test_pages_of_messages(desk: RecallTools, args: dict[str, Any], expected: list[str], total: int) -> None:
    answer = desk.call("recall_messages", args)
    assert ids(answer) == expected
    page = answer["pagination"]
    assert (page["returned"], page["total"]) == (len(expected), total)
    assert page["has_more"] == (page["offset"] + len(expected) < total)


@pytest.mark.parametrize(
    ("name", "args", "category"),
    [
        ("recall_get", {}, "ids_required"),
        ("recall_get", {"session_id": "tide-tables", "message_id": "tt9"}, "message_not_found"),
        ("recall_get", {"session_id": "nobody", "message_id": "tt1"}, "message_not_found"),
        ("recall_context", {"session_id": "tide-tables", "message_id": "tt9"}, "message_not_found"),
        ("recall_context", {"session_id": "nobody", "message_id": "tt1"}, "other"),
        ("recall_messages", {"session_id": "nobody"}, "other"),
    ],
)
def test_unknown_ids_are_errors(desk: RecallTools, name: str, args: dict[str, Any], category: str) -> None:
    answer = desk.call(name, args)
    assert (answer["ok"], answer["error_category"]) == (False, category)


def test_a_session_that_could_not_be_read() -> None:
    answer = tools(broken=("lost-session",)).call("recall_messages", {"session_id": "lost-session"})
    assert (answer["error_category"], answer["error"]) == ("no_messages", "torn")


def test_a_unit_that_can_no_longer_be_read() -> None:
    source = Invented()
    desk = RecallTools(Recall([source]), context=HERE)
    desk.call("recall", {"query": "noon"})
    source.broken = ("tide-tables",)
    for name in ("recall_get", "recall_context"):
        answer = desk.call(name, {"session_id": "tide-tables", "message_id": "tt1"})
        assert answer["error_category"] == "no_messages"


def test_without_a_current_session() -> None:
    assert tools(context=None).call("recall_messages", {})["error_category"] == "no_current_session"


def test_sessions_of_the_project_and_of_all(desk: RecallTools) -> None:
    answer = desk.call("recall_sessions", {})
    assert [entry["id"] for entry in answer["sessions"]] == ["tide-tables", "ferry-times"]
    assert (answer["returned"], answer["scope"]) == (2, "project")
    assert "project" not in answer["sessions"][0]
    assert [entry["archived"] for entry in answer["sessions"]] == [False, True]
    everything = desk.call("recall_sessions", {"scope": "global", "limit": 3, "search": " S "})
    assert [entry["id"] for entry in everything["sessions"]] == ["ferry-times", "bee-hives"]
    assert everything["sessions"][1]["project"] == {"name": "hives", "worktree": "/home/ana/hives"}


class Locked(Invented):
    def units(self) -> Any:
        raise OSError("db locked")


def test_a_store_that_cannot_be_listed() -> None:
    locked = RecallTools(Recall([Locked()]), context=HERE)
    for name, args in (("recall_sessions", {}), ("recall", {"query": "noon"})):
        answer = locked.call(name, args)
        assert (answer["error_category"], answer["error"]) == (
            "list_failed",
            "Failed to list sessions: memory: db locked",
        )


def test_the_library_reads_a_unit_again_only_when_it_has_to() -> None:
    source = Invented()
    recall = Recall([source], context=Context("tide-tables"))
    assert recall.get("tide-tables", "tt1").message.id == "tt1"
    assert source.reads == 4, "once more: the messages of a fork that stand in another session are not kept"
    recall.prepare()
    assert recall.get("tide-tables", "tt1").message == TIDES.messages[0]
    assert recall.context("tide-tables", "tt2", window=1).center == 1
    for wrong in ({"window": -1}, {"before": -1}, {"after": -2}):
        with pytest.raises(ValueError, match="must be 0 or more"):
            recall.context("tide-tables", "tt2", **wrong)
    for odd in ({"limit": -1}, {"offset": -1}, {"role": "robot"}):
        with pytest.raises(ValueError, match=f"{next(iter(odd))} must be "):
            recall.messages("tide-tables", **odd)
    with pytest.raises(ValueError, match="limit must be 0 or more, not -1"):
        recall.sessions(limit=-1)
    assert recall.messages(limit=2).has_more
    assert source.reads == 4
    assert recall.session("ferr").id == "ferry-times"
    with pytest.raises(UnknownSession):
        recall.transcript("tid")
    with pytest.raises(UnknownMessage):
        recall.get("tide-tables", "tt9")
    with pytest.raises(ValueError, match="scope"):
        recall.sessions(scope="planet")
    with pytest.raises(ValueError, match="session_id is needed"):
        Recall([source]).messages()


ELSEWHERE = Context(project="p-none", directory="/home/ana/none", worktree="/home/ana/none")


@pytest.mark.parametrize("wire", ["snake", "camel"])
class TestNoSessionsOfTheProject:
    def test_scope_global_is_suggested(self, wire: str) -> None:
        answer = tools(context=ELSEWHERE).call("recall_sessions", {}, wire=wire)
        assert (answer["ok"], answer["sessions"]) == (True, [])
        assert any('scope "global"' in text for text in answer["suggestions"])

    def test_scope_global_is_suggested_for_a_title_that_another_project_has(self, wire: str) -> None:
        answer = tools(context=ELSEWHERE).call("recall_sessions", {"search": "ferry"}, wire=wire)
        assert any('scope "global"' in text for text in answer["suggestions"])

    def test_scope_global_is_suggested_where_no_project_is_known(self, wire: str) -> None:
        answer = tools(context=None).call("recall_sessions", {}, wire=wire)
        assert answer["ok"] is False
        assert any('scope "global"' in text for text in answer["suggestions"])

    def test_it_is_not_suggested_where_it_is_disabled(self, wire: str) -> None:
        for context in (ELSEWHERE, None):
            answer = tools(context=context, global_=False).call("recall_sessions", {}, wire=wire)
            assert "global" not in str(answer)

    def test_it_is_not_suggested_for_sessions_that_are_listed(self, wire: str) -> None:
        assert "suggestions" not in tools().call("recall_sessions", {}, wire=wire)

    def test_recall_without_a_session_to_search_suggests_it_too(self, wire: str) -> None:
        for context in (ELSEWHERE, None):
            answer = tools(context=context).call("recall", {"query": "noon", "scope": "project"}, wire=wire)
            assert any('scope "global"' in text for text in answer["suggestions"])
            closed = tools(context=context, global_=False).call(
                "recall", {"query": "noon", "scope": "project"}, wire=wire
            )
            assert "global" not in str(closed)


def test_a_title_that_no_session_has_suggests_a_search_for_words() -> None:
    answer = tools().call("recall_sessions", {"scope": "global", "search": "no such title"})
    assert any("recall" in text for text in answer["suggestions"])


def test_a_refused_scope_names_those_that_the_tool_has() -> None:
    closed = tools(global_=False)
    assert "session" not in closed.call("recall_sessions", {"scope": "global"})["error"].replace("sessions", "")
    assert "session" in closed.call("recall", {"query": "noon", "scope": "global"})["error"]


@pytest.mark.parametrize("tool", ["recall_get", "recall_context", "recall_messages"])
def test_an_unknown_session_is_named(desk: RecallTools, tool: str) -> None:
    answer = desk.call(tool, {"session_id": "nosuch", "message_id": "tt1"})
    assert answer["ok"] is False
    assert "'nosuch': no session has this id" in answer["suggestions"][0]


@pytest.mark.parametrize("tool", ["recall_get", "recall_context", "recall_messages", "recall"])
def test_a_beginning_of_several_ids_is_called_so(tool: str) -> None:
    many = tools(*(replace(TIDES, id=f"tide-{name}") for name in ("tables", "tabs", "gauge")))
    answer = many.call(tool, {"session_id": "tide-ta", "message_id": "tt1", "query": "gauge"})
    text = " ".join((*answer.get("suggestions", ()), *answer.get("warnings", ())))
    assert "2 sessions have ids that begin so" in text
    short = many.call(tool, {"session_id": "tid", "message_id": "tt1", "query": "gauge"})
    text = " ".join((*short.get("suggestions", ()), *short.get("warnings", ())))
    assert "a beginning of an id has 4 characters or more" in text
