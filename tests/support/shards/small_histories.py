"""History files of one session each."""

from __future__ import annotations

from pathlib import Path

from tests.fixtures import make_fixtures


def write_session(path: Path, name: str, text: str) -> None:
    rows = [
        {"t": "session", "id": name, "title": name, "created": 1, "directory": "/somewhere"},
        {"t": "message", "id": f"{name}m", "session": name, "role": "user", "time": 2,
         "parts": [{"type": "text", "text": text}]},
    ]  # fmt: skip
    make_fixtures.write_history(path, rows)
