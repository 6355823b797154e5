"""Writes a small fictional `.copilot` folder: `python tests/make_copilot.py FOLDER`. A tide gauge that drifts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.make_fixtures import lines

MAIN = "bbbb2222-0000-4000-8000-000000000001"
FORK = "bbbb2222-0000-4000-8000-000000000002"
FLAT = "bbbb2222-0000-4000-8000-000000000003"
HOME = "/home/mara/gauge"
MOVED = "Output too large to read at once (99 KB). Saved to: /elsewhere/big.txt\nPreview:\nreading 0001"
SPILLED = "".join(f"reading {n:04}\n" for n in range(400)) + "last word: smew"
WORKSPACE = f"""id: {MAIN}
cwd: {HOME}
git_root: {HOME}
name: 'Why does the tide gauge
  drift at night?'
user_named: false
updated_at: 2026-05-28T21:00:00.000Z
"""


class Log:
    """Builds the events of one session."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.events: list[dict[str, Any]] = []
        context = {"cwd": HOME, "gitRoot": HOME, "branch": "main"}
        start = {"sessionId": key, "startTime": "2026-05-28T20:26:40.000Z", "selectedModel": "quill-4"}
        self.add("session.start", {**start, "context": context})

    def add(self, kind: str, data: Any, **more: Any) -> str:
        count = len(self.events)
        key = f"{self.key[-4:]}-{count}"
        when = f"2026-05-28T20:{27 + count // 60:02}:{count % 60:02}.000Z"
        self.events.append({"type": kind, "data": data, "id": key, "timestamp": when, "parentId": None, **more})
        return key

    def user(self, key: str, content: str, **more: Any) -> None:
        changed = f"<current_datetime>now</current_datetime>\n\n{content}"
        self.add("user.message", {"messageId": key, "content": content, "transformedContent": changed, **more})

    def answer(self, key: str, content: str, *requests: dict[str, Any], **more: Any) -> None:
        self.add("assistant.message", {"messageId": key, "content": content, "toolRequests": list(requests), **more})

    def done(self, call: str, content: str | None, *, success: bool = True, **more: Any) -> None:
        result = {"content": content} if content is not None else {}
        self.add("tool.execution_complete", {"toolCallId": call, "success": success, "result": result, **more})


def request(call: str, name: str, summary: str = "", **arguments: Any) -> dict[str, Any]:
    return {"toolCallId": call, "name": name, "arguments": arguments, "intentionSummary": summary or None}


def main_log() -> Log:
    """A session with everything that needs care: see the comments."""
    g = Log(MAIN)
    attachments = [
        {"type": "file", "path": f"{HOME}/gauge.py"},
        {"type": "selection", "filePath": "x.py", "text": "drift()"},
    ]
    g.user("u1", "Why does the tide gauge drift at night?", attachments=attachments)
    g.add("system.message", {"role": "system", "content": "You are a careful assistant of the harbour"})
    g.add("assistant.turn_start", {"turnId": "0"})
    g.add("assistant.reasoning", {"content": "Cold shrinks the float, onyx dunlin."})
    requests = [
        request("c1", "bash", "Read it", command="cat gauge.log"),
        request("c2", "edit", path=f"{HOME}/gauge.py"),
    ]
    g.answer("a1", "I will read it.", *requests, reasoningText="Cold shrinks the float, onyx dunlin.", model="quill-5")
    g.add("tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "cat gauge.log"}})
    g.done("c1", MOVED)
    g.done("c2", None, success=False, error={"message": "no such buoy", "code": "ENOENT"})
    g.add("session.usage_record", {"usage": {"model": "quill-5", "inputTokens": 9}})
    g.answer("a2", "", request("c3", "task", prompt="count floats"))
    g.add("subagent.started", {"toolCallId": "c3", "agentName": "explore"})
    g.answer("a3", "Three floats; codename flint groyne.", parentToolCallId="c3")
    g.done("c3", "Three floats.")
    g.add("subagent.failed", {"toolCallId": "c9", "error": "the scout was lost"})
    g.add("session.compaction_complete", {"success": False, "error": "no room to compact"})
    g.add("session.compaction_complete", {"success": True, "summaryContent": "The float shrinks, said the knot."})
    g.user("u2", "Injected by a skill", source="skill-tides")
    g.user("u3", "Paint the float")
    left = g.events[-1]["id"]
    g.answer("a4", "Painted.")
    g.add("session.snapshot_rewind", {"upToEventId": left, "eventsRemoved": 2})  # the paint was a mistake
    g.answer("a5", "The float is warmed now.")
    g.add("session.shutdown", {"currentModel": "quill-5"})
    return g


def write_copilot(home: Path) -> Path:
    """`.copilot` with a session, its fork, a session of an early version and a spilled output."""
    state = home / ".copilot" / "session-state"
    (state / MAIN / "files").mkdir(parents=True)
    (state / FORK).mkdir()
    (state / MAIN / "events.jsonl").write_bytes(lines(main_log().events))
    (state / MAIN / "workspace.yaml").write_text(WORKSPACE)
    (state / MAIN / "files" / "big.txt").write_text(SPILLED)
    fork = Log(FORK)
    fork.events += main_log().events[1:5]
    fork.user("f1", "Try a heavier float in this fork")
    (state / FORK / "events.jsonl").write_bytes(lines(fork.events))
    (state / FORK / "workspace.yaml").write_text('name: "Heavier \\u201cfloat\\u201d"\n')
    flat = Log(FLAT)
    flat.user("e1", "An early version wrote this")
    (state / f"{FLAT}.jsonl").write_bytes(lines(flat.events))
    return home / ".copilot"


if __name__ == "__main__":
    print(write_copilot(Path(sys.argv[1])))
