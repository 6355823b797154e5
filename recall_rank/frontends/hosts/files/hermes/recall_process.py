"""RecallProcess: one `recall-rank batch --live` that stays (put here by `recall-rank install`).

It is started by the first call or by start(), again when it has ended, and ends when the program that started it does.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

LEAST_PAUSE_SECONDS = 0.25  # before a child that ended is started again; doubled each time it ends at once
MOST_PAUSE_SECONDS = 30.0


class _Waiting:
    """A call that waits for its answer: None for a call whose child ended."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self.child = child
        self.done = threading.Event()
        self.output: dict[str, Any] | None = None


class RecallProcess:
    """Calls of recall-rank from any thread."""

    def __init__(self, program: Sequence[str], environment: Mapping[str, str], say: Callable[[str], None]) -> None:
        """Call `program`. `say` is told what goes wrong."""
        self.problem = ""
        self._command = [*program, "batch", "--live", "--calls", "-", "--out", "-"]
        self._environment = dict(environment)
        self._say = say
        self._guard = threading.RLock()
        self._open: dict[int, _Waiting] = {}
        self._serial = 0
        self._child: subprocess.Popen[bytes] | None = None
        self._outbox: SimpleQueue[bytes | None] = SimpleQueue()
        self._heard = 0  # lines that the child has written
        self._failures = 0  # of starts in a row that answered nothing
        self._not_before = 0.0
        self._closed = False

    def ask(self, call: Mapping[str, Any], seconds: float) -> dict[str, Any] | None:
        """Return the answer to a call; None when there is none in time, or the child ended."""
        with self._guard:
            self.start()
            child = self._child
            if child is None:
                return None
            self._serial += 1
            number = self._serial
            waiting = self._open[number] = _Waiting(child)
            self._send({"id": number, **call})
        if not waiting.done.wait(seconds):
            with self._guard:
                if self._open.pop(number, None) is not None and waiting.child is self._child:
                    self._send({"cancel": number})
        return waiting.output

    def tool(self, call: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Return the answer of a tool, asked once more when the child ended below it. A child that says nothing at all
        for so long is ended.
        """
        for _ in range(2):
            pause = self._not_before - time.monotonic()
            if self._child is None and 0 < pause <= 1:
                time.sleep(pause)
            with self._guard:
                self.start()
                child, heard = self._child, self._heard
            output = self.ask(call, seconds)
            if output is not None:
                return output
            if child is not None and child is self._child:
                if heard == self._heard:
                    child.kill()
                return {"ok": False, "error": "recall-rank took too long"}
        return {"ok": False, "error": f"recall-rank is not running: {self.problem or 'it ended'}"}

    def start(self) -> None:
        """Start the child unless it runs, or ended a moment ago."""
        with self._guard:
            if self._child is not None or self._closed or time.monotonic() < self._not_before:
                return
            try:
                child = subprocess.Popen(  # noqa: S603 - the program that the install wrote
                    self._command,
                    env=self._environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # what interrupts the host does not interrupt it
                )
            except (OSError, ValueError) as error:
                self._ended(None, str(error))
                return
            self._child, self._outbox, self._heard = child, SimpleQueue(), 0
        # A child that does not read keeps only this thread waiting.
        threading.Thread(target=_write, args=(child, self._outbox), name="recall-rank calls", daemon=True).start()
        threading.Thread(target=self._read, args=(child, self._outbox), name="recall-rank answers", daemon=True).start()

    def close(self) -> None:
        """End the child, which ends with its input."""
        with self._guard:
            self._closed = True
            self._outbox.put(None)

    def _read(self, child: subprocess.Popen[bytes], outbox: SimpleQueue[bytes | None]) -> None:
        for line in child.stdout or ():
            try:
                answer = json.loads(line)
                number, output = answer["id"], answer["output"]
            except (ValueError, LookupError, TypeError):
                self._say("it wrote a line that is no answer, which is ignored")
                continue
            with self._guard:
                self._heard += 1
                self._failures = 0
                waiting = self._open.pop(number, None)
            if waiting is not None:
                waiting.output = output
                waiting.done.set()
        outbox.put(None)
        if child.stdout is not None:
            child.stdout.close()
        self._ended(child, f"it ended with {child.wait()}")

    def _ended(self, child: subprocess.Popen[bytes] | None, reason: str) -> None:
        with self._guard:
            if child is not None and child is not self._child:
                return
            self._child = None
            self.problem = reason
            pause = min(MOST_PAUSE_SECONDS, LEAST_PAUSE_SECONDS * 2**self._failures)
            self._not_before = time.monotonic() + pause
            self._failures += 1
            lost = [number for number, each in self._open.items() if each.child is child]
            for number in lost:
                self._open.pop(number).done.set()
        if not self._closed:
            self._say(f"it is not running ({reason}); Hermes goes on without it until it starts again")

    def _send(self, value: Mapping[str, Any]) -> None:
        self._outbox.put(json.dumps(value).encode() + b"\n")


def _write(child: subprocess.Popen[bytes], outbox: SimpleQueue[bytes | None]) -> None:
    """Write the calls of a child until None comes, then end its input."""
    if child.stdin is None:
        return
    with suppress(OSError, ValueError), child.stdin:  # its reader is gone: the end of its output follows, and says so
        while (line := outbox.get()) is not None:
            child.stdin.write(line)
            child.stdin.flush()
