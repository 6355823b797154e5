"""Start what an install starts, and ask it for its tools."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, Final

SECONDS: Final = 20.0
_PROTOCOL: Final = "2025-06-18"
_LONGEST_NAME: Final = 4096  # bytes of the first line of a script
_LONGEST: Final = 1 << 24  # bytes of an answer


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """Whether a command works, the tools it offers (none for a program that was only asked for its version), and the
    reason when it does not.
    """

    works: bool
    tools: tuple[str, ...] = ()
    problem: str = ""


def probe_server(command: Sequence[str], seconds: float = SECONDS) -> ProbeAnswer:
    """Start an MCP server, ask it for its tools and end it. Takes at most `seconds`, and a second to end it."""
    asked: tuple[dict[str, Any], ...] = (
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": _PROTOCOL,
                "capabilities": {},
                "clientInfo": {"name": "recall-rank hosts", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    )
    lines: list[dict[str, Any]] = []

    def talk(to: IO[bytes], out: IO[bytes]) -> None:
        for frame in asked:
            with suppress(OSError, ValueError):
                to.write(json.dumps(frame).encode() + b"\n")
                to.flush()
            if "id" in frame and not _read_until(out, frame["id"], lines):
                return

    problem = _run(command, talk, seconds)
    answer = next((line for line in lines if line.get("id") == 2), None)
    if answer is None:
        return ProbeAnswer(False, problem=problem or "it ended without naming its tools")
    result = answer.get("result")
    listed = result.get("tools") if isinstance(result, dict) else None
    tools = [str(each.get("name")) for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return ProbeAnswer(bool(tools), tuple(tools), "" if tools else "it offers no tools")


def probe_program(program: Sequence[str], seconds: float = SECONDS) -> ProbeAnswer:
    """Start a program with --version; it works if it says one."""
    said: list[bytes] = []

    def talk(_: IO[bytes], out: IO[bytes]) -> None:
        said.append(out.read(1000))

    problem = _run([*program, "--version"], talk, seconds)
    works = any(b"recall-rank" in each for each in said)
    return ProbeAnswer(works, problem="" if works else problem or "it does not say its version")


def _read_until(out: IO[bytes], wanted: int, lines: list[dict[str, Any]]) -> bool:
    """Read frames up to the answer with an id; return whether it came."""
    while line := out.readline(_LONGEST):
        with suppress(ValueError):
            frame = json.loads(line)
            if isinstance(frame, dict):
                lines.append(frame)
                if frame.get("id") == wanted:
                    return True
    return False


def _interpreter(program: str) -> str | None:
    """Return the interpreter that the first line of a script names, None for what is no script that can be read. Where
    it is gone, the system says of the script that there is no such file.
    """
    with suppress(OSError), open(program, "rb") as script:  # noqa: PTH123 - a word of a command, not a path of ours
        first = script.readline(_LONGEST_NAME)
        if first.startswith(b"#!"):
            return os.fsdecode(b" ".join(first.removeprefix(b"#!").split(None, 1)[:1]))
    return None


def _run(command: Sequence[str], talk: Any, seconds: float) -> str:
    """Start a command, talk to it in a thread, and end it; return what went wrong, "" for nothing."""
    try:
        process = subprocess.Popen(  # noqa: S603 - a command that an install of ours wrote
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        missing = _interpreter(command[0]) or command[0]
        return f"it cannot be started: {missing}: {error.strerror}"
    except (OSError, ValueError) as error:
        return f"it cannot be started: {getattr(error, 'strerror', None) or error}"
    talking = threading.Thread(target=talk, args=(process.stdin, process.stdout), daemon=True)
    talking.start()
    talking.join(seconds)
    late = talking.is_alive()
    try:
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        process.wait(0.0 if late else 1.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    talking.join(1.0)
    if process.stdout is not None and not talking.is_alive():
        process.stdout.close()
    return f"it does not answer within {seconds:g} seconds" if late else ""
