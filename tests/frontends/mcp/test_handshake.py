"""The handshake answers the first frames as the library of the protocol would, before that library is imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.mcp import handshake
from recall_rank.frontends.mcp.handshake import VERSIONS, Handshake
from recall_rank.frontends.mcp.offer import ServerOffer
from tests.frontends.mcp.test_frames import FINE, INITIALIZE, INITIALIZED, call, served
from tests.support.frontends import served_frames

LIST = {"jsonrpc": "2.0", "id": "list", "method": "tools/list"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
WITH_TOKEN = {"_meta": {"progressToken": 3}}


def start(**changed: Any) -> dict[str, Any]:
    """A request `initialize` with changed parameters."""
    params: Any = INITIALIZE["params"]
    return {**INITIALIZE, "params": {**params, **changed}}


def encoded(frame: Any) -> bytes:
    return frame if isinstance(frame, bytes) else json.dumps(frame).encode()


def handled(*frames: Any) -> tuple[list[dict[str, Any]], list[bytes | None], Handshake]:
    """The answers of a handshake to frames, the frames that it leaves, and the handshake."""
    inward, to_handshake = os.pipe()
    from_handshake, outward = os.pipe()
    there = Handshake(inward, outward, ServerOffer(HostOptions()))
    there.start()
    lines = [encoded(frame) for frame in frames]

    def write() -> None:
        with os.fdopen(to_handshake, "wb") as pipe:
            pipe.write(b"".join(frame + b"\n" for frame in lines))

    writer = threading.Thread(target=write)
    writer.start()
    left = []
    while (line := there._rest.get(timeout=30)) is not handshake._END:
        left.append(line)
    writer.join(30)
    os.close(outward)
    with os.fdopen(from_handshake, "rb") as pipe:
        answers = [json.loads(line) for line in pipe]
    os.close(inward)
    return answers, left, there


def test_the_first_frames_are_answered_without_the_server() -> None:
    answers, left, there = handled(INITIALIZE, PING, INITIALIZED, LIST)
    assert [each["id"] for each in answers] == [0, 1, "list"]
    assert left == []
    assert there.client == "test"
    assert [json.loads(line) for line in there.replayed] == [INITIALIZE, INITIALIZED]


def test_all_that_follows_an_unknown_frame_is_left() -> None:
    answers, left, _ = handled(INITIALIZE, INITIALIZED, call(5), PING, LIST)
    assert [each["id"] for each in answers] == [0]
    assert [json.loads(line or b"")["id"] for line in left] == [5, 1, "list"]


@pytest.mark.parametrize(
    "frame",
    [
        b"{",
        b"[" * 70 + b"]" * 70,
        b"x" * 50_000,
        PING,
        LIST,
        INITIALIZED,
        {**INITIALIZE, "id": None},
        {**INITIALIZE, "id": True},
        {**INITIALIZE, "id": 1.5},
        {**INITIALIZE, "jsonrpc": "1.0"},
        {**INITIALIZE, "method": ["initialize"]},
        {**INITIALIZE, "params": []},
        {**INITIALIZE, "more": 1},
        start(protocolVersion="2026-07-28"),
        start(protocolVersion="1999-01-01"),
        start(protocolVersion=[]),
        start(capabilities=None),
        start(capabilities={"roots": True}),
        start(capabilities={"roots": {"listChanged": "yes"}}),
        start(clientInfo={"name": "test"}),
        start(clientInfo={"name": 5, "version": "1"}),
        start(clientInfo=None),
        start(_meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"}),
    ],
)
def test_any_other_first_frame_is_left(frame: Any) -> None:
    answers, left, there = handled(frame)
    assert answers == []
    assert left == [encoded(frame)]
    assert there.replayed == []


def test_the_versions_are_those_of_the_library() -> None:
    assert set(VERSIONS) <= set(HANDSHAKE_PROTOCOL_VERSIONS)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_answers_are_those_of_the_library(version: str) -> None:
    frames = [
        start(protocolVersion=version, capabilities={"roots": {"listChanged": True}, "sampling": {}}),
        {**PING, "params": WITH_TOKEN},
        INITIALIZED,
        {**LIST, "params": {**WITH_TOKEN, "cursor": None}},
        FINE,
    ]
    answers, left, _ = handled(*frames)
    assert left == []
    assert sorted(served(*frames), key=lambda each: str(each["id"])) == sorted(
        answers, key=lambda each: str(each["id"])
    )


settings_of_clients = st.dictionaries(
    st.sampled_from(["listChanged", "context", "tools", "form", "url", "list", "requests", "x/y"]),
    st.sampled_from([True, False, None, {}, [], "x"]),
    max_size=2,
)
starts = st.fixed_dictionaries(
    {
        "protocolVersion": st.sampled_from([*VERSIONS, "x", 5]),
        "capabilities": st.dictionaries(
            st.sampled_from(["experimental", "sampling", "elicitation", "roots", "extensions", "tasks", "other"]),
            settings_of_clients | st.sampled_from([None, True, []]),
            max_size=3,
        ),
        "clientInfo": st.dictionaries(
            st.sampled_from(["name", "version", "title", "websiteUrl", "icons"]), st.sampled_from(["x", "", None, []])
        )
        | st.just({"name": "n", "version": "v"}),
    },
    optional={"_meta": st.sampled_from([{}, {"progressToken": "t"}, {"x": 1}, None, []])},
)


@settings(max_examples=25)
@given(starts)
def test_a_start_that_is_answered_is_one_that_the_library_takes(params: Any) -> None:
    frames = ({**INITIALIZE, "params": params}, FINE)
    answers, left, _ = handled(*frames)
    if not left:
        assert served(*frames) == answers


@settings(max_examples=30)
@given(st.lists(served_frames.frames, max_size=6), st.booleans())
def test_every_frame_is_answered_or_left(frames: list[bytes], initialized: bool) -> None:
    first = [json.dumps(INITIALIZE).encode(), json.dumps(INITIALIZED).encode()] if initialized else []
    answers, left, there = handled(*first, *frames)
    sent = [*first, *(frame for frame in frames if frame.strip())]
    notified = len(there.replayed) - (there.client is not None)
    assert len(sent) == len(answers) + notified + len(left)
    assert left == sent[len(sent) - len(left) :]


def test_a_number_can_be_used_again_and_a_second_start_goes_to_the_library() -> None:
    frames = (INITIALIZE, INITIALIZED, {**PING, "id": 0}, call(0), {**INITIALIZE, "id": 9}, FINE)
    with_handshake = served(*frames, handshake=True)
    ids = [each["id"] for each in with_handshake]
    assert sorted(ids, key=str) == [0, 0, 0, 9, "last"]
    plain = {each["id"]: each for each in served(*frames) if each["id"] in (9, "last")}
    assert {each["id"]: each for each in with_handshake if each["id"] in (9, "last")} == plain


def test_the_library_is_imported_after_the_first_answers(tmp_path: Path) -> None:
    """Its import waits in the process until the answers were read here: an import before them is an endless wait."""
    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    gate, opened = os.pipe()
    code = f"""
import os, sys
def held(event, args):
    if event == "import" and args[0].partition(".")[0] in ("mcp", "mcp_types", "anyio", "pydantic", "pydantic_core"):
        os.read({gate}, 1)
sys.addaudithook(held)
from recall_rank.frontends.cli.main import main
main()
"""
    words = [sys.executable, "-c", code, "mcp", "--history", str(tmp_path / "history.jsonl"), "--no-cache"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(gate,)) as process:
        os.close(gate)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(encoded(each) + b"\n" for each in (INITIALIZE, PING, INITIALIZED, LIST)))
        process.stdin.flush()
        assert [json.loads(process.stdout.readline())["id"] for _ in range(3)] == [0, 1, "list"]
        os.close(opened)  # from now on, every import goes on
        process.stdin.write(encoded(call(7, "rate limit")) + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert answer["id"] == 7
        assert answer["result"]["structuredContent"]["ok"]
        process.stdin.close()
        assert process.wait(60) == 0
