"""Writes a small fictional Hermes database: `python tests/make_hermes.py FOLDER`. A greenhouse on a pier."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

from tests.make_fixtures import IMAGE

MAIN, AFTER, SCOUT, QUIET = (
    "20260528_202640_aaaa",
    "20260528_212640_bbbb",
    "20260528_203000_cccc",
    "20260527_080000_dddd",
)
HOME = "/home/mara/greenhouse"
START = 1_780_000_000.5  # seconds, as the agent counts

SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT, system_prompt TEXT,
  parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, cwd TEXT, git_repo_root TEXT,
  title TEXT, display_name TEXT, archived INTEGER NOT NULL DEFAULT 0);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
  tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, reasoning TEXT, reasoning_content TEXT,
  reasoning_details TEXT, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0);
CREATE VIRTUAL TABLE messages_fts USING fts5(content);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
"""


def calls(*found: tuple[str, str, Any]) -> str:
    """The JSON of (id, name, arguments) of each call."""
    return json.dumps(
        [
            {"id": key, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for key, name, given in found
        ]
    )


def write_hermes(folder: Path) -> Path:
    """`state.db` with a session, the one that goes on from it, a subagent's and an archived one; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "state.db"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    add_session(connection, MAIN, title="Greenhouse vents", ended_at=START + 900, end_reason="compression")
    add_session(connection, AFTER, parent_session_id=MAIN, started_at=START + 1000, git_repo_root="/home/mara")
    delegated = json.dumps({"_delegate_from": MAIN})
    add_session(connection, SCOUT, parent_session_id=MAIN, model_config=delegated, cwd=None)
    add_session(connection, QUIET, archived=1, display_name="Pier talk")
    add = adder(connection, MAIN)
    add("user", "Why do the vents stick?")
    thought = "Salt in the hinge, coral stint."
    asked = [
        ("c1", "terminal", {"command": "vent --test"}),
        ("c2", "read_file", {"path": "vents.md"}),
        ("c3", "terminal", {"command": "vent --oil"}),
    ]
    answer = {"reasoning": thought, "reasoning_content": thought, "tool_calls": calls(*asked)}
    add("assistant", "I will test them.", **answer)
    add("tool", json.dumps({"output": "vent 3 sticks, whimbrel", "exit_code": 0, "error": None}), tool_call_id="c1")
    add("tool", json.dumps({"content": "# Vents\nopen at dawn", "total_lines": 2}), tool_call_id="c2")
    add("tool", json.dumps({"output": "oil: command not found", "exit_code": 127, "error": None}), tool_call_id="c3")
    pieces = [
        {"type": "text", "text": "See this hinge"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}},
    ]
    add("user", "\0json:" + json.dumps(pieces))
    add("user", "Paint the vents", active=0)  # taken back
    add("user", "Before the summary", active=0, compacted=1, timestamp=START + 50)
    add("user", "Kept by the summary", active=0, compacted=1, timestamp=START + 51)
    add("user", "[CONTEXT COMPACTION — REFERENCE ONLY] The vents were tested, said the godwit.")
    add("user", "Kept by the summary", timestamp=START + 51)  # stored anew
    add("user", "[IMPORTANT: Background process 7 ended]")
    add("system", "Be kind to plants")
    add("tool", "an answer to no call", tool_call_id="zz", tool_name="look")
    adder(connection, AFTER)("user", "And the door?")
    add = adder(connection, SCOUT)
    add("user", "Count the vents")
    add(
        "assistant",
        "Five vents; codename slate mole.",
        reasoning_details=json.dumps([{"type": "reasoning.text", "text": "Count."}]),
    )
    connection.execute("INSERT INTO messages_fts VALUES ('a copy of everything')")
    connection.commit()
    connection.close()
    return path


def add_session(connection: sqlite3.Connection, key: str, **columns: Any) -> None:
    """Inserts a session's row."""
    row = {"id": key, "source": "cli", "model": "quill-6", "cwd": HOME, "started_at": START, **columns}
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO sessions ({names}) VALUES ({marks})", tuple(row.values()))


def adder(connection: sqlite3.Connection, session: str) -> Any:
    """A function that inserts a message of this session."""

    def add(role: str, content: str | None, **columns: Any) -> None:
        count = connection.execute("SELECT count(*) FROM messages").fetchone()[0]
        row = {"session_id": session, "role": role, "content": content, "timestamp": START + count, **columns}
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO messages ({names}) VALUES ({marks})", tuple(row.values()))

    return add


if __name__ == "__main__":
    print(write_hermes(Path(sys.argv[1])))
