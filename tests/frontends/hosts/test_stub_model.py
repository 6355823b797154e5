"""The stub model of `python -m tests.hosts`, where it speaks the API of Gemini."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

from tests.hosts.stub_model import Call, StubModel

BODY = {
    "contents": [
        {"role": "user", "parts": [{"text": "hello"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "x", "response": {"output": "found"}}}]},
    ],
    "tools": [{"functionDeclarations": [{"name": "mcp_recall_recall"}]}],
}


def asked(model: StubModel, method: str) -> str:
    request = urllib.request.Request(
        f"{model.url}/v1beta/models/m:{method}", json.dumps(BODY).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        raw: bytes = answer.read()
    return raw.decode()


def part_of(value: dict[str, Any]) -> dict[str, Any]:
    ((candidate,),) = [value["candidates"]]
    (part,) = candidate["content"]["parts"]
    assert isinstance(part, dict)
    return part


def test_one_answer_is_json_and_a_stream_is_events() -> None:
    with StubModel() as model:
        model.begin(Call("recall", {"query": "amber"}), "It is done.")
        called = part_of(json.loads(asked(model, "generateContent")))
        assert called == {"functionCall": {"name": "mcp_recall_recall", "args": {"query": "amber"}}}
        event = asked(model, "streamGenerateContent?alt=sse")
        assert part_of(json.loads(event.removeprefix("data: "))) == {"text": "It is done."}
        assert [each.answers for each in model.talk()] == [("found",), ("found",)]
        assert "hello" in model.talk()[0].text
        assert json.loads(asked(model, "countTokens"))["totalTokens"] > 0
