"""How much memory does an MCP server keep after it has read a grown history, and how much does it take meanwhile?"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from bench.reporting.report import Report, Table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

KEPT: Final = 1.3  # times the resident memory of a fresh server over the same cache, at most
PEAK_MIB: Final = 1024.0
SECONDS: Final = 900.0  # a history is read by then
WORDS: Final = 3_000
LINE_WORDS: Final = 8_000
SPREAD: Final = 40  # sessions in which a history grows, beside the one large session
_OPENING: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mb", type=int, default=300, help="megabytes by which a history grows (default %(default)s)")


def run(options: argparse.Namespace) -> Report:
    report = Report("server_memory", __doc__ or "", f"generated, {options.mb} MB more")
    rows = []
    for form, sessions in (("one session", 1), (f"{SPREAD} sessions", SPREAD)):
        with tempfile.TemporaryDirectory() as folder:
            home = _Home(Path(folder))
            home.write("oldanchor", 1_000_000)
            with _Server(home) as grown:
                grown.find("oldanchor")
                idle = grown.memory()["VmRSS"]
                for number in range(sessions):
                    home.write("newanchor" if not number else f"anchor{number}", options.mb * 1_000_000 // sessions)
                reading = grown.find("newanchor")
                after = grown.memory()
            with _Server(home) as fresh:
                fresh.find("newanchor")
                beside = fresh.memory()["VmRSS"]
        ratio, peak = after["VmRSS"] / beside, after["VmHWM"]
        rows.append([form, *(f"{size:.0f}" for size in (idle, peak, after["VmRSS"], beside)), f"{ratio:.2f}"])
        report.add(f"{form}/kept", ratio, "x", "lower", 0.1)
        report.add(f"{form}/peak", peak, "MiB", "lower", 0.2)
        report.check(f"{form}: at most {KEPT} times a fresh server", ratio <= KEPT, f"{ratio:.2f}")
        report.check(f"{form}: a peak within {PEAK_MIB:g} MiB", peak <= PEAK_MIB, f"{peak:.0f} MiB")
        report.check(f"{form}: what is unread is not denied", not reading, "; ".join(reading))
    columns = ["grown by", "before", "peak", "after", "a fresh server", "times it"]
    report.tables.append(Table("MiB of a server that are resident", columns, rows))
    return report


class _Home:
    """A home with sessions of Claude Code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sessions = folder / ".claude" / "projects" / "-home-sam-pump"
        self._sessions.mkdir(parents=True)
        self._random = random.Random(5)
        self._words = ["".join(self._random.choices("abcdefghijklmnop", k=6)) for _ in range(WORDS)]

    def write(self, anchor: str, size: int) -> None:
        """Write a session of about `size` bytes, whose last message has the word `anchor`."""
        key = f"{anchor}-aaaa-4bbb-8ccc-000000000001"
        unfinished = self._sessions / "unfinished"
        with unfinished.open("w", encoding="utf-8") as file:
            for line in self._lines(anchor, key, size):
                file.write(line)
        unfinished.rename(self._sessions / f"{key}.jsonl")

    def _lines(self, anchor: str, key: str, size: int) -> Iterator[str]:
        written = number = 0
        while written < size:
            number += 1
            text = " ".join(self._random.choices(self._words, k=LINE_WORDS))
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
            line = _record(key, number, "user", {"role": "user", "content": [result]})
            written += len(line)
            yield line
        text = f"The {anchor} pump waits for the lock."
        yield _record(key, number + 1, "assistant", {"role": "assistant", "content": [{"type": "text", "text": text}]})


def _record(key: str, number: int, kind: str, message: dict[str, Any]) -> str:
    record = {
        "sessionId": key,
        "uuid": f"{key}-{number}",
        "timestamp": "2026-03-01T09:00:00.000Z",
        "cwd": "/home/sam/pump",
        "type": kind,
        "message": message,
    }
    return json.dumps(record) + "\n"


class _Server:
    """An MCP server over the home, asked over its pipes."""

    def __init__(self, home: _Home) -> None:
        kept = ("PATH", "PYTHONPATH", "LANG")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment["HOME"] = str(home.folder)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "recall_rank", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            cwd=Path(__file__).resolve().parents[3],
        )
        self._asked = 0
        self._ask("initialize", _OPENING)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def find(self, anchor: str) -> list[str]:
        """Ask until the message with `anchor` is found; return what the answers before denied."""
        denied: list[str] = []
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            answer = self._ask("tools/call", {"name": "recall", "arguments": {"query": anchor, "match": "literal"}})
            if answer.get("results"):
                return denied
            if "not_read_yet" not in answer.get("coverage", {}).get("limited_by", ()) and answer["ok"]:
                denied.append(json.dumps(answer.get("suggestions")))
            time.sleep(0.5)
        raise TimeoutError(f"{anchor} was not read within {SECONDS:g} seconds")

    def memory(self) -> dict[str, float]:
        """Return VmRSS and VmHWM, the resident memory and its peak, in MiB."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        fields = dict(line.split(":", 1) for line in status.splitlines())
        return {name: int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")}

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._write({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": parameters})
        for line in self._process.stdout or ():
            answer = json.loads(line)
            if answer.get("id") == self._asked:
                return dict(answer["result"].get("structuredContent", {}))
        raise EOFError(f"the server ended with {self._process.wait()}")

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
