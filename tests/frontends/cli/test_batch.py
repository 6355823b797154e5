"""`recall-rank batch` answers every line, valid or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.caller_context import read_context
from recall_rank.frontends.cli.commands.batch import answer_line, serve
from recall_rank.frontends.hooks.hook_calls import HOOKS
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.histories.backend import Snapshot
from recall_rank.model import Context
from recall_rank.model.serialize import json_line
from recall_rank.recall import Recall
from tests.frontends.conftest import Run
from tests.support.frontends.samples import FakeIndex, session


@pytest.fixture
def index() -> FakeIndex:
    return FakeIndex([session("s1", "the rate limit")])


@pytest.fixture
def tools(index: FakeIndex) -> RecallTools:
    return over(index)


def over(index: FakeIndex) -> RecallTools:
    """The tools over an index that remembers what it was asked."""
    recall = Recall([])
    recall._backend.snapshot = Snapshot(index, [])  # type: ignore[attr-defined]
    return RecallTools(recall, hooks=HOOKS)


def call(**changes: Any) -> bytes:
    return json.dumps({"id": "c1", "tool": "recall", "args": {"query": "rate"}, **changes}).encode()


def test_an_answer_names_its_call_and_its_cost(tools: RecallTools) -> None:
    answer = serve(tools, call(id=["any", 1]), 1)
    assert answer.keys() == {"id", "ms", "cpu_ms", "output"}
    assert answer["id"] == ["any", 1]
    assert answer["ms"] > 0
    assert isinstance(answer["cpu_ms"], float)
    assert answer["output"]["results"][0]["session_id"] == "s1"


def test_context_now_and_options_reach_the_engine(index: FakeIndex, tools: RecallTools) -> None:
    line = call(
        context={"session_id": "s1"},
        now=123456789012,
        options={"budget_ms": 5, "match": "smart", "defaultWidth": 80},
        mode="raw",
    )
    assert serve(tools, line, 1)["output"]["ok"] is True
    options = index.asked[0][1]
    assert options["context"] == Context(session_id="s1")
    assert (options["now"], options["budget_ms"], options["match"]) == (123456789012, 5, "smart")
    assert options["width"] == 80


def test_an_answer_may_have_camel_case_names(tools: RecallTools) -> None:
    output = serve(tools, call(wire="camel"), 1)["output"]
    assert output["results"][0]["sessionID"] == "s1"
    assert "session_id" not in output["results"][0]
    assert serve(tools, call(wire="camel", args={}), 1)["output"].keys() == {"ok", "error"}


@pytest.mark.parametrize(
    ("line", "identity", "words"),
    [
        (b"{nonsense", None, "line 7: "),
        (b"\xff\xfe", None, "line 7: "),
        (b'"text"', None, "line 7: a call must be an object, not a string"),
        (b"[" * 100_000, None, "line 7: "),
        (b'{"tool": "recall"}', None, "line 7: a call needs an id"),
        (call(tool="forget"), "c1", "line 7: tool must be one of recall, recall_get, "),
        (call(tool=["recall"]), "c1", "tool must be"),
        (call(mode="loose"), "c1", "mode must be one of schema, raw, not 'loose'"),
        (call(args=[]), "c1", "args must be an object, not a list"),
        (call(options=7), "c1", "options must be an object, not a number"),
        (call(context={"folder": 1}), "c1", "context takes"),
        (call(now="today"), "c1", "now must be epoch milliseconds, not 'today'"),
        (call(now=True), "c1", "now must be epoch milliseconds"),
        (call(wire="morse"), "c1", "wire must be one of snake, camel, not 'morse'"),
        (call(args={"query": ""}), "c1", "do not fit the schema: query"),
        (call(args={"query": "defect"}), "c1", "internal error"),
    ],
)
def test_a_bad_line_is_answered_with_its_reason(tools: RecallTools, line: bytes, identity: Any, words: str) -> None:
    answer = serve(tools, line, 7)
    assert answer["id"] == identity
    assert answer["output"]["ok"] is False
    assert words in answer["output"]["error"]


@given(st.binary(max_size=40) | st.text(max_size=20).map(lambda text: json.dumps({"id": text, "args": text}).encode()))
def test_any_line_is_answered(line: bytes) -> None:
    assert serve(over(FakeIndex([])), line, 1)["output"]["ok"] is False


@pytest.mark.usefixtures("machine")
def test_a_file_of_calls(run: Run, tmp_path: Path) -> None:
    calls, out = tmp_path / "calls.jsonl", tmp_path / "out.jsonl"
    calls.write_bytes(b"\n".join([call(id=1), b"", b"{broken", call(id=2, corpus="ignored", tool="x"), call(id=3)]))
    result = run("batch", "--history", "good", "--calls", calls, "--out", out)
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert result.exit_code == 0
    assert [(answer["id"], answer["output"]["ok"]) for answer in answers] == [
        *((1, True), (None, False), (2, False), (3, True)),
    ]
    assert answers[1]["output"]["error"].startswith("line 3: ")


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--history", "bad", "--calls", "-", "--out", "-"], 3),
        (["--history", "good", "--history", "bad", "--calls", "-", "--out", "-"], 0),
        (["--calls", "-", "--out", "-"], 3),
        (["--history", "good", "--calls", "/not/there", "--out", "-"], 2),
        (["--history", "good", "--calls", "-"], 2),
    ],
)
def test_exit_codes(run: Run, words: list[str], code: int) -> None:
    assert run("batch", *words, input=call()).exit_code == code


@pytest.mark.parametrize(
    ("value", "context"),
    [
        (None, None),
        ({}, Context()),
        ({"session_id": "", "project": "  ", "directory": None}, Context()),
        ({"session_id": "s1", "worktree": "/srv"}, Context(session_id="s1", worktree="/srv")),
    ],
)
def test_contexts_are_read_from_json(value: Any, context: Context | None) -> None:
    assert read_context(value) == context


@pytest.mark.parametrize("value", [[], "here", {"folder": "/srv"}, {"directory": 7}])
def test_a_context_of_another_shape_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="context"):
        read_context(value)


def test_a_context_lists_messages_that_are_still_in_context() -> None:
    given = {"session_id": "s1", "in_context": ["m1", "m2"], "in_context_since": "m3"}
    assert read_context(given) == Context("s1", in_context=("m1", "m2"), in_context_since="m3")
    assert read_context({"in_context": None, "in_context_since": " "}) == Context()
    for odd in ("m1", [7], {"m1": 1}, 7):
        with pytest.raises(ValueError, match="in_context must be a list of message ids"):
            read_context({"in_context": odd})


def test_hooks_are_tools_too(tools: RecallTools) -> None:
    line = call(tool="hook:nudge", args={"system": ["base"]})
    output = serve(tools, line, 1)["output"]
    assert (output["ok"], output["registered"], len(output["system"])) == (True, True, 2)
    assert "hook:nudge" in serve(tools, call(tool="hook:other"), 1)["output"]["error"]


def deep(levels: int, **more: Any) -> bytes:
    """A call whose fields named in `more` hold lists, nested so many levels deep."""
    line = call(**dict.fromkeys(more, "HERE"))
    return line.replace(b'"HERE"', b"[" * levels + b"]" * levels)


@pytest.mark.parametrize("name", ["id", "args", "context", "options", "now", "mode", "tool", "unheard"])
@pytest.mark.parametrize("levels", [300, 900, 5_000])
def test_a_call_that_is_nested_deeply_is_answered(tools: RecallTools, name: str, levels: int) -> None:
    answer = serve(tools, deep(levels, **{name: ""}), 7)
    assert answer["output"]["ok"] is False
    assert answer["id"] == (None if name == "id" or levels > 1_000 else "c1")
    assert len(json_line(answer)) < 2_000
    arguments = serve(tools, call(args={"query": "HERE"}).replace(b'"HERE"', b"[" * levels + b"]" * levels), 7)
    assert "nested" in arguments["output"]["error"] or levels > 1_000


def test_an_answer_that_cannot_be_written_is_an_error() -> None:
    line = answer_line({"id": 4, "ms": 1.0, "cpu_ms": 1.0, "output": {"ok": True, "message": object()}})
    output = json.loads(line)["output"]
    assert (output["ok"], output["error_category"]) == (False, "internal")
    assert json.loads(line)["id"] == 4
