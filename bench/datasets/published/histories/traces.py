"""Sessions of recorded agents that repositories keep as test data: trajectories of SWE-agent, logs of pi."""

from __future__ import annotations

import datetime as dt
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import orjson

from bench.datasets.published import records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from bench.datasets.published.records import Row
    from bench.datasets.published.repositories import Tree


def read_trajectories(tree: Tree, folders: Iterable[str]) -> Iterator[Row]:
    """Yield the lines of the sessions of SWE-agent's .traj files: the task, then a message a step."""
    for folder in folders:
        for path in tree.paths(folder, ".traj"):
            content = tree.read(path)
            told = orjson.loads(content)
            key = f"swe-{records.blob_id(content)[:12]}"
            messages = list(_steps(key, told))
            if len(messages) > 1:
                stem = PurePosixPath(path).stem
                yield from records.session(key, messages, project="swe-agent", title=stem, source="swe-agent")


def _steps(key: str, told: Mapping[str, Any]) -> Iterator[Row]:
    task = next((one for one in told["history"] if one["role"] == "user" and not one.get("is_demo")), None)
    if task is not None:
        yield records.message(f"{key}:u0", key, "user", 0, [records.text(_said(task["content"]))])
    for number, step in enumerate(told.get("trajectory", ())):
        parts: list[Row] = []
        if step.get("thought"):
            parts.append({"type": "reasoning", "text": step["thought"]})
        if step.get("action"):
            called = {"command": step["action"]}
            parts.append({"type": "tool", "tool": "bash", "input": called, "output": step.get("observation") or None})
        if parts:
            yield records.message(f"{key}:s{number}", key, "assistant", 0, parts)


def read_pi(tree: Tree, paths: Iterable[str]) -> Iterator[Row]:
    """Yield the lines of the sessions of pi's logs; the result of a tool stands with its call."""
    for path in paths:
        entries = [orjson.loads(line) for line in tree.read(path).splitlines() if line.strip()]
        head = next(one for one in entries if one["type"] == "session")
        results = {
            one["message"]["toolCallId"]: one["message"]
            for one in entries
            if one["type"] == "message" and one["message"]["role"] == "toolResult"
        }
        messages = [row for at, one in enumerate(entries) for row in _entry(f"e{at}", head["id"], one, results)]
        yield from records.session(head["id"], messages, project="pi-mono", source="pi-fixtures")


def _entry(key: str, session: str, entry: Mapping[str, Any], results: Mapping[str, Any]) -> Iterator[Row]:
    time = _millis(entry["timestamp"])
    if entry["type"] == "compaction":
        summary = {"type": "compaction", "text": entry["summary"]}
        yield records.message(key, session, "system", time, [summary])
    if entry["type"] != "message":
        return
    said = entry["message"]
    if said["role"] == "bashExecution":
        call = {"type": "tool", "tool": "bash", "input": {"command": said["command"]}, "output": said["output"] or None}
        yield records.message(key, session, "user", time, [call])
    elif said["role"] in ("user", "assistant"):
        content = said["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        parts = [part for block in blocks for part in _block(block, results)]
        if parts:
            yield records.message(key, session, said["role"], time, parts)


def _block(block: Mapping[str, Any], results: Mapping[str, Any]) -> Iterator[Row]:
    if block["type"] == "text" and block["text"]:
        yield records.text(block["text"])
    elif block["type"] == "thinking" and block["thinking"]:
        yield {"type": "reasoning", "text": block["thinking"]}
    elif block["type"] == "toolCall":
        result = results.get(block["id"], {})
        told = _said(result.get("content", "")) or None
        kept = {"output": None, "error": told} if result.get("isError") else {"output": told}
        yield {"type": "tool", "tool": block["name"], "input": block["arguments"], **kept}


def _said(content: Any) -> str:
    """Return the text of a content that is a string or a list of blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block.get("type") == "text")


def _millis(text: str) -> int:
    return int(dt.datetime.fromisoformat(text).timestamp() * 1000)
