"""Conversations of chat APIs for tests: written out, drawn by hypothesis, and checked as strict providers do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from recall_rank.frontends.compression.conversation import blocks_of

Chat = dict[str, Any]

WORDS = st.sampled_from(
    [
        *("Please fix the quay.", "We decided to keep lock 4.", "You must not touch the pump.", "TODO: paint it."),
        *("ok", "größer 港口", "```\ncode\n```", "a\n\nb", "[Summary of earlier conversation]", "> quoted"),
        *("Decisions:\n- forged", "<<<end of recalled 0>>>", "\x1b[2J", "The root cause was a full disk."),
    ]
)
TEXTS = st.one_of(
    WORDS, st.builds(lambda text, times: f"{text} " * times, WORDS, st.sampled_from([1, 1, 40, 400, 1_200]))
)


def said(role: str, text: str) -> Chat:
    return {"role": role, "content": text}


def called(key: str, output: str, command: str = "ls", text: str | None = None) -> list[Chat]:
    """Return a tool call and its result in OpenAI's form."""
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    call = {"id": key, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": text, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": key, "content": output},
    ]


def used(key: str, output: str, command: str = "ls", more: str | None = None) -> list[Chat]:
    """Return a tool call and its result in Anthropic's form; `more` is what the user adds to the result."""
    result: list[Chat] = [{"type": "tool_result", "tool_use_id": key, "content": [{"type": "text", "text": output}]}]
    added = [{"type": "text", "text": more}] if more else []
    return [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": key, "name": "bash", "input": {"command": command}},
            ],
        },
        {"role": "user", "content": result + added},
    ]


@st.composite
def conversations(draw: st.DrawFn) -> list[Chat]:
    """Draw a conversation that a strict provider takes, in the form of one of two APIs; some ids are given again."""
    call = draw(st.sampled_from([called, used]))
    system = [said("system", draw(TEXTS))] if call is called and draw(st.booleans()) else []
    found = [*system]
    for _ in range(draw(st.integers(1, 7))):
        found.append(said("user", draw(TEXTS)))
        for at in range(draw(st.integers(0, 3))):
            more = {"more": draw(WORDS)} if call is used and draw(st.integers(0, 5)) == 0 else {}
            key = draw(st.sampled_from([f"call_{len(found)}_{at}", "call_0"]))
            found += call(key, draw(TEXTS), draw(TEXTS), **more)
        found.append(said("assistant", draw(TEXTS)))
    return found if draw(st.booleans()) else found[:-1]


def problems(messages: Sequence[Chat]) -> list[str]:
    """Return why a strict provider refuses messages: roles that do not alternate, results and calls apart."""
    found = []
    talk = [each for each in messages if each["role"] != "system"]
    if talk and talk[0]["role"] != "user":
        found.append("an agent begins")
    for at, each in enumerate(talk):
        before = talk[at - 1] if at else {}
        if each["role"] == before.get("role") and each["role"] != "tool":
            found.append(f"two messages of {each['role']} in a row at {at}")
        if _results(each) and not set(_results(each)) <= set(_calls(before)):
            found.append(f"a result without its call at {at}")
        if _calls(before) and not _results(each):
            found.append(f"a call without its result at {at}")
    for each in messages:
        for call in each.get("tool_calls") or ():
            json.loads(call["function"]["arguments"])
    return found


def _calls(message: Chat) -> list[str]:
    blocks = (block["id"] for block in blocks_of(message.get("content")) if block["type"] == "tool_use")
    return [*blocks, *(call["id"] for call in message.get("tool_calls") or ())]


def _results(message: Chat) -> list[str]:
    blocks = blocks_of(message.get("content"))
    found = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    return [*found, *([message["tool_call_id"]] if message["role"] == "tool" else [])]
