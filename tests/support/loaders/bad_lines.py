"""Stores of JSON lines to which a test adds lines: a valid message in the format of each agent, and odd records."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fixtures import make_chat_stores, make_codex, make_copilot, make_cursor, make_fixtures, make_gemini, make_pi
from tests.fixtures.make_fixtures import HOME, START

_COUNT = itertools.count(1)
Record = dict[str, Any]


@dataclass(frozen=True)
class Lines:
    """A format with one record a line."""

    write: Callable[[Path], Path]  # a store in this folder; what is opened
    grows: str  # the file in it that lines are added to, as a pattern
    said: Callable[[str], Record]  # a record of these words
    unknown: Record | None = None  # of a type that does not exist
    newer: Record | None = None  # of a version that does not exist; None where the format has none
    spilled: str | None = None  # what a record refers to, as a pattern


def _claude(words: str) -> Record:
    key = f"22222222-aaaa-4bbb-8ccc-{next(_COUNT):012}"
    said = {"message": {"role": "user", "content": words}, "type": "user", "uuid": key}
    return {**said, "sessionId": make_fixtures.MAIN, "timestamp": "2026-05-28T21:00:00.000Z", "cwd": HOME}


def _codex(words: str) -> Record:
    content = [{"type": "input_text", "text": words}]
    payload = {"type": "message", "id": f"x{next(_COUNT)}", "role": "user", "content": content}
    return {"timestamp": "2026-05-28T21:00:00.000Z", "type": "response_item", "payload": payload}


def _gemini(words: str) -> Record:
    return {"id": f"x{next(_COUNT)}", "timestamp": "2026-05-28T21:00:00Z", "type": "user", "content": [{"text": words}]}


def _copilot(words: str) -> Record:
    number = next(_COUNT)
    data = {"content": words, "messageId": f"x{number}"}
    return {"type": "user.message", "data": data, "id": f"y{number}", "timestamp": "2026-05-28T21:00:00.000Z"}


def _pi(words: str) -> Record:
    message = {"role": "user", "content": [{"type": "text", "text": words}]}
    entry = {"type": "message", "id": f"{next(_COUNT):08x}", "timestamp": make_pi.iso(START + 900_000)}
    return {**entry, "message": message}


def _history(words: str) -> Record:
    part = {"id": "p", "type": "text", "text": words}
    return {"t": "message", "id": f"x{next(_COUNT)}", "session": "h1", "role": "user", "time": START, "parts": [part]}


def _goose(words: str) -> Record:
    return {"role": "user", "created": START // 1000, "content": [{"type": "text", "text": words}]}


def _cursor(words: str) -> Record:
    return {"role": "user", "message": {"content": [{"type": "text", "text": words}]}}


HOLOGRAM = {"type": "hologram", "uuid": "x", "id": "hologram", "text": "of a newer version"}
EVENT = {"type": "hologram.shown", "data": {"content": "of a newer version"}, "id": "hologram"}
START_EVENT = {"type": "session.start", "data": {"version": 99}, "id": "newer", "timestamp": "2026-05-28T21:00:00.000Z"}
FORMATS = {
    "claude-code": Lines(
        make_fixtures.write_claude, f"**/{make_fixtures.MAIN}.jsonl", _claude, HOLOGRAM, spilled="**/tool-results/*.txt"
    ),
    "codex": Lines(
        make_codex.write_codex, f"**/rollout-*{make_codex.MAIN}.jsonl", _codex, {"type": "hologram", "payload": {}}
    ),
    "gemini-cli": Lines(
        make_gemini.write_gemini, "**/session-*.jsonl", _gemini, {"hologram": 1}, spilled="**/tool-outputs/*/*.txt"
    ),
    "copilot-cli": Lines(
        make_copilot.write_copilot, f"**/{make_copilot.MAIN}/events.jsonl", _copilot, EVENT, START_EVENT,
        spilled="**/files/big.txt",
    ),
    "pi": Lines(
        lambda home: make_pi.write_pi(home) / "agent" / "sessions", f"**/*{make_pi.FIRST}.jsonl", _pi, HOLOGRAM,
        {"type": "session", "version": 99, "id": make_pi.FIRST, "cwd": HOME, "timestamp": make_pi.iso(START)},
    ),
    "tallow": Lines(
        lambda home: make_pi.write_tallow(home) / ".tallow", f"**/*{make_pi.SECOND}.jsonl", _pi, HOLOGRAM,
        {"type": "session", "version": 99, "id": make_pi.SECOND, "cwd": HOME, "timestamp": make_pi.iso(START)},
    ),
    "history": Lines(
        lambda home: make_fixtures.write_history(home / "h.jsonl"), "h.jsonl", _history, {"t": "hologram", "id": "x"}
    ),
    "goose": Lines(make_chat_stores.write_goose_files, "20250101_120000.jsonl", _goose),
    "cursor-cli": Lines(
        lambda home: make_cursor.write_cursor_cli(home) / "projects" / "home-mara-lamp" / "agent-transcripts",
        f"**/{make_cursor.AGENT}/{make_cursor.AGENT}.jsonl", _cursor, HOLOGRAM,
    ),
}  # fmt: skip
