"""Frames over real pipes: every request gets one answer, and closing stdin ends the server."""

from __future__ import annotations

import json
import os
import queue
import random
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import pytest

from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.mcp import frames, pipes, server
from recall_rank.frontends.mcp.background_reading import BackgroundHistories
from recall_rank.frontends.mcp.handshake import Handshake
from recall_rank.frontends.mcp.offer import ServerOffer
from recall_rank.model import Context
from recall_rank.recall import Recall
from tests.support.frontends.harbor import Invented

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
FINE = {"jsonrpc": "2.0", "id": "last", "method": "ping"}


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the calls that run when the pipe is closed, however slow this machine is."""
    monkeypatch.setattr(frames, "_LAST_ANSWERS", 120.0)


def call(number: Any, query: Any = "gauge", **more: Any) -> dict[str, Any]:
    args = {"query": query, "results": 1, **more}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "recall", "arguments": args}}


def served(*lines: bytes | dict[str, Any], handshake: bool = False) -> list[dict[str, Any]]:
    """The answers to lines that are written to the server before its input is closed; a handshake may answer the
    first ones.
    """
    inward, to_server = os.pipe()
    from_server, outward = os.pipe()
    data = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]

    def write() -> None:
        with os.fdopen(to_server, "wb") as pipe:
            pipe.write(b"\n".join(data) + b"\n")

    def run() -> None:
        histories = BackgroundHistories(Recall([Invented()]))
        histories.wait(30)
        options = HostOptions(redact=True)
        first = Handshake(inward, outward, ServerOffer(options)) if handshake else None
        if first is not None:
            first.start()
        there = server.RecallServer(histories, options, Context(directory="/x"))
        anyio.run(server._serve_pipes, there.server, inward, outward, first)
        os.close(outward)

    threads = [threading.Thread(target=write), threading.Thread(target=run)]
    for thread in threads:
        thread.start()
    with os.fdopen(from_server, "rb") as pipe:
        found = [json.loads(line) for line in pipe]
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    os.close(inward)
    return found


@pytest.mark.parametrize("handshake", [False, True])
@pytest.mark.usefixtures("unhurried")
def test_every_request_has_one_answer(handshake: bool) -> None:
    bad = [
        (b"{", None),
        (b"\xff\xfe", None),
        (b"[]", None),
        (b"null", None),
        (b'{"id": 5}', 5),
        (b'{"jsonrpc": "2.0", "id": 6, "method": 7}', 6),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}', None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', None),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "no/such"}', 7),
        (b'{"jsonrpc": "2.0", "id": 8, "method": "tools/call"}', 8),
        (b'{"jsonrpc": "2.0", "id": 9, "method": "ping", "params": {"x": NaN}}', None),
        (b"[" * 70 + b"]" * 70, None),
        (b'{"jsonrpc": "2.0", "id": 10, "method": "ping", "params": {"x": "' + b"[" * 90 + b'\\""}}', 10),
        (b'{"jsonrpc": "2.0", "result": {}, "id": 99}', ...),
        (b'{"jsonrpc": "2.0", "error": 5}', ...),
        (b"", ...),
        (b"   ", ...),
    ]
    found = served(INITIALIZE, INITIALIZED, *(line for line, _ in bad), call("c"), FINE, handshake=handshake)
    wanted = Counter(str(answer) for _, answer in bad if answer is not ...) + Counter(["0", "c", "last"])
    assert Counter(str(each["id"]) for each in found) == wanted
    codes = {each["id"]: each["error"]["code"] for each in found if "error" in each and each["id"] is not None}
    assert codes == {5: -32600, 6: -32600, 7: -32601, 8: -32602}


@pytest.mark.usefixtures("unhurried")
def test_a_defect_of_the_transport_ends_the_connection_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: the error was taken for the end of the event loop and lost."""

    async def understood(*_: Any) -> None:
        raise RuntimeError("a fault")

    seen: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(threading, "excepthook", lambda told: seen.put(str(told.exc_value)))
    monkeypatch.setattr(frames._Connection, "understood", understood)
    assert served(INITIALIZE) == []
    assert seen.get(timeout=30) == "a fault"


def test_a_frame_that_is_too_long_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "MAX_BYTES", 200_000)
    long = json.dumps(call(1, "x" * 300_000)).encode()
    found = served(INITIALIZE, INITIALIZED, long, long + long, FINE)
    assert Counter(str(each["id"]) for each in found) == {"0": 1, "None": 2, "last": 1}


@pytest.mark.usefixtures("unhurried")
def test_many_calls_at_once_and_ids_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    found = served(INITIALIZE, INITIALIZED, *(call(number) for number in range(1, 101)), FINE)
    assert Counter(str(each["id"]) for each in found) == Counter(["0", "last", *map(str, range(1, 101))])
    monkeypatch.setattr(frames, "MAX_OPEN", 3)
    found = served(INITIALIZE, INITIALIZED, *(call(number) for number in (1, 1, 2, 3, 4, 5)))
    refused = {each["id"]: each["error"]["code"] for each in found if "error" in each}
    assert set(refused.values()) <= {-32600, -32000}
    assert Counter(str(each["id"]) for each in found) == Counter(["0", "1", "1", "2", "3", "4", "5"])


@pytest.mark.parametrize("handshake", [False, True])
def test_mutated_frames_are_answered_at_most_once(handshake: bool) -> None:
    drawn = random.Random(7)
    lines = []
    for number in range(1, 300):
        line = bytearray(json.dumps(call(number)).encode())
        for _ in range(drawn.randrange(1, 4)):
            at = drawn.randrange(len(line))
            line[at : at + drawn.randrange(3)] = bytes(drawn.randrange(32, 256) for _ in range(drawn.randrange(3)))
        lines.append(bytes(line))
    found = served(INITIALIZE, INITIALIZED, *lines, FINE, handshake=handshake)
    counted = Counter(each["id"] for each in found if each["id"] is not None)
    assert counted["last"] == 1
    assert len(found) <= len(lines) + 2


def test_empty_and_unfinished_input() -> None:
    assert served(b"") == []
    assert [each["id"] for each in served(b"x")] == [None]


@pytest.mark.parametrize(
    ("line", "deep"), [(b"[" * 64, False), (b"[" * 65, True), (b"[]" * 99, False), (b'"' + b"[" * 99, False)]
)
def test_nesting_depth(line: bytes, deep: bool) -> None:
    assert pipes.too_deep(line) is deep


class TestProcess:
    """The command itself."""

    @pytest.fixture
    def words(self, tmp_path: Path) -> list[str]:
        (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
        code = "from recall_rank.frontends.cli.main import main; main()"
        return [sys.executable, "-c", code, "mcp", "--history", str(tmp_path / "history.jsonl"), "--no-cache"]

    def test_the_official_client(self, words: list[str]) -> None:
        from mcp import Client, StdioServerParameters

        async def run() -> None:
            there = StdioServerParameters(command=words[0], args=words[1:])
            async with Client(there) as client:
                assert len((await client.list_tools()).tools) == 5
                answer = (await client.call_tool("recall", {"query": "rate limit"})).structured_content
                hit = answer["results"][0]
                ids = {name: hit[name] for name in ("session_id", "message_id")}
                for name, args in (
                    ("recall_get", ids),
                    ("recall_context", ids),
                    ("recall_messages", {"session_id": hit["session_id"]}),
                    ("recall_sessions", {"scope": "global"}),
                ):
                    assert not (await client.call_tool(name, args)).is_error

        anyio.run(run)

    def test_stdout_carries_frames_only_and_closing_stdin_ends_the_server(self, words: list[str]) -> None:
        lines = b"".join(json.dumps(line).encode() + b"\n" for line in (INITIALIZE, INITIALIZED, FINE))
        done = subprocess.run(words, input=lines + b"not a frame\n", capture_output=True, timeout=60, check=True)
        found = [str(json.loads(line)["id"]) for line in done.stdout.splitlines()]
        assert sorted(found) == ["0", "None", "last"]
        assert subprocess.run(words, input=b"", capture_output=True, timeout=60, check=True).stdout == b""

    def test_without_the_extra_it_says_what_is_missing(self, words: list[str]) -> None:
        words[2] = f"import sys; sys.modules['anyio'] = None; {words[2]}"
        done = subprocess.run(words, capture_output=True, timeout=60, check=False)
        assert done.returncode == 2
        assert b"recall-rank[mcp]" in done.stderr
