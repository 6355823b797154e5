"""No frame ends the server: after any notification, request, response or noise, it answers the next ping."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.mcp import frames
from recall_rank.frontends.mcp.server import RecallServer
from tests.support.frontends import served_frames
from tests.support.frontends.served_frames import INITIALIZE, INITIALIZED, NOTIFICATIONS, REQUESTS, ServedFrames

ODD: list[Any] = [
    *(None, True, False, 0, -1, 7, "7", 1.5, 2**64, "", "\x00", "9" * 5_000, "\u0667", "\ud800"),
    *([], [[]], {}, {"a": []}, [1], {"requestId": []}, float("nan"), float("inf")),
]


def notified(method: str, params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


def asked(number: Any, method: str, params: Any = None) -> bytes:
    frame = {"jsonrpc": "2.0", "id": number, "method": method}
    return json.dumps(frame if params is None else {**frame, "params": params}).encode()


@pytest.mark.parametrize("name", ["requestId", "progressToken", "_meta", "reason", "progress"])
@pytest.mark.parametrize("method", NOTIFICATIONS)
def test_a_notification_with_odd_params(method: str, name: str) -> None:
    with ServedFrames() as there:
        for odd in ODD:
            there.send(notified(method, {name: odd}), notified(method, odd), notified(method, {name: odd, "x": odd}))
            there.answers()


@pytest.mark.parametrize("name", ["name", "arguments", "uri", "_meta", "protocolVersion"])
@pytest.mark.parametrize("method", REQUESTS)
def test_a_request_with_odd_params(method: str, name: str) -> None:
    with ServedFrames() as there:
        for odd in ODD:
            there.send(asked(odd, method, {name: odd}), asked(5, method, odd))
            there.answers()


@pytest.mark.parametrize("first", [INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}])
def test_a_frame_before_the_first_request(first: dict[str, Any]) -> None:
    with ServedFrames(initialized=False) as there:
        for odd in ODD:
            there.send(notified("notifications/cancelled", {"requestId": odd}), json.dumps(odd).encode())
        there.send(json.dumps(first).encode())
        there.answers()


@given(st.lists(served_frames.frames, min_size=1, max_size=12))
def test_arbitrary_frames(lines: list[bytes]) -> None:
    with ServedFrames() as there:
        for line in lines:
            there.send(line)
            there.answers()


@given(st.lists(served_frames.notifications, min_size=1, max_size=24))
@example([{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": []}}])
def test_arbitrary_notifications(messages: list[dict[str, Any]]) -> None:
    with ServedFrames() as there:
        there.send(*(json.dumps(message).encode() for message in messages))
        found = {each["error"]["code"] for each in there.answers() if "error" in each}
    assert found <= {-32600, -32700}, "a notification is answered only when it is no JSON or nested too deep"


@pytest.mark.parametrize("reply", [7, "7"])
def test_a_cancelled_request_is_no_longer_open(reply: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK takes the ids 7 and "7" for one: a request that it drops must not count as open for ever."""
    monkeypatch.setattr(frames, "MAX_OPEN", 2)

    async def never(*_: Any) -> Any:
        import anyio

        await anyio.sleep_forever()

    monkeypatch.setattr(RecallServer, "_answer", never)
    with ServedFrames() as there:
        for _ in range(4):
            there.send(asked(7, "tools/call", {"name": "recall", "arguments": {"query": "gauge"}}))
            there.send(notified("notifications/cancelled", {"requestId": reply}))
            assert [each["id"] for each in there.answers() if "error" in each] == []


def test_a_defect_in_reading_a_frame_costs_that_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = frames._Connection._counted

    async def counted(self: Any, message: Any) -> Any:
        if getattr(message, "method", "") == "faulty":
            raise RuntimeError("a fault")
        return await whole(self, message)

    monkeypatch.setattr(frames._Connection, "_counted", counted)
    with ServedFrames() as there:
        there.send(asked(5, "faulty"), notified("faulty", {}))
        errors = [(each["id"], each["error"]) for each in there.answers() if "error" in each]
    told = {"code": -32603, "message": "the frame could not be read: RuntimeError"}
    assert errors == [(5, told), (None, told)]


def test_an_answer_that_cannot_be_written_as_json_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def listed(*_: Any) -> Any:
        import mcp_types as types

        return types.ListResourcesResult(resources=[types.Resource(uri="recall://session/a", name="\ud800")])

    monkeypatch.setattr(RecallServer, "_list_resources", listed)
    with ServedFrames() as there:
        there.send(asked(5, "resources/list"))
        (error,) = [each for each in there.answers() if each.get("id") == 5]
        assert error["error"]["code"] == -32603


@pytest.mark.parametrize(
    "uri", ["file:///%00", "file:///" + "a" * 5_000, "file:///%ff/x", "file://", "http://x/", "\x00", 5, None, {}]
)
def test_roots_of_any_form(uri: Any) -> None:
    with ServedFrames(directory=None) as there:
        there.send(asked(5, "tools/call", {"name": "recall_sessions", "arguments": {"scope": "global"}}))
        found: dict[Any, dict[str, Any]] = {}
        while 5 not in found:
            for each in there.answers():
                found[each.get("method", each.get("id"))] = each
                if each.get("method") == "roots/list":
                    reply = {"jsonrpc": "2.0", "id": each["id"], "result": {"roots": [{"uri": uri}]}}
                    there.send(json.dumps(reply).encode())
        assert found[5]["result"]["structuredContent"]["ok"]
        assert any(each.get("method") == "roots/list" for each in found.values())


def test_the_offset_of_a_resource_may_have_any_length() -> None:
    with ServedFrames() as there:
        there.send(asked(5, "resources/read", {"uri": "recall://session/tide-tables?offset=" + "9" * 5_000}))
        answer: list[dict[str, Any]] = []
        while not answer:
            answer = [each for each in there.answers() if each.get("id") == 5]
        assert "result" in answer[0] or answer[0]["error"]["code"] == -32602


def test_the_process_outlives_every_frame(tmp_path: Path) -> None:
    """The command itself, one frame after another."""
    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    code = "from recall_rank.frontends.cli.main import main; main()"
    words = [sys.executable, "-c", code, "mcp", "--history", str(tmp_path / "history.jsonl"), "--no-cache"]
    sent = [json.dumps(INITIALIZE).encode(), json.dumps(INITIALIZED).encode()]
    for number, odd in enumerate(ODD):
        for method in NOTIFICATIONS:
            sent += [notified(method, {"requestId": odd, "progressToken": odd, "_meta": odd}), notified(method, odd)]
        sent += [served_frames.written({"jsonrpc": "2.0", "id": odd, "result": odd}, form) for form in range(8)]
        sent.append(asked(f"ping {number}", "ping"))
    done = subprocess.run(words, input=b"\n".join(sent) + b"\n", capture_output=True, timeout=300, check=True)
    found = Counter(str(json.loads(line)["id"]) for line in done.stdout.splitlines())
    assert [found[f"ping {number}"] for number in range(len(ODD))] == [1] * len(ODD)
    assert done.stderr == b""
