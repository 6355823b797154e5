"""Writes small fictional histories in the agents' own formats: `python tests/make_fixtures.py FOLDER`.

Everything in them is invented: a team of three that builds software for a lighthouse.
"""

from __future__ import annotations

import gzip
import json
import lzma
import sqlite3
import sys
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

START = 1_780_000_000_000  # ms; every time in the fixtures is counted from here
HOME = "/home/mara/lamp"
SPILLED_WORD = "tick 0777 of the lens motor, phrase sapphire gull"
IMAGE = "iVBORw0KGgoAAAANSUhEUgAAB9AAAAfQCAIAAAB" + "Zq3xY7Lk9" * 400

# --- history JSONL ---------------------------------------------------------------------------------


def history_records() -> list[dict[str, Any]]:
    """Two sessions: one about a stuck lens motor, one about tide tables."""
    return [
        {"t": "session", "id": "h1", "title": "Lens motor stalls", "directory": HOME, "project": "lamp",
         "created": START, "updated": START + 9000, "parent": None, "source": None, "agent_app": "quillbot"},
        _said("h1", 0, "user", [{"type": "text", "text": "The lens motor stalls at dusk, why?"}]),
        _said("h1", 1, "assistant", [
            {"type": "reasoning", "text": "Cold grease raises the torque."},
            {"type": "tool", "tool": "bash", "input": {"command": "motorctl --torque"}, "output": "torque 3.2 Nm"},
            {"type": "tool", "tool": "bash", "input": {"command": "motorctl --reset"}, "error": "EPERM: reset denied"},
        ]),
        _said("h1", 2, "user", [{"type": "text", "text": "Reminder from the harness", "synthetic": True}]),
        _said("h1", 3, "assistant", [{"type": "tool", "tool": "read", "output": "old log", "pruned": True}]),
        {"t": "session", "id": "h2", "title": None, "directory": "/home/mara/tides", "created": START + 20_000},
        _said("h2", 0, "user", [{"type": "text", "text": "Compute the tide table for Größ-Osterholm 潮汐表"}]),
    ]  # fmt: skip


def _said(session: str, number: int, role: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    key = f"{session}:m{number}"
    numbered = [{"id": f"{key}:{index}", **part} for index, part in enumerate(parts)]
    return {
        "t": "message",
        "id": key,
        "session": session,
        "role": role,
        "time": START + 1000 * number,
        "parts": numbered,
    }


def write_history(path: Path, records: Iterable[dict[str, Any]] | None = None) -> Path:
    """A history file, packed as its name says."""
    data = lines(history_records() if records is None else records)
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".xz":
        data = lzma.compress(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def lines(records: Iterable[dict[str, Any]]) -> bytes:
    """JSON lines as the agents write them."""
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


# --- Claude Code -----------------------------------------------------------------------------------

MAIN, FORK, AGENT = "11111111-aaaa-4bbb-8ccc-000000000001", "11111111-aaaa-4bbb-8ccc-000000000002", "agent-9f9f9f"


class Transcript:
    """Builds the records of one transcript; each follows the one before it."""

    def __init__(self, session: str, cwd: str = HOME) -> None:
        self.session = session
        self.cwd = cwd
        self.records: list[dict[str, Any]] = []
        self.last: str | None = None

    def add(self, kind: str, **more: Any) -> str:
        """Appends a record and returns its uuid."""
        key = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.session}/{len(self.records)}"))
        when = 1_780_000_000 + len(self.records)
        record = {
            "parentUuid": self.last, "isSidechain": False, "type": kind, "uuid": key,
            "timestamp": f"2026-05-28T20:{26 + (when // 60) % 30:02}:{when % 60:02}.000Z",
            "cwd": self.cwd, "sessionId": self.session, "version": "2.1.330",
        }  # fmt: skip
        self.records.append({**record, **more})
        self.last = key
        return key

    def user(self, content: Any, **more: Any) -> str:
        return self.add("user", message={"role": "user", "content": content}, **more)

    def assistant(self, message: str, *blocks: dict[str, Any], **more: Any) -> None:
        """One line a block, as the agent writes them, all with the same message id."""
        for block in blocks:
            body = {"id": message, "role": "assistant", "model": "quill-1", "content": [block]}
            self.add("assistant", message=body, **more)

    def result(self, call: str, content: Any, **more: Any) -> str:
        return self.user([{"type": "tool_result", "tool_use_id": call, "content": content, **more}])


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(key: str, name: str, **tool_input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": key, "name": name, "input": tool_input}


def claude_main() -> Transcript:
    """A session with everything that needs care: see the comments."""
    t = Transcript(MAIN)
    t.user("<command-name>/model</command-name>\n<command-args></command-args>")  # a program's words, no title
    t.user("Why does the fog horn double fire? Look at horn.py")
    t.assistant("msg_1", {"type": "thinking", "thinking": "Debounce is my guess, violet heron."},
                text("I will read the handler."), call("toolu_1", "Read", file_path=f"{HOME}/horn.py"))  # fmt: skip
    t.result("toolu_1", "def fire(): ...")
    # A second block of the same message after a result: parallel calls are written like this.
    t.assistant("msg_1", call("toolu_2", "Bash", command="pytest -k horn"))
    t.result("toolu_2", "HornError: fired twice within 40 ms", is_error=True)
    t.assistant("msg_2", call("toolu_3", "Bash", command="cat motor.log"))
    saved = f"Output too large. Full output saved to: /elsewhere/{MAIN}/tool-results/big1.txt"
    t.result("toolu_3", f"<persisted-output>\n{saved}\n\nPreview (first 2KB):\ntick 0001\n...\n</persisted-output>")
    t.user([text("Look at this picture"), {"type": "image", "source": {"type": "base64", "data": IMAGE}}])
    t.add("progress", data={"type": "bash_progress", "output": "never to be found: progress walrus"})
    t.user([text("<system-reminder>todo list is empty</system-reminder>"), text("And what of the shutter?")])
    t.user("Does text that mentions <system-reminder> in its middle survive?")
    t.add("system", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": ["toolu_1"]})
    t.add("system", subtype="compact_boundary", content="Conversation compacted",
          compactMetadata={"trigger": "auto", "preservedMessages": {"uuids": [t.records[-2]["uuid"]]}})  # fmt: skip
    t.user(
        "This session is being continued from a previous conversation. Summary: amber harbour.", isCompactSummary=True
    )
    t.user("Generated by a hook", isMeta=True)
    t.user("now fix it", isSidechain=True)
    t.assistant("msg_err", text("API Error: overloaded"), isApiErrorMessage=True)
    t.assistant("msg_3", text("Fixed: a debounce of 50 ms."))
    t.add("attachment", attachment={"type": "queued_command", "prompt": "also update the changelog"})
    t.add("attachment", attachment={"type": "skill_listing", "content": "boilerplate"})
    return t


def write_claude(home: Path) -> Path:
    """`.claude` with one project: a session, its fork, its subagent and its spilled output."""
    folder = home / ".claude" / "projects" / "-home-mara-lamp"
    spills = folder / MAIN / "tool-results"
    agents = folder / MAIN / "subagents"
    for each in (spills, agents):
        each.mkdir(parents=True)
    t = claude_main()
    titles = [{"type": "ai-title", "aiTitle": "Fog horn fires twice", "sessionId": MAIN}]
    (folder / f"{MAIN}.jsonl").write_bytes(lines([*t.records, *titles]))
    fork = [{**record, "sessionId": FORK} for record in t.records[:5]]
    tail = Transcript(FORK)
    tail.records = list(fork)
    tail.user("try a longer debounce in this fork")
    (folder / f"{FORK}.jsonl").write_bytes(lines(tail.records))
    (spills / "big1.txt").write_text("".join(f"tick {n:04} of the lens motor\n" for n in range(777)) + SPILLED_WORD)
    sub = Transcript(MAIN)
    sub.session = MAIN
    for record in sub_records():
        sub.records.append(record)
    (agents / f"{AGENT}.jsonl").write_bytes(lines(sub.records))
    (agents / f"{AGENT}.meta.json").write_text(
        json.dumps({"agentType": "Explore", "description": "Survey the horn code"})
    )
    return home / ".claude"


def sub_records() -> list[dict[str, Any]]:
    """A subagent's conversation."""
    t = Transcript(AGENT)
    t.user("List every caller of fire()", isSidechain=True, agentId="9f9f9f")
    t.assistant("msg_s1", text("Two callers; codename opal bridge."), isSidechain=True, agentId="9f9f9f")
    return [{**record, "sessionId": MAIN} for record in t.records]


# --- OpenCode --------------------------------------------------------------------------------------

SCHEMA = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, time_created integer);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL,
  title text NOT NULL, version text NOT NULL, revert text, time_created integer NOT NULL, time_updated integer NOT NULL,
  time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE event (id text PRIMARY KEY, data text NOT NULL);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, data text NOT NULL);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_session_idx ON part (session_id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
"""
PARTS: dict[str, Sequence[dict[str, Any]]] = {
    "msg_01": [{"type": "text", "text": '"Oil the hinge, then say \\"done\\""'}],
    "msg_02": [
        {"type": "step-start", "snapshot": "abc"},
        {"type": "reasoning", "text": "The hinge squeaks, topaz crane."},
        {"type": "tool", "tool": "bash", "callID": "c1", "state": {
            "status": "completed", "input": {"command": "oil --hinge", "cwd": HOME}, "output": "oiled",
            "title": "Oil it", "time": {"start": 1, "end": 2, "compacted": START + 5}}},
        {"type": "tool", "tool": "read", "state": {
            "status": "error", "input": {"filePath": f"{HOME}/gone.py"}, "error": "File not found: gone.py"}},
        {"type": "tool", "tool": "bash", "state": {
            "status": "completed", "input": {"command": "cat motor.log"}, "output": "...output truncated...\ntick 0001",
            "metadata": {"truncated": True, "outputPath": "/elsewhere/opencode/tool-output/tool_big1"}}},
        {"type": "tool", "tool": "bash", "state": {
            "status": "running", "input": {"command": "sleep 1"}, "title": "Zzz"}},
        {"type": "patch", "hash": "abc", "files": [f"{HOME}/hinge.py"]},
        {"type": "step-finish", "reason": "stop"},
    ],
    "msg_03": [
        {"type": "subtask", "description": "Survey hinges", "prompt": "list them all", "agent": "explore"},
        {"type": "file", "mime": "image/png", "filename": "hinge.png", "url": f"data:image/png;base64,{IMAGE}"},
        {"type": "agent", "name": "explore"},
        {"type": "snapshot", "snapshot": "abc"},
        {"type": "retry", "attempt": 1, "error": {"name": "APIError", "data": {"message": "429 from the harbour"}}},
        {"type": "text", "text": "Injected file content", "synthetic": True},
    ],
    "msg_04": [{"type": "compaction", "auto": True, "tail_start_id": "msg_03"}],
    "msg_05": [{"type": "text", "text": "Summary: hinge oiled."}],
    "msg_06": [{"type": "text", "text": "and the lamp?"}],
    "msg_07": [{"type": "hologram", "text": "of a newer version"}],
}  # fmt: skip
MESSAGES: dict[str, dict[str, Any]] = {
    "msg_01": {"role": "user", "agent": "build", "model": {"modelID": "quill-1"}, "summary": {"diffs": []}},
    "msg_02": {"role": "assistant", "agent": "build", "modelID": "quill-1"},
    "msg_03": {"role": "user", "agent": "build"},
    "msg_04": {"role": "user", "agent": "build"},
    "msg_05": {"role": "assistant", "agent": "compaction", "summary": True},
    "msg_06": {"role": "user", "agent": "build"},
    "msg_07": {"role": "assistant", "error": {"name": "Aborted", "data": {"message": "stopped"}}},
}


def write_opencode(folder: Path, *, journal: str = "DELETE") -> Path:
    """`opencode.db` with two sessions, and the folder of spilled outputs beside it; the database's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tool-output").mkdir(exist_ok=True)
    (folder / "tool-output" / "tool_big1").write_text("tick 0001\n" * 50 + SPILLED_WORD)
    database = folder / "opencode.db"
    connection = sqlite3.connect(database)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.executescript(SCHEMA)
    connection.execute("INSERT INTO project VALUES ('p1', ?, 'git', ?)", (HOME, START))
    title = "New session - 2026-05-28T20:26:40.000Z"
    add_session(connection, "ses_a", title=title)
    add_session(connection, "ses_b", title="Survey (@explore subagent)", parent="ses_a", archived=START + 1)
    for number, (message, data) in enumerate(MESSAGES.items()):
        add_message(connection, "ses_a", message, data, PARTS[message], START + number)
    add_message(connection, "ses_b", "msg_11", {"role": "user"}, [{"type": "text", "text": "list hinges"}], START + 99)
    connection.execute("INSERT INTO event VALUES ('e1', 'a copy of everything')")
    connection.commit()
    connection.close()
    return database


def add_session(
    connection: sqlite3.Connection,
    key: str,
    *,
    title: str = "T",
    parent: str | None = None,
    archived: int | None = None,
) -> None:
    """Inserts a session's row."""
    row = (key, "p1", parent, HOME, title, "1.18.33", None, START, START + 7, archived)
    connection.execute(f"INSERT INTO session VALUES ({', '.join('?' * len(row))})", row)


def add_message(
    connection: sqlite3.Connection,
    session: str,
    key: str,
    data: dict[str, Any],
    parts: Sequence[dict[str, Any]],
    when: int,
) -> None:
    """Inserts a message and its parts."""
    connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (key, session, when, when, json.dumps(data)))
    for index, part in enumerate(parts):
        row = (f"prt_{key}_{index:02}", key, session, when, when, json.dumps(part))
        connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)


def main(folder: Path) -> None:
    """All of it."""
    write_history(folder / "history" / "history.jsonl")
    write_claude(folder / "claude-code")
    write_opencode(folder / "opencode")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
