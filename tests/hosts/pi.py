"""pi with our extension: two sessions by `pi -p`, then one over its RPC: auto recall, a killed child, an abort."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.hosts.harness import (
    CALLS,
    FIRST_ANSWER,
    FIRST_QUESTION,
    LAST_ANSWER,
    RECALL,
    SECOND_QUESTION,
    WORD,
    Report,
    Workplace,
    check_store,
    digests,
)
from tests.hosts.processes import left_of, recall_children
from tests.hosts.stub_model import MODEL, Call

NUDGE: Final = "Earlier sessions can be searched"
SESSION_RECALL: Final = Call("session_recall", {"query": WORD, "looking_for": "the burst of the limiter"})
_TURN_SECONDS: Final = 60.0


def configure(workplace: Workplace) -> None:
    """Point pi at the stub model."""
    provider = {
        "baseUrl": f"{workplace.model.url}/v1",
        "api": "openai-completions",
        "apiKey": "none",
        "compat": {"supportsDeveloperRole": False, "supportsReasoningEffort": False},
        "models": [{"id": MODEL}],
    }
    folder = workplace.home / ".pi/agent"
    folder.mkdir(parents=True)
    (folder / "models.json").write_text(json.dumps({"providers": {"stub": provider}}))
    (folder / "settings.json").write_text(json.dumps({"defaultProvider": "stub", "defaultModel": MODEL}))
    workplace.variables |= {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


def drive(workplace: Workplace, report: Report) -> None:
    """Drive pi, and add to the report what was seen."""
    program = workplace.npm("@mariozechner/pi-coding-agent", "pi")
    done = workplace.run(program, "--version")
    report.version = (done.stdout + done.stderr).strip()
    configure(workplace)
    agent = workplace.home / ".pi/agent"
    before = digests(agent)
    workplace.run(*RECALL, "install", "pi", "--yes", check=True)
    installed = digests(agent)
    workplace.run(*RECALL, "uninstall", "pi", "--yes", check=True)
    report.check("after uninstall the home is byte-identical", before == digests(agent) != installed)
    workplace.run(*RECALL, "install", "pi", "--yes", check=True)
    model = workplace.model

    model.begin(FIRST_ANSWER)
    done = workplace.run(program, "-p", FIRST_QUESTION)
    report.check("the first session is answered", FIRST_ANSWER in done.stdout, done.stdout + done.stderr)
    model.begin(*CALLS[:2], SESSION_RECALL, LAST_ANSWER)
    done = workplace.run(program, "-p", SECOND_QUESTION)
    report.check("the second session is answered", LAST_ANSWER in done.stdout, done.stdout + done.stderr)
    _check_tools(workplace, report)

    workplace.variables["RECALL_RANK_PI"] = json.dumps({"autoRecall": True})
    with _rpc(workplace, program) as host:
        _check_auto_recall(workplace, report, host)
        _check_killed_child(workplace, report, host)
        _check_abort(workplace, report, host)
        children = recall_children(host.process.pid)
    report.check("our process ended with the host", bool(children) and not left_of(children), children)
    check_store(report, workplace, "pi", _counts(agent / "sessions"))
    _check_without_python(workplace, report, program)
    workplace.run(*RECALL, "uninstall", "pi", "--yes", check=True)
    left = sorted(set(digests(agent)) - set(before))
    report.check(
        "after all this uninstall leaves nothing of ours", not [each for each in left if "recall" in each], left
    )


def _check_tools(workplace: Workplace, report: Report) -> None:
    """Check what the second session asked the model, and what reached it."""
    requests = workplace.model.talk()
    if not report.check("the model was asked with tools", bool(requests), f"{len(requests)} requests"):
        return
    offered = requests[-1].offered
    report.check("the two tools were offered", {"recall", "session_recall"} <= set(offered), offered)
    report.check("the reminder reached the model", NUDGE in requests[0].text)
    answers = requests[-1].answers
    if not report.check("each of the three calls was answered to the model", len(answers) == 3, answers):
        return
    searched, own, quoted = answers
    report.check("the other session was found", "burst of 42" in searched, searched)
    report.check("recalled text is marked as data", "untrusted" in searched, searched)
    report.check('recall with scope "session" found this session', SECOND_QUESTION in own, own)
    report.check("what was said elsewhere is not in it", FIRST_QUESTION not in own, own)
    report.check("session_recall quoted the answer", FIRST_ANSWER in quoted, quoted)


class RpcHost:
    """pi in its RPC mode: one JSON command a line in, one JSON event a line out."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.events: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.put(json.loads(line))

    def send(self, **command: Any) -> None:
        """Send a command."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def until(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the events up to one of a type, an empty list when it does not come in time."""
        seen: list[Mapping[str, Any]] = []
        end = time.monotonic() + _TURN_SECONDS
        while (left := end - time.monotonic()) > 0:
            try:
                seen.append(self.events.get(timeout=left))
            except queue.Empty:
                break
            if seen[-1].get("type") == kind:
                return seen
        return []

    def say(self, text: str) -> list[Mapping[str, Any]]:
        """Say something, and return the events of the turn."""
        self.send(type="prompt", message=text)
        return self.until("agent_end")


@contextmanager
def _rpc(workplace: Workplace, program: Path) -> Iterator[RpcHost]:
    """Run `pi --mode rpc`, whose input ends afterwards."""
    process = subprocess.Popen(
        [str(program), "--mode", "rpc"],
        cwd=workplace.project,
        env=workplace.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield RpcHost(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _check_auto_recall(workplace: Workplace, report: Report, host: RpcHost) -> None:
    """Once a tool has answered, and so the histories are read, auto recall is in the first request of a turn: of one
    of three, since what comes behind its deadline waits for the second request.
    """
    workplace.model.begin(CALLS[0], LAST_ANSWER)
    host.say("Look for it, please.")
    for number in range(3):
        workplace.model.begin(LAST_ANSWER)
        host.say(f"{SECOND_QUESTION} {number}")
        talk = workplace.model.talk()
        if found := bool(talk) and "<recall-auto>" in talk[0].text:
            break
    report.check("auto recall reached the model with the first request", found, f"{number + 1} turns")
    workplace.model.begin(LAST_ANSWER)
    host.say("Good.")
    talk = workplace.model.talk()
    report.check("it stays in its message in later turns", bool(talk) and "<recall-auto>" in talk[0].text)
    stored = "".join(path.read_text() for path in (workplace.home / ".pi/agent/sessions").rglob("*.jsonl"))
    report.check("what the hooks added is not stored", "<recall-auto>" not in stored and NUDGE not in stored)


def _check_killed_child(workplace: Workplace, report: Report, host: RpcHost) -> None:
    """Kill our process; the next call is answered by a new one."""
    before = recall_children(host.process.pid)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    workplace.model.begin(CALLS[0], LAST_ANSWER)
    events = host.say("And now?")
    answers = [answer for each in workplace.model.talk()[-1:] for answer in each.answers]
    answered = bool(answers) and "burst of 42" in answers[-1]
    report.check("a killed child is started again", bool(before) and answered, f"{before}, {answers[-1:]}")
    report.check("the turn with the killed child is answered", LAST_ANSWER in json.dumps(events))


def _check_abort(workplace: Workplace, report: Report, host: RpcHost) -> None:
    """Abort a turn; the session takes the next message."""
    workplace.model.begin(*[Call("recall", {"query": f"{WORD} {number}"}) for number in range(200)])
    host.send(type="prompt", message="Look everywhere.")
    until = time.monotonic() + 30
    while len(workplace.model.talk()) < 3 and time.monotonic() < until:
        time.sleep(0.05)
    host.send(type="abort")
    report.check("an aborted turn ends", bool(host.until("agent_end")))
    workplace.model.begin(LAST_ANSWER)
    report.check("a session goes on after an abort", LAST_ANSWER in json.dumps(host.say("Go on, please.")))


def _check_without_python(workplace: Workplace, report: Report, program: Path) -> None:
    """With no program behind the extension, the host answers, and one line is on stderr."""
    settings = workplace.home / ".pi/agent/extensions/recall-rank.json"
    installed = settings.read_text()
    settings.write_text(json.dumps({"command": ["/nowhere/recall-rank"]}))
    workplace.model.begin(CALLS[0], LAST_ANSWER)
    done = workplace.run(program, "-p", SECOND_QUESTION)
    settings.write_text(installed)
    lines = [line for line in done.stderr.splitlines() if "recall-rank is not running" in line]
    report.check("without our program the host answers", LAST_ANSWER in done.stdout, done.stderr)
    report.check("and one line says so", len(lines) == 1, done.stderr)


def _counts(sessions: Path) -> dict[str, int]:
    """The numbers of sessions and messages in the store, counted without our loader: an answer of a tool is part of
    the call that it answers.
    """
    files = list(sessions.rglob("*.jsonl"))
    records = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    said = [each["message"]["role"] for each in records if each["type"] == "message"]
    return {"sessions": len(files), "messages": sum(role in ("user", "assistant") for role in said)}
