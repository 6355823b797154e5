"""Messages in the form of OpenAI's and Anthropic's APIs become records; anything else is refused by name."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from recall_rank import Flag, Index, Message, Part, Session, rank
from recall_rank.model.coerce import session_from

OPENAI: list[dict[str, Any]] = [
    {"role": "developer", "content": "Mind the harbour."},
    {"role": "user", "name": "odile", "content": "Why does the lantern flicker?"},
    {"role": "user", "content": [
        {"type": "text", "text": "See this wick"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
        {"type": "file", "file": {"filename": "wick.pdf", "file_data": "AA"}}]},
    {"role": "assistant", "content": None, "refusal": None, "annotations": [], "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "trim --wick"}'}},
        {"id": "c2", "type": "custom", "custom": {"name": "note", "input": "buy oil"}},
        {"id": "c3", "type": "function", "function": {"name": "bash", "arguments": "{torn"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "trimmed by an osprey"},
    {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "noted by a plover"}]},
    {"role": "tool", "tool_call_id": "c9", "content": "an answer to nothing"},
    {"role": "assistant", "content": [
        {"type": "text", "text": "It is trimmed."}, {"type": "refusal", "refusal": "No more."}]},
    {"role": "function", "name": "weather", "content": "gale"},
    {"role": "assistant", "content": "", "function_call": {"name": "weather", "arguments": '{"place": "quay"}'}},
]  # fmt: skip
ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": [
        {"type": "text", "text": "Why does the lantern flicker?", "cache_control": {"type": "ephemeral"}}]},
    {"id": "msg_01", "type": "message", "role": "assistant", "model": "quill-1", "stop_reason": "tool_use",
     "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 4}, "content": [
        {"type": "thinking", "thinking": "Perhaps the wick, said the heron.", "signature": "x"},
        {"type": "redacted_thinking", "data": "xx"},
        {"type": "text", "text": "I will look."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "trim --wick"}},
        {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "oil.md"}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": "trimmed by an osprey"},
        {"type": "tool_result", "tool_use_id": "t2", "is_error": True, "content": [
            {"type": "text", "text": "no such file: oil.md"}, {"type": "image", "source": {}}]},
        {"type": "text", "text": "And the oil?"}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t9"}]},
    {"role": "user", "content": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}},
        {"type": "document", "title": "oil list", "source": {"type": "text", "data": "whale oil"}}]},
    {"role": "assistant", "content": "Bought."},
]  # fmt: skip


def made(*messages: Any, key: str = "s") -> Session:
    return session_from({"id": key, "messages": list(messages)})


def shown(session: Session) -> list[tuple[str, str, list[tuple[Any, ...]]]]:
    return [
        (one.id, one.role, [(part.type, part.text or part.tool or part.files) for part in one.parts])
        for one in session.messages
    ]


def test_messages_of_openai_become_records() -> None:
    session = made(*copy.deepcopy(OPENAI))
    assert shown(session) == [
        ("s:0", "system", [("text", "Mind the harbour.")]),
        ("s:1", "user", [("text", "Why does the lantern flicker?")]),
        ("s:2", "user", [("text", "See this wick"), ("file", ()), ("file", ("wick.pdf",))]),
        ("s:3", "assistant", [("tool", "bash"), ("tool", "note"), ("tool", "bash")]),
        ("s:6", "tool", [("tool", ())]),
        ("s:7", "assistant", [("text", "It is trimmed."), ("text", "No more.")]),
        ("s:8", "tool", [("tool", "weather")]),
        ("s:9", "assistant", [("tool", "weather")]),
    ]
    assert session.messages[1].author == "odile"
    first, second, third = session.messages[3].parts
    assert (first.input, first.output, first.status) == (
        {"command": "trim --wick"},
        "trimmed by an osprey",
        "completed",
    )
    assert (second.input, second.output) == ("buy oil", "noted by a plover")
    assert (third.input, third.output, third.status) == ("{torn", None, "pending")
    assert session.messages[4].parts[0].output == "an answer to nothing"
    assert session.messages[6].parts[0].output == "gale"


def test_messages_of_anthropic_become_records() -> None:
    session = made(*copy.deepcopy(ANTHROPIC))
    assert shown(session) == [
        ("s:0", "user", [("text", "Why does the lantern flicker?")]),
        ("msg_01", "assistant", [
            ("reasoning", "Perhaps the wick, said the heron."), ("text", "I will look."),
            ("tool", "Bash"), ("tool", "Read")]),
        ("s:2", "user", [("text", "And the oil?")]),
        ("s:3", "user", [("tool", ())]),
        ("s:4", "user", [("file", ()), ("file", "whale oil")]),
        ("s:5", "assistant", [("text", "Bought.")]),
    ]  # fmt: skip
    assert session.messages[1].model == "quill-1"
    assert session.messages[1].parts[2].output == "trimmed by an osprey"
    failed = session.messages[1].parts[3]
    assert (failed.output, failed.error, failed.status, failed.flags) == (
        None, "no such file: oil.md", "error", Flag.ERROR,
    )  # fmt: skip
    assert session.messages[4].parts[1].title == "oil list"
    assert len({part.id for message in session.messages for part in message.parts}) == 10


@pytest.mark.parametrize("said", [OPENAI, ANTHROPIC], ids=["OpenAI", "Anthropic"])
def test_what_they_say_is_found(said: list[dict[str, Any]], tmp_path: Path) -> None:
    sessions = [{"id": "s", "messages": copy.deepcopy(said)}]
    for index in (Index.build(sessions), Index.build(sessions, folder=tmp_path)):
        for words in ("lantern flicker", "trim", "osprey"):
            assert index.search(words, match="literal").results, words
    assert rank("osprey", sessions).results
    assert sessions == [{"id": "s", "messages": said}]  # what was given is unchanged


def test_a_message_may_have_the_fields_of_a_record_and_content() -> None:
    (message,) = made(
        {"id": "m", "role": "user", "content": "hello", "time": 5, "author": "Odile", "flags": 2}
    ).messages
    expected = Message("m", "user", 5, (Part("m:0", "text", "hello"),), author="Odile", flags=Flag.SUBAGENT)
    assert message == expected


def placed(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


WRONG: list[tuple[Any, str]] = [
    ({"role": "human", "content": "x"}, r"'human' .*sessions\[0\]\.messages\[1\].* user, assistant, system, tool"),
    ({"role": None, "content": "x"}, r"Message needs a string 'role', not None.*messages\[1\]"),
    ({"role": "User", "content": "x"}, r"'User'"),
    ({"id": "m", "role": "human", "parts": []}, r"'human'"),
    ({"role": "user"}, r"'id' .*'content'.*messages\[1\]"),
    ({"role": "user", "content": None}, r"content.*None.*messages\[1\]"),
    ({"role": "user", "content": 5}, r"content.*not 5.*messages\[1\]"),
    ({"role": "user", "content": {"type": "text", "text": "x"}}, r"content.*list.*messages\[1\]"),
    ({"role": "user", "content": b"bytes"}, r"content.*b'bytes'"),
    ({"role": "user", "content": ["x"]}, r"messages\[1\]\.content\[0\]"),
    ({"role": "user", "content": [{"text": "x"}]}, r"'type'.*content\[0\]"),
    ({"role": "user", "content": [{"type": "hologram"}]}, r"'hologram'.*content\[0\].*accepted are .*tool_use"),
    ({"role": "user", "content": [{"type": "text", "text": 5}]}, r"'text'.*not 5.*content\[0\]"),
    ({"role": "user", "content": [{"type": "text"}]}, r"'text'.*not None.*content\[0\]"),
    ({"role": "assistant", "content": [{"type": "thinking", "text": "x"}]}, r"'thinking'.*content\[0\]"),
    ({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "input": {}}]}, r"'name'.*content\[0\]"),
    ({"role": "user", "content": [{"type": "tool_result", "content": "x"}]}, r"'tool_use_id'.*content\[0\]"),
    ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": 5}]}, r"not 5.*content\[0\]"),
    ({"role": "assistant", "content": "x", "tool_calls": {}}, r"'tool_calls'.*list"),
    ({"role": "assistant", "content": "x", "tool_calls": [5]}, r"not 5.*tool_calls\[0\]"),
    ({"role": "assistant", "content": "x", "tool_calls": [{"id": "c"}]}, r"'function'.*tool_calls\[0\]"),
    ({"role": "assistant", "content": "x", "tool_calls": [{"id": "c", "function": {}}]}, r"'name'.*tool_calls\[0\]"),
    ({"role": "user", "content": "x", "parts": []}, r"'parts'.*'content'"),
    ({"role": "user", "contents": "x"}, r"'id'.*'content'"),
    ({"role": "user", "txet": "x", "name": "ana"}, r"'txet'.*messages\[1\].*accepted are .*content"),
    ({"id": "m", "role": "user", "text": "lost"}, r"'text'.*messages\[1\]"),
    ({"id": "m", "role": "user", "parts": [{"id": "p", "type": "text", "content": "lost"}]}, r"'content'.*parts\[0\]"),
    ({"id": "m", "role": "user", "parts": [{"id": "p", "type": "text", "text": [5]}]}, r"'text'.*\[5\].*parts\[0\]"),
    ({"id": "m", "role": "user", "parts": [{"id": "p", "type": "tool", "output": {"a": 1}}]}, r"'output'.*parts\[0\]"),
    ({"id": "m", "role": "user", "parts": "words"}, r"'parts'.*'words'"),
    ({"id": "m", "role": "user", "parts": {"id": "p"}}, r"'parts'"),
    ({"id": "m", "role": "user", "parts": [], "flags": "high"}, r"'flags'.*'high'"),
    ({"id": "m", "role": "user", "parts": [], "author": 5}, r"'author'.*5"),
    ("words", r"messages\[1\].*str|str.*messages\[1\]"),
    (Message("m", "human"), r"'human'.*messages\[1\]"),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize(("value", "words"), WRONG, ids=[str(value)[:60] for value, _ in WRONG])
def test_any_other_message_is_refused_by_name(value: Any, words: str) -> None:
    for build in (Index.build, lambda given: rank("x", given)):
        with pytest.raises((TypeError, ValueError), match=words):
            build([{"id": "s", "messages": [placed("fine"), value]}])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"role": "user", "content": "x"}, r"sessions\[1\].*message.*'messages'"),
        ({"id": "t", "message": []}, r"'message'.*sessions\[1\].*accepted are .*messages"),
        ({"id": "t", "messages": "words"}, r"'messages'.*'words'.*sessions\[1\]"),
        ({"id": "t", "messages": {"role": "user"}}, r"'messages'.*sessions\[1\]"),
        ({"id": "t", "title": 5}, r"'title'.*5.*sessions\[1\]"),
        (Session("t", (Message("m", "human"),)), r"'human'.*sessions\[1\]\.messages\[0\]"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_any_other_session_is_refused_by_name(value: Mapping[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        Index.build([{"id": "s", "messages": [placed("fine")]}, value])
