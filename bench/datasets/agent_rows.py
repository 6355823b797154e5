"""Renders generated sessions as rows of the agents' databases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bench.datasets.agent_lines import openai, opencode_part
from bench.datasets.agent_stores import HOME, KEY, START, Record, StoreFormat, result
from recall_rank.model import Session

Rows = Iterator[tuple[str, tuple[Any, ...]]]

OPENCODE = """
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text, title text, version text,
  time_created integer, time_updated integer, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer,
  data text);
CREATE INDEX message_session_idx ON message (session_id, time_created, id);
CREATE INDEX part_session_idx ON part (session_id);
"""


def opencode(session: Session) -> Rows:
    yield "session", (KEY, "p", None, HOME, session.title, "1.18.33", START, START, None)
    for message in session.messages:
        key = f"{KEY}{message.id}"
        data = json.dumps(
            {"role": message.role, "agent": "build", "modelID": "quill-1", "time": {"created": message.time}}
        )
        yield "message", (key, KEY, message.time, message.time, data)
        for at, part in enumerate(message.parts):
            row = (f"{key}{at:02}", key, KEY, message.time, message.time)
            yield "part", (*row, json.dumps(opencode_part(part), ensure_ascii=False))


HERMES = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, parent_session_id TEXT, started_at REAL, cwd TEXT,
  title TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT,
  tool_calls TEXT, timestamp REAL, reasoning TEXT);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
"""


def hermes(session: Session) -> Rows:
    yield "sessions", (KEY, "cli", "quill-1", None, START / 1000, HOME, session.title)
    for message in session.messages:
        for at, part in enumerate(message.parts):
            reasoning = part.text if part.type == "reasoning" else None
            text = part.text if part.type == "text" else ""
            call = f"{message.id}{at}"
            calls = None
            if part.type == "tool":
                function = {"name": part.tool, "arguments": json.dumps(part.input)}
                calls = json.dumps([{"id": call, "type": "function", "function": function}])
            yield "messages", (None, KEY, message.role, text, None, calls, message.time / 1000, reasoning)
            if part.type == "tool":
                answer = json.dumps({"output": result(part), "exit_code": 0, "error": None}, ensure_ascii=False)
                yield "messages", (None, KEY, "tool", answer, call, None, message.time / 1000, None)


MEMO = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT, model TEXT, parent_session_id TEXT, created_at TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_calls_json TEXT,
  tool_call_id TEXT, created_at TEXT);
CREATE INDEX messages_session ON messages(session_id);
"""


def memo(session: Session) -> Rows:
    when = "2026-05-28T20:26:40.000Z"
    yield "sessions", (KEY, session.title, "quill-1", None, when)
    for said in openai(session):
        calls = json.dumps(said["tool_calls"]) if said.get("tool_calls") else None
        yield "messages", (None, KEY, said["role"], said["content"], calls, said.get("tool_call_id"), when)


GOOSE = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT, created_at TEXT, updated_at TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT,
  created_timestamp INTEGER);
CREATE INDEX messages_session ON messages(session_id);
"""


def goose(session: Session) -> Rows:
    when = "2026-05-28 20:26:40"
    yield "sessions", (KEY, session.title, HOME, when, when)
    for message in session.messages:
        blocks: list[Record] = []
        answers: list[Record] = []
        for at, part in enumerate(message.parts):
            call = f"{message.id}{at}"
            if part.type == "tool":
                value = {"name": part.tool, "arguments": part.input}
                blocks.append({"type": "toolRequest", "id": call, "toolCall": {"status": "success", "value": value}})
                content = [{"type": "text", "text": result(part)}]
                given = {"status": "success", "value": {"content": content, "isError": bool(part.error)}}
                answers.append({"type": "toolResponse", "id": call, "toolResult": given})
            elif part.type == "reasoning":
                blocks.append({"type": "thinking", "thinking": part.text, "signature": ""})
            else:
                blocks.append({"type": "text", "text": part.text})
        for role, content in ((message.role, blocks), ("user", answers)):
            if content:
                raw = json.dumps(content, ensure_ascii=False)
                yield "messages", (None, KEY, role, raw, message.time // 1000)


CURSOR = """
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
"""


def cursor(session: Session) -> Rows:
    headers = []
    for message in session.messages:
        for at, part in enumerate(message.parts):
            name = f"{message.id}{at}"
            kind = 1 if message.role == "user" else 2
            bubble: dict[str, Any] = {"type": kind, "text": part.text or "", "_v": 3}
            if part.type == "reasoning":
                bubble = {"type": kind, "text": "", "thinking": {"text": part.text}}
            elif part.type == "tool":
                packed = {"rawArgs": json.dumps(part.input), "result": json.dumps({"contents": result(part)})}
                bubble["toolFormerData"] = {"name": part.tool, "status": "completed", **packed}
            headers.append({"bubbleId": name, "type": kind})
            yield "cursorDiskKV", (f"bubbleId:{KEY}:{name}", json.dumps(bubble, ensure_ascii=False))
    head = {"composerId": KEY, "name": session.title, "createdAt": START, "fullConversationHeadersOnly": headers}
    yield "cursorDiskKV", (f"composerData:{KEY}", json.dumps(head))


FORMATS = {
    "opencode": StoreFormat("database", "opencode.db", schema=OPENCODE, rows=opencode),
    "hermes": StoreFormat("database", "state.db", schema=HERMES, rows=hermes),
    "memo-agent": StoreFormat("database", "sessions.db", schema=MEMO, rows=memo),
    "goose": StoreFormat("database", "sessions.db", schema=GOOSE, rows=goose),
    "cursor": StoreFormat("database", "User/globalStorage/state.vscdb", schema=CURSOR, rows=cursor),
}
