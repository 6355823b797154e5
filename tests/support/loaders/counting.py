"""Counts of real stores made without the loaders: by SQL, and by records of lines that are parsed here."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Counts(NamedTuple):
    """Numbers of sessions, messages and parts of a store."""

    sessions: int
    messages: int
    parts: int
    malformed: int = 0


def query(database: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(f"{database.as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def scalar(database: Path, sql: str) -> int:
    return int(query(database, sql)[0][0])


def records(path: Path) -> Iterator[dict[str, Any] | None]:
    """Yield the record of each line; None for a broken line."""
    for line in path.read_bytes().split(b"\n"):
        if line:
            try:
                yield json.loads(line)
            except ValueError:
                yield None


def opencode(store: Path) -> Counts:
    found = (scalar(store / "opencode.db", f"SELECT count(*) FROM {table}") for table in ("session", "message", "part"))
    return Counts(*found)


def opencode_tree(store: Path) -> Counts:
    return Counts(*(len(list((store / "storage" / name).rglob("*.json"))) for name in ("session", "message", "part")))


def claude(store: Path) -> Counts:
    sessions = messages = parts = bad = 0
    for path in store.rglob("*.jsonl"):
        answers = set()
        sessions += 1
        for record in records(path):
            if record is None:
                bad += 1
                continue
            kind, said = record["type"], record.get("message") or {}
            content = said.get("content")
            blocks = content if isinstance(content, list) else [content] if content else []
            own = [block for block in blocks if not isinstance(block, dict) or block["type"] != "tool_result"]
            if kind == "assistant":
                answers.add(said.get("id") or record["uuid"])
                parts += len(own)
            elif kind == "user" and own:
                messages, parts = messages + 1, parts + len(own)
            elif kind == "system" and record.get("subtype") in {"compact_boundary", "local_command", "api_error"}:
                messages, parts = messages + 1, parts + 1
        messages += len(answers)
    return Counts(sessions, messages, parts, bad)


def codex(store: Path) -> Counts:
    sessions = messages = parts = 0
    for path in store.rglob("rollout-*.jsonl"):
        sessions += 1
        answering = False
        for record in records(path):
            assert record is not None
            item = record["payload"]
            kind = item.get("type") if record["type"] == "response_item" else record["type"]
            by_model = kind in {"reasoning", "function_call"} or (kind == "message" and item["role"] == "assistant")
            if by_model:
                messages += not answering
            elif kind in {"message", "compacted"}:
                messages += 1
            if kind in {"message", "reasoning"}:
                parts += len(item.get("content") or item.get("summary") or ())
            elif kind in {"function_call", "compacted"}:
                parts += 1
            if by_model or kind in {"message", "compacted", "function_call_output"}:
                answering = by_model
    return Counts(sessions, messages, parts)


def copilot(store: Path) -> Counts:
    sessions = messages = parts = 0
    for path in store.rglob("events.jsonl"):
        sessions += 1
        for record in records(path):
            assert record is not None
            data = record["data"]
            if record["type"] in {"user.message", "assistant.message", "system.message"}:
                messages += 1
                parts += sum(bool(data.get(name)) for name in ("content", "reasoningText"))
                parts += len(data.get("toolRequests") or ()) + len(data.get("attachments") or ())
    return Counts(sessions, messages, parts)


def gemini(store: Path) -> Counts:
    sessions = messages = parts = 0
    for path in store.rglob("chats/session-*.jsonl"):
        said: dict[str, dict[str, Any]] = {}
        for record in records(path):
            assert record is not None
            listed = (record.get("$set") or record).get("messages") or ([record] if "content" in record else [])
            said.update((message["id"], message) for message in listed)
        sizes = []
        for message in said.values():
            pieces = message["content"] if isinstance(message["content"], list) else [{"text": message["content"]}]
            texts = sum(bool(piece.get("text")) for piece in pieces)
            sizes.append(texts + len(message.get("thoughts") or ()) + len(message.get("toolCalls") or ()))
        sessions, messages, parts = sessions + 1, messages + sum(map(bool, sizes)), parts + sum(sizes)
    return Counts(sessions, messages, parts)


def hermes(store: Path) -> Counts:
    database = store / "state.db"
    pieces = """SELECT count(*), sum(said + thought + called) FROM (SELECT coalesce(content, '') <> '' AS said,
        coalesce(reasoning, reasoning_content, '') <> '' AS thought,
        coalesce(json_array_length(tool_calls), 0) AS called
        FROM messages WHERE role <> 'tool') WHERE said + thought + called"""
    ((messages, parts),) = query(database, pieces)
    return Counts(scalar(database, "SELECT count(*) FROM sessions"), messages, parts)


def pi(store: Path) -> Counts:
    seen: set[tuple[str, str]] = set()
    sessions = messages = parts = bad = 0
    paths = sorted(store.rglob("*.jsonl"), key=lambda path: path.name)  # names begin with the time
    for path in paths:
        sessions += 1
        for record in records(path):
            if record is None:
                bad += 1
                continue
            message = record.get("message") or record
            content = message.get("content")
            size = len(content) if isinstance(content, list) else int(bool(content))
            if record["type"] in {"compaction", "branch_summary"} or message.get("role") == "bashExecution":
                size = 1
            elif record["type"] == "label":
                parts += 1
                continue
            elif record["type"] not in {"message", "custom_message"} or message.get("role") == "toolResult":
                continue
            entry = (record.get("id") or f"{path} {parts}", record["timestamp"])
            if size and entry not in seen:
                messages, parts = messages + 1, parts + size
            seen.add(entry)
    return Counts(sessions, messages, parts, bad)


def praisonai(store: Path) -> Counts:
    sessions = messages = parts = 0
    for path in store.rglob("*.json"):
        record = json.loads(path.read_bytes())
        said = [*record["archived_messages"], *record["messages"]]
        calls = {call["id"] for message in said for call in message.get("tool_calls") or ()}
        for message in said:
            content = message.get("content")
            size = len(content) if isinstance(content, list) else int(bool(content))
            size += len(message.get("tool_calls") or ())
            if size and message.get("tool_call_id") not in calls:
                messages, parts = messages + 1, parts + size
        sessions += 1
    return Counts(sessions, messages, parts)


def memo_agent(store: Path) -> Counts:
    """Count a store of memo-agent; rows that a compression stored again count once."""
    database = store / "profile" / "sessions.db"
    rows = query(database, "SELECT session_id, role, content, tool_calls_json FROM messages WHERE role <> 'tool'")
    above = dict(query(database, "SELECT id, parent_session_id FROM sessions"))
    said: dict[str, Counter[tuple[str, ...]]] = {session: Counter() for session in above}
    for session, *words in rows:
        said[session][tuple(words)] += 1
    repeated = sum((said[session] & said[parent]).total() for session, parent in above.items() if parent)
    messages = len(rows) - repeated
    called = scalar(database, "SELECT coalesce(sum(json_array_length(tool_calls_json)), 0) FROM messages")
    empty = scalar(database, "SELECT count(*) FROM messages WHERE role <> 'tool' AND coalesce(content, '') = ''")
    return Counts(len(above), messages, messages - empty + called)
