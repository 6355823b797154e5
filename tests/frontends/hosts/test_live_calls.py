"""`recall-rank batch --live`: calls of a program that stays, answered while the histories are still being read."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.hosts import live_calls
from recall_rank.frontends.hosts.live_calls import LiveCalls
from recall_rank.frontends.mcp.background_reading import BackgroundHistories
from recall_rank.recall import Recall

PATIENCE = 30.0  # seconds for what takes milliseconds on a machine that does nothing else


class Reading(BackgroundHistories):
    """Histories whose first reading ends when a test says so."""

    def __init__(self) -> None:
        super().__init__(Recall([]))
        assert self.wait(PATIENCE)
        self.is_ready = True
        self.refreshes = 0

    @property
    def ready(self) -> bool:
        return self.is_ready

    def keep_fresh(self) -> None:
        pass

    def refresh_within(self, seconds: float) -> None:
        self.refreshes += 1


class Host:
    """A program that sends calls to a LiveCalls and reads its answers."""

    def __init__(self) -> None:
        self.histories = Reading()
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.began = threading.Event()  # of a slow call
        self.held = threading.Event()
        self.cancelled: list[bool] = []
        self.broken = False
        self.calls = LiveCalls(self.histories, self.serve, self.write)
        self.thread = threading.Thread(target=self.calls.run, args=(self.sent(),), daemon=True)
        self.thread.start()

    def sent(self) -> Iterator[bytes]:
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            yield line

    def serve(self, line: bytes, number: int, cancel: threading.Event) -> dict[str, Any]:
        call = json.loads(line)
        if call.get("args", {}).get("query") == "slow":
            self.began.set()
            self.cancelled.append(cancel.wait(PATIENCE))
            self.held.set()
        if call.get("args", {}).get("query") == "defect":
            raise RecursionError("too deep")
        return {"id": call["id"], "ms": 1.0, "cpu_ms": 1.0, "output": {"ok": True, "number": number}}

    def write(self, answer: dict[str, Any]) -> None:
        if self.broken:
            raise BrokenPipeError
        self.answers.put(answer)

    def send(self, **call: Any) -> None:
        self.lines.put(json.dumps(call).encode())

    def answer(self) -> dict[str, Any]:
        return self.answers.get(timeout=PATIENCE)


@pytest.fixture
def host() -> Iterator[Host]:
    made = Host()
    yield made
    made.lines.put(None)
    made.thread.join(PATIENCE)


def test_a_slow_call_holds_no_other_up(host: Host) -> None:
    host.send(id="slow", tool="recall", args={"query": "slow"})
    host.send(id="fast", tool="recall", args={"query": "fast"})
    assert host.answer()["id"] == "fast"


def test_hooks_are_answered_while_every_worker_of_the_tools_is_busy(host: Host) -> None:
    for number in range(live_calls.TOOL_WORKERS + 2):
        host.send(id=number, tool="recall", args={"query": "slow"})
    host.send(id="hook", tool="hook:auto_recall", args={})
    assert host.answer()["id"] == "hook"


def test_a_cancelled_call_is_told_and_answered(host: Host) -> None:
    host.send(id=["any", 1], tool="recall", args={"query": "slow"})
    assert host.began.wait(PATIENCE)
    host.send(cancel=["any", 1])
    assert host.answer()["id"] == ["any", 1]
    assert host.cancelled == [True]


def test_a_call_that_waits_for_a_worker_can_be_cancelled(host: Host) -> None:
    for number in range(live_calls.TOOL_WORKERS):
        host.send(id=number, tool="recall", args={"query": "slow"})
    host.send(id="late", tool="recall", args={"query": "fast"})
    host.send(cancel="late")
    host.send(cancel="nobody")
    for number in range(live_calls.TOOL_WORKERS):
        host.send(cancel=number)
    answers = {answer["id"]: answer["output"] for answer in (host.answer() for _ in range(live_calls.TOOL_WORKERS + 1))}
    assert answers["late"] == {"ok": False, "error": "the call was cancelled", "error_category": "aborted"}


def test_the_end_of_the_calls_cancels_those_that_run(host: Host) -> None:
    host.send(id=1, tool="recall", args={"query": "slow"})
    assert host.began.wait(PATIENCE)
    host.lines.put(None)
    host.thread.join(PATIENCE)
    assert not host.thread.is_alive()
    assert host.held.wait(PATIENCE)
    assert host.cancelled == [True]


def test_a_reader_that_is_gone_ends_it(host: Host) -> None:
    host.broken = True
    host.send(id=1, tool="recall", args={"query": "fast"})
    while host.thread.is_alive():
        host.send(id=2, tool="recall", args={"query": "fast"})
    assert host.answers.empty()


def test_a_first_reading_that_takes_long_is_told(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_calls, "FIRST_READING_SECONDS", 0.1)
    monkeypatch.setattr(live_calls, "HOOK_READING_SECONDS", 0.1)
    host.histories.is_ready = False
    for tool in ("recall", "hook:auto_recall"):
        host.send(id=tool, tool=tool, args={"query": "fast"})
        answer = host.answer()
        assert answer["id"] == tool
        assert answer["output"]["error_category"] == "not_ready"
    host.send(id="nudge", tool="hook:nudge", args={})
    assert host.answer()["output"]["ok"] is True


def test_a_refresh_that_failed_is_told(host: Host) -> None:
    host.histories.problem = "the disk is gone"
    host.send(id=1, tool="recall", args={"query": "fast"})
    assert "the disk is gone" in host.answer()["output"]["warnings"][0]


@pytest.mark.parametrize(
    ("tool", "args", "own"),
    [
        ("recall", {"query": "x", "scope": "session"}, True),
        ("recall", {"query": "x", "sessionID": "here"}, True),
        ("recall", {"query": "x"}, False),
        ("recall_messages", {}, True),
        ("recall_messages", {"sessionId": "there"}, False),
        ("recall_get", {"session_id": "here", "message_id": "m"}, True),
        ("hook:auto_recall", {"scope": "session"}, False),
        ("recall", [], False),
    ],
)
def test_a_call_about_the_callers_session_reads_what_was_just_said(host: Host, tool: str, args: Any, own: bool) -> None:
    host.send(id=1, tool=tool, args=args or {}, context={"session_id": "here"})
    host.answer()
    assert host.histories.refreshes == int(own)


@pytest.mark.parametrize("tool", ["recall", "hook:auto_recall", "hook:nudge"])
def test_a_defect_is_answered_and_ends_no_worker(host: Host, tool: str) -> None:
    """Regression: each defect ended a worker, and after three of them no tool was answered any more."""
    for number in range(2 * live_calls.TOOL_WORKERS):
        host.send(id=number, tool=tool, args={"query": "defect"})
        output = host.answer()["output"]
        assert (output["ok"], output["error_category"]) == (False, "internal")
        assert "RecursionError" in output["error"]
    host.send(id="last", tool=tool, args={"query": "fast"})
    assert host.answer()["id"] == "last"


@pytest.mark.parametrize("name", ["id", "cancel"])
def test_a_line_that_is_nested_deeply_ends_nothing(host: Host, name: str) -> None:
    """Regression: comparing such an id ended the reading of calls."""
    host.lines.put(b'{"%s": %s, "tool": "unheard"}' % (name.encode(), b"[" * 990 + b"]" * 990))
    host.send(id="last", tool="recall", args={"query": "fast"})
    while host.answer()["id"] != "last":
        pass


def test_blank_lines_are_counted_and_not_answered(host: Host) -> None:
    host.lines.put(b"  \n")
    host.send(id=1, tool="recall", args={"query": "fast"})
    assert host.answer()["output"]["number"] == 2


def test_the_command_answers_each_line_and_ends_with_its_input(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "recall_rank",
        "batch",
        "--live",
        "--history",
        "demo",
        "--calls",
        "-",
        "--out",
        "-",
    ]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "HOME": str(tmp_path)}
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def ask(text: str) -> dict[str, Any]:
        process.stdin.write(text.encode() + b"\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
        answer: dict[str, Any] = json.loads(process.stdout.readline())  # type: ignore[union-attr]
        return answer

    first = ask('{"id": 1, "tool": "recall", "args": {"query": "token bucket"}}')
    assert first["output"]["results"]
    assert "must be one of" in ask('{"id": 2, "tool": "unheard"}')["output"]["error"]
    assert ask("{ torn")["output"]["ok"] is False
    assert ask("[1]")["id"] is None
    for number in range(live_calls.TOOL_WORKERS + 1):
        query = "[" * 900 + "]" * 900
        answer = ask(f'{{"id": {number}, "tool": "recall", "args": {{"query": {query}}}}}')
        assert (answer["id"], answer["output"]["ok"]) == (number, False)
    assert ask('{"id": 9, "tool": "recall", "args": {"query": "token bucket"}}')["output"]["results"]
    process.stdin.close()
    assert process.wait(PATIENCE) == 0
    process.stdout.close()


def test_a_machine_without_histories_is_served(tmp_path: Path) -> None:
    """An agent may write its first history later."""
    command = [sys.executable, "-m", "recall_rank", "batch", "--live", "--calls", "-", "--out", "-"]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "RECALL_RANK"))}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**variables, "HOME": str(tmp_path)}
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"id": 1, "tool": "hook:nudge", "args": {"system": []}}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["output"]["system"]
    process.stdin.close()
    assert process.wait(PATIENCE) == 0
    process.stdout.close()
