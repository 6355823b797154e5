"""Writes a small fictional `.gemini` folder: `python tests/make_gemini.py FOLDER`. A kiosk on a quay and its fridge."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from tests.make_fixtures import IMAGE, lines

MAIN = "aaaa1111-0000-4000-8000-000000000001"
OLDER = "aaaa1111-0000-4000-8000-000000000002"
SUB = "aaaa1111-0000-4000-8000-000000000003"
HOME = "/home/mara/kiosk"
OTHER = "/home/mara/quay"
SPILLED = "".join(f"minute {n:04} 4 degrees\n" for n in range(300)) + "last word: eider"
SAVED = "/elsewhere/.gemini/tmp/kiosk/tool-outputs/session-x/run_shell_command_big.txt"


class Chat:
    """Builds the records of one log."""

    def __init__(self, key: str, **meta: Any) -> None:
        self.records: list[dict[str, Any]] = []
        first = {"sessionId": key, "projectHash": "f00d", "startTime": when(0), "lastUpdated": when(0), "kind": "main"}
        self.records.append({**first, **meta})

    def message(self, key: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
        record = {"id": key, "timestamp": when(len(self.records)), "type": kind, "content": content, **more}
        self.records.append(record)
        self.records.append({"$set": {"lastUpdated": record["timestamp"]}})
        return record

    def user(self, key: str, *texts: str, **more: Any) -> dict[str, Any]:
        return self.message(key, "user", [{"text": text} for text in texts], **more)


def when(second: int) -> str:
    return f"2026-05-28T20:{26 + second // 60:02}:{second % 60:02}.000Z"


def call(key: str, name: str, output: Any, **args: Any) -> dict[str, Any]:
    """A finished call."""
    response = output if isinstance(output, dict) else {"output": output}
    return {
        "id": key, "name": name, "args": args, "status": "error" if "error" in response else "success",
        "result": [{"functionResponse": {"id": key, "name": name, "response": response}}], "description": "does it",
    }  # fmt: skip


def main_chat() -> Chat:
    """A session with everything that needs care: see the comments."""
    c = Chat(MAIN)
    first = {"id": "g0", "timestamp": when(0), "type": "user", "content": [{"text": "<session_context>\nlinux"}]}
    c.records.append({"$set": {"messages": [first], "lastUpdated": when(0)}})
    picture = {"inlineData": {"mimeType": "image/png", "data": IMAGE}}
    c.message("g1", "user", [{"text": "Why does the kiosk fridge hum?"}, picture])
    thoughts = [{"subject": "Thinking", "description": "A loose fan, jade auk."}, {"subject": "Fan", "description": ""}]
    c.message("g2", "gemini", "I will look.", thoughts=thoughts, model="gull-3")
    calls = [
        call("c1", "run_shell_command", "hum at 50 Hz, scoter", command="listen --fridge"),
        call("c2", "read_file", {"error": "File not found: fan.txt"}, absolute_path=f"{HOME}/fan.txt"),
        call("c3", "run_shell_command", f"Output too large. For full output see: {SAVED}\nminute 0000", command="log"),
    ]
    calls[0]["description"] = "listen --fridge"  # says the input again
    c.message("g2", "gemini", "I will look.", thoughts=thoughts, model="gull-3", toolCalls=calls)  # again, with calls
    c.message("g3", "user", [each["result"][0] for each in calls])  # the same answers once more
    c.user(
        "g4", "Use @notes.md", "--- Content from referenced files ---\nnotes: oil it", displayContent="Use @notes.md"
    )
    c.message(
        "g5", "gemini", [{"text": "hm", "thought": True}, {"text": "Oiling it."}, {"functionCall": {"name": "x"}}]
    )
    c.user("g6", "Paint it green")
    c.message("g7", "gemini", "Green it is.")
    c.records.append({"$rewindTo": "g6"})  # the green was a mistake
    c.user("g8", "Leave the colour")
    masked = [{**each, "result": "<tool_output_masked>\n[gone]\n</tool_output_masked>"} for each in calls[:1]]
    snapshot = {
        "id": "g9",
        "timestamp": when(40),
        "type": "user",
        "content": [{"text": "<state_snapshot>oiled</state_snapshot>"}],
    }
    kept = {
        "id": "g2",
        "timestamp": when(5),
        "type": "gemini",
        "content": "I will look.",
        "toolCalls": masked + calls[1:],
    }
    c.records.append({"$set": {"messages": [snapshot, kept], "summary": "Fridge hums"}})  # compression
    c.message("g10", "error", "quota of the quay exceeded")
    c.message("g11", "info", "Switched model")
    return c


def older_chat() -> dict[str, Any]:
    """As earlier versions wrote: one object."""
    messages = [
        {"id": "o1", "timestamp": when(0), "type": "user", "content": "Is the quay wet?"},
        {"id": "o2", "timestamp": when(1), "type": "gemini", "content": "Very, said the ruff.", "model": "gull-1",
         "toolCalls": [{"id": "t1", "name": "look", "args": {"file_path": "quay.txt"}, "status": "cancelled",
                        "resultDisplay": "stopped"}]},
    ]  # fmt: skip
    return {
        "sessionId": OLDER,
        "projectHash": "beef",
        "startTime": when(0),
        "lastUpdated": when(2),
        "messages": messages,
    }


def sub_chat() -> Chat:
    c = Chat(SUB, kind="subagent")
    c.user("s1", "Count the fans")
    c.message("s2", "gemini", "One fan; codename pearl jetty.")
    return c


def write_gemini(home: Path) -> Path:
    """`.gemini` with a session, its subagent and spilled output, and an older one in a project known by its hash."""
    project = home / ".gemini" / "tmp" / "kiosk"
    other = home / ".gemini" / "tmp" / hashlib.sha256(OTHER.encode()).hexdigest()
    outputs = project / "tool-outputs" / "session-x"
    for folder in (project / "chats" / MAIN, other / "chats", outputs):
        folder.mkdir(parents=True)
    (project / ".project_root").write_text(HOME)
    (home / ".gemini" / "projects.json").write_text(json.dumps({"projects": {HOME: "kiosk", OTHER: "quay"}}))
    (project / "logs.json").write_text("[]")
    (project / "chats" / "session-2026-05-28T20-26-aaaa1111.jsonl").write_bytes(lines(main_chat().records))
    (project / "chats" / MAIN / f"{SUB}.jsonl").write_bytes(lines(sub_chat().records))
    (other / "chats" / "session-2025-10-01T08-00-aaaa1111.json").write_text(json.dumps(older_chat(), indent=2))
    (outputs / "run_shell_command_big.txt").write_text(SPILLED)
    return home / ".gemini"


if __name__ == "__main__":
    print(write_gemini(Path(sys.argv[1])))
