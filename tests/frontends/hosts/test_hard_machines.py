"""A disk that hangs, two gigabytes of history on the first start, two hosts at once: the host goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Self

import pytest

from tests.support.frontends.claude_machine import FIRST, SECOND, ClaudeMachine
from tests.support.frontends.process import ROOT, recall_rank
from tests.support.frontends.served_frames import INITIALIZE, INITIALIZED

ASKS: Final = "what did we decide about the ferry tariff last time?"
SAID: Final = "We decided to use amber for the ferry tariff."
LATE: Final = "recall-rank hook: it took longer than 2 seconds, and was ended\n"
PATIENCE: Final = 90.0  # seconds, on a machine that does other work, too
# Every process of Python that is started with it waits, before it opens a session file, until the file `gate` exists,
# and leaves its number.
SLOW_DISK: Final = """
import os, sys, time
def wait(event, given):
    if event == "open" and str(given[0]).endswith(".jsonl"):
        open(os.path.join({folder!r}, "reads-" + str(os.getpid())), "w").close()
        while not os.path.exists({gate!r}):
            time.sleep(0.01)
sys.addaudithook(wait)
"""


class HardMachine:
    """A home folder with sessions of Claude Code and no index yet, on a disk that may hang."""

    def __init__(self, folder: Path) -> None:
        self.claude = ClaudeMachine(folder)
        self.gate = folder / "gate"
        self.slow = folder / "slow"
        self.slow.mkdir()
        code = SLOW_DISK.format(folder=str(self.slow), gate=str(self.gate))
        (self.slow / "sitecustomize.py").write_text(code)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "RECALL_RANK"))}
        self.environ: dict[str, str] = {**kept, "HOME": str(self.claude.home), "PYTHONPATH": str(ROOT)}

    def hang(self) -> None:
        """From now on, the disk of the sessions hangs until wake()."""
        self.environ["PYTHONPATH"] = os.pathsep.join([str(self.slow), str(ROOT)])

    def wake(self) -> None:
        self.gate.touch()

    def readers(self) -> list[int]:
        """Return the processes that have tried to open a session file."""
        return [int(path.name.removeprefix("reads-")) for path in self.slow.glob("reads-*")]

    def hook(self, event: str, **more: Any) -> subprocess.CompletedProcess[str]:
        call = json.dumps({"session_id": "ask-1", "cwd": str(self.claude.project), **more})
        return recall_rank("hook", "claude-code", event, input=call, env=self.environ)

    def answers(self) -> bool:
        """Whether a hook answers what was decided about the ferry."""
        return "amber" in self.hook("UserPromptSubmit", prompt=ASKS).stdout

    def until_answered(self) -> None:
        started = time.monotonic()
        while not self.answers():
            assert time.monotonic() - started < PATIENCE
            time.sleep(0.2)


class Child:
    """A process that reads a line of JSON for each call, and writes one for each answer."""

    def __init__(self, environ: Mapping[str, str], *words: str) -> None:
        command = [sys.executable, "-m", "recall_rank", *words]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(environ))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, *calls: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        for call in calls:
            self.process.stdin.write(json.dumps(call).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, number: int) -> dict[str, Any]:
        """Return the answer to call `number`, and pass over what comes before it."""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            told: dict[str, Any] = json.loads(line)
            if told.get("id") == number:
                return told
        raise AssertionError("it ended without an answer")


class Server(Child):
    """`recall-rank mcp` after the frames with which a host begins."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(environ, "mcp")
        self.send(INITIALIZE, INITIALIZED, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert "serverInfo" in self.answer(0)["result"]
        assert "recall" in {tool["name"] for tool in self.answer(1)["result"]["tools"]}

    def ask(self, number: int) -> None:
        given = {"name": "recall", "arguments": {"query": "ferry tariff", "match": "smart"}}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": given})

    def recalled(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = self.answer(number)["result"]["structuredContent"]
        return found


class Live(Child):
    """`recall-rank batch --live`, which the plugins of OpenCode, pi and tallow start."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(environ, "batch", "--live", "--calls", "-", "--out", "-")

    def ask(self, number: int) -> None:
        self.send({"id": number, "tool": "recall", "args": {"query": "ferry tariff", "match": "smart"}})

    def recalled(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = self.answer(number)["output"]
        return found


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[HardMachine]:
    here = HardMachine(tmp_path)
    here.claude.session(FIRST, "which color has the ferry tariff page?", SAID)
    yield here
    for reader in here.readers():
        try:
            os.kill(reader, signal.SIGKILL)  # a refresh in the background, which nothing waits for
        except ProcessLookupError:
            continue


def test_a_hook_does_not_wait_for_a_disk_that_hangs(machine: HardMachine) -> None:
    machine.hang()
    for event, more in (("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": ASKS})):
        done = machine.hook(event, **more)
        assert (done.returncode, done.stderr) == (0, "")
        assert ("Earlier" in done.stdout) == (event == "SessionStart")
    started = time.monotonic()
    while not machine.readers():  # the refresh that a hook started in the background
        assert time.monotonic() - started < PATIENCE
        time.sleep(0.05)
    assert not machine.answers()
    machine.wake()
    machine.until_answered()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Server, Live])
def test_a_server_tells_that_a_disk_hangs_and_answers_when_it_wakes(
    machine: HardMachine, kind: type[Server | Live]
) -> None:
    machine.hang()
    with kind(machine.environ) as child:
        child.ask(2)
        early = child.recalled(2)
        assert (early["ok"], early["error_category"]) == (False, "not_ready")
        assert "\n" not in early["error"]
        machine.wake()
        child.ask(3)
        assert SAID in [hit["snippet"] for hit in child.recalled(3)["results"]]


@pytest.mark.slow
def test_two_gigabytes_on_the_first_start_keep_nobody_waiting(machine: HardMachine) -> None:
    # one file of 8 MiB under 256 names, older than the session that is asked for
    text = "the harbour crane lifts a crate of lanterns to the quay " * 40
    large = machine.claude.session(SECOND, *[f"{text}{number}" for number in range(3700)])
    size = large.stat().st_size
    os.utime(large, (1_600_000_000, 1_600_000_000))
    names = [large.with_name(f"5e0f9d2a-0000-4000-8000-{number:012}.jsonl") for number in range((2 << 30) // size)]
    for name in names:
        name.hardlink_to(large)
    assert size * len(names) > 2_000_000_000
    machine.hang()
    machine.wake()  # the disk is well: only the readers are noted, to be ended
    done = machine.hook("UserPromptSubmit", prompt=ASKS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (machine.claude.cache / "machine").exists()
    with Server(machine.environ) as server, Live(machine.environ) as live:
        for child in (server, live):
            child.ask(2)
        for child in (server, live):
            found = child.recalled(2)
            assert SAID in [hit["snippet"] for hit in found["results"]]
            assert "still being read" in " ".join(found["warnings"])


@pytest.mark.slow
def test_two_hosts_share_one_cache(machine: HardMachine) -> None:
    for number in range(30):
        machine.claude.session(f"5e0f9d2a-0000-4000-8000-{number:012}", f"the crane of quay {number}", "It turns.")
    with ExitStack() as stack:
        kinds: tuple[type[Server | Live], ...] = (Server, Live, Server, Live)
        children = [stack.enter_context(kind(machine.environ)) for kind in kinds]
        hooks = [machine.hook("UserPromptSubmit", prompt=ASKS) for _ in range(2)]
        assert [each.returncode for each in hooks] == [0, 0]
        assert {each.stderr for each in hooks} <= {"", LATE}  # four servers that start may keep two cores busy
        for child in children:
            child.ask(2)
        for child in children:
            assert SAID in [hit["snippet"] for hit in child.recalled(2)["results"]]
        machine.claude.session(SECOND, "which color has the tide page?", "We decided to use violet for the tide.")
        for child in children:
            child.ask(3)
        assert all(child.recalled(3)["ok"] for child in children)
    machine.until_answered()
    done = recall_rank("search", "violet tide", "--json", env=machine.environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert "violet" in json.loads(done.stdout)["results"][0]["snippet"]
    left = [path.name for path in (machine.claude.cache / "machine").iterdir() if "temporary" in path.name]
    assert left == []
