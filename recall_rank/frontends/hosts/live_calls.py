"""LiveCalls: calls of tools and hooks from a program that stays, answered while the histories are still being read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Final

from recall_rank.frontends.mcp.background_reading import REFRESH_SECONDS, BackgroundHistories
from recall_rank.frontends.tools.dispatch import failed_call
from recall_rank.histories.cache.first_part import STILL_READING
from recall_rank.model.serialize import error_to_dict, too_deep

TOOL_WORKERS: Final = 3  # tools that run at once
HOOK_WORKERS: Final = 2  # hooks that run at once, beside the tools: their host waits for milliseconds only
PLAIN_WORKERS: Final = 1  # for hooks that read no history, by which a host sees that this process is alive
FIRST_READING_SECONDS: Final = 20.0  # a tool waits so long for the first reading, then answers "not_ready"
HOOK_READING_SECONDS: Final = 5.0  # and a hook so long, as its answer can be of use for the next request of a turn
_POLL_SECONDS: Final = 0.05
_HOOK: Final = "hook:"
_COMPARED: Final = ("id", "cancel")
_NEEDS_NOTHING: Final = ("hook:primary", "hook:nudge")  # hooks that read no history

Serve = Callable[[bytes, int, threading.Event], dict[str, Any]]
"""It takes the line of a call, its number and what is set when the call is cancelled, and returns the answer."""


@dataclass(frozen=True, slots=True)
class LiveCall:
    """A call that waits for a worker: its line, the number of that line, what could be read of it, its cancellation."""

    line: bytes
    number: int
    fields: Mapping[str, Any]
    cancelled: threading.Event

    @property
    def tool(self) -> str:
        """The name of the tool or hook; "" when the line names none."""
        name = self.fields.get("tool")
        return name if isinstance(name, str) else ""

    @property
    def asks_own_session(self) -> bool:
        """Whether a tool is asked about the session of its caller, which grows while its messages are asked for."""
        args, context = self.fields.get("args"), self.fields.get("context")
        if self.tool.startswith(_HOOK) or not isinstance(args, Mapping) or not isinstance(context, Mapping):
            return False
        own = context.get("session_id")
        named = args.get("session_id", args.get("sessionID", args.get("sessionId")))
        if not isinstance(own, str):
            return False
        return named == own or (not named and (self.tool == "recall_messages" or args.get("scope") == "session"))


class LiveCalls:
    """Answers lines of calls as they come, each as soon as it is done: answers may stand in another order than calls.

    Hooks have workers of their own, so that none waits for a tool. A line `{"cancel": ID}` cancels the call
    with this id.
    """

    def __init__(self, histories: BackgroundHistories, serve: Serve, write: Callable[[dict[str, Any]], None]) -> None:
        """Answer by `serve`, from `histories`; `write` is called with one answer at a time, from several threads."""
        self._histories = histories
        self._serve = serve
        self._write = write
        self._writing = threading.Lock()
        self._guard = threading.Lock()
        self._open: dict[str, threading.Event] = {}
        self._tools: SimpleQueue[LiveCall] = SimpleQueue()
        self._hooks: SimpleQueue[LiveCall] = SimpleQueue()
        self._plain: SimpleQueue[LiveCall] = SimpleQueue()
        self._broken = False

    def run(self, lines: Iterable[bytes]) -> None:
        """Answer the calls on `lines` until they end; calls that still run are then cancelled and not waited for.

        Returns early, after the next line, when an answer could not be written.
        """
        workers_of = ((self._tools, TOOL_WORKERS), (self._hooks, HOOK_WORKERS), (self._plain, PLAIN_WORKERS))
        for queue, workers in workers_of:
            for _ in range(workers):
                threading.Thread(target=self._work, args=(queue,), name="calls", daemon=True).start()
        for number, line in enumerate(lines, 1):
            if self._broken:
                break
            if line.strip():
                self._take(line, number)
        with self._guard:
            for cancelled in self._open.values():
                cancelled.set()

    def _take(self, line: bytes, number: int) -> None:
        """Give the call on a line to a worker, or cancel the call that the line names."""
        fields = _fields(line)
        if "cancel" in fields and "tool" not in fields:
            with self._guard:
                cancelled = self._open.get(repr(fields["cancel"]))
            if cancelled is not None:
                cancelled.set()
            return
        call = LiveCall(line, number, fields, threading.Event())
        with self._guard:
            self._open[repr(fields.get("id"))] = call.cancelled
        if call.tool in _NEEDS_NOTHING:
            self._plain.put(call)
        else:
            (self._hooks if call.tool.startswith(_HOOK) else self._tools).put(call)

    def _work(self, queue: SimpleQueue[LiveCall]) -> None:
        while not self._broken:
            call = queue.get()
            try:
                answer = self._answer(call)
            except Exception as error:  # noqa: BLE001 - a defect is an answer: it must not end this worker
                answer = _unserved(call, failed_call(error))
            with self._guard:
                key = repr(call.fields.get("id"))
                if self._open.get(key) is call.cancelled:
                    del self._open[key]
            with self._writing:
                try:
                    self._write(answer)
                except (OSError, ValueError):  # the reader is gone: nobody waits for an answer any more
                    self._broken = True
            self._histories.keep_fresh()

    def _answer(self, call: LiveCall) -> dict[str, Any]:
        """Return the answer of a call, after a wait for the histories if it needs them."""
        if call.tool not in _NEEDS_NOTHING and not self._loaded(call):
            stage, done = self._histories.progress
            text = f"The histories are still being read ({stage}, {done:.0f} %), nothing was searched: ask again soon"
            return _refusal(call, text, "not_ready")
        if call.cancelled.is_set():
            return _refusal(call, "the call was cancelled", "aborted")
        complete = self._histories.complete
        if complete and call.asks_own_session:
            self._histories.refresh_within(REFRESH_SECONDS)  # a refresh that fails is told by the answer
        answer = self._serve(call.line, call.number, call.cancelled)
        if not call.tool.startswith(_HOOK):
            if not complete:
                _warn(answer, f"{STILL_READING}; ask again soon")
            if problem := self._histories.problem:
                _warn(answer, f"the histories could not be read again, what was read before answers: {problem}")
        return answer

    def _loaded(self, call: LiveCall) -> bool:
        """Return whether the histories can be searched, after a wait for that."""
        seconds = HOOK_READING_SECONDS if call.tool.startswith(_HOOK) else FIRST_READING_SECONDS
        for _ in range(round(seconds / _POLL_SECONDS)):
            if self._histories.ready or call.cancelled.wait(_POLL_SECONDS):
                break
        return self._histories.ready


def _fields(line: bytes) -> dict[str, Any]:
    """Return the JSON object on a line; an empty one when the line has none, which `serve` then reports. An id that is
    nested too deep to be compared is left out.
    """
    import orjson

    try:
        found = orjson.loads(line)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: value for name, value in found.items() if name not in _COMPARED or not too_deep(value)}


def _warn(answer: dict[str, Any], text: str) -> None:
    """Add a warning to the answer of a tool."""
    output = answer["output"]
    output["warnings"] = [*output.get("warnings", ()), text]


def _refusal(call: LiveCall, text: str, category: str) -> dict[str, Any]:
    """Return the answer to a call that was not served: an error and its category."""
    return _unserved(call, {**error_to_dict(text), "error_category": category})


def _unserved(call: LiveCall, output: dict[str, Any]) -> dict[str, Any]:
    return {"id": call.fields.get("id"), "ms": 0.0, "cpu_ms": 0.0, "output": output}
