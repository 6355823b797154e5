"""A small invented history of two projects for tests of the tools: several kinds of parts, titles, a tool's own
echo.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recall_rank.frontends.hooks.hook_calls import HOOKS
from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.model import Context, Flag, Message, Part, Reading, Session, Unit
from recall_rank.recall import Recall

NOW = 1_790_000_000_000
HOUR = 3_600_000
DAY = 24 * HOUR
HERE = Context("tide-tables", "p-quay", "/home/ana/quay", "/home/ana/quay")


def _message(key: str, role: Any, age: int, *parts: Part) -> Message:
    return Message(key, role, NOW - age, parts, agent="build", model="small")


def _text(key: str, text: str) -> Part:
    return Part(key, "text", text)


TIDES = Session(
    "tide-tables",
    (
        _message("tt1", "user", 5 * HOUR, _text("tt1p", "Why does the tide gauge drift after noon?")),
        _message(
            "tt2",
            "assistant",
            5 * HOUR - 1,
            Part("tt2p", "reasoning", "The gauge counter may overflow."),
            Part(
                "tt2q",
                "tool",
                tool="bash",
                input={"command": "gauge --dump", "cwd": "/home/ana/quay/sensors"},
                output="gauge 7 drift 0.4\n",
                title="Dump the gauge",
                status="completed",
                flags=Flag.PRUNED,
            ),
        ),
        _message(
            "tt3",
            "assistant",
            4 * HOUR,
            Part("tt3p", "tool", tool="mcp__notes__recall", input={"query": "pelican"}, output="pelican echo"),
            Part("tt3q", "step-finish", status="stop"),
        ),
        _message("tt4", "user", HOUR, _text("tt4p", "Reset the counter at noon, then the gauge is right.")),
    ),
    "Gauge drift after noon",
    "/home/ana/quay",
    "p-quay",
    "/home/ana/quay",
    created=NOW - 5 * HOUR,
    updated=NOW - HOUR,
    source="invented",
)
FERRIES = Session(
    "ferry-times",
    tuple(_message(f"ft{i}", "assistant", 2 * DAY - i, _text(f"ft{i}p", f"ferry {i} calls at noon")) for i in range(9)),
    "Ferry calls",
    "/home/ana/quay/ferries",
    "p-quay",
    "/home/ana/quay",
    updated=NOW - 2 * DAY,
    source="invented",
    flags=Flag.ARCHIVED,
)
BEES = Session(
    "bee-hives",
    (_message("bh1", "user", 30 * DAY, _text("bh1p", "The bees swarm at noon. Secret: zephyrcanary.")),),
    "Zephyrcanary swarm",
    "/home/ana/hives",
    "p-hives",
    "/home/ana/hives",
    updated=NOW - 30 * DAY,
    source="invented",
)


class Invented:
    """A source with one unit for each session; `broken` units cannot be read."""

    name = "invented"

    def __init__(self, *sessions: Session, broken: tuple[str, ...] = ()) -> None:
        self.location = "memory"
        self.sessions = {session.id: session for session in sessions or (TIDES, FERRIES, BEES)}
        self.broken = broken
        self.reads = 0

    def units(self) -> Iterable[Unit]:
        return [Unit(key, key) for key in (*self.sessions, *self.broken)]

    def signature(self, unit: Unit) -> bytes:
        return unit.key.encode()

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        self.reads += 1
        if unit.key in self.broken:
            raise OSError("torn")
        return Reading([self.sessions[unit.key]])


def tools(
    *sessions: Session, broken: tuple[str, ...] = (), context: Context | None = HERE, **options: Any
) -> RecallTools:
    """Return the tools over the invented history."""
    recall = Recall([Invented(*sessions, broken=broken)])
    return RecallTools(recall, options=host_options(options), context=context, hooks=HOOKS)


def ask(desk: RecallTools, query: Any, mode: str = "raw", **args: Any) -> dict[str, Any]:
    """Return the answer of the tool `recall`."""
    return desk.call("recall", {"query": query, **args}, now=NOW, mode=mode)


def parts(answer: dict[str, Any]) -> list[str]:
    """Return the ids of the found parts."""
    return [result["part_id"] for result in answer["results"]]
