"""Writes a small fictional Codex home: `python tests/make_codex.py FOLDER`. A harbour with a broken foghorn."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

from tests.make_fixtures import IMAGE, lines

MAIN = "0199aaaa-0000-7000-8000-000000000001"
FORK = "0199aaaa-0000-7000-8000-000000000002"
SPAWNED = "0199aaaa-0000-7000-8000-000000000003"
OLD = "0199aaaa-0000-7000-8000-000000000004"
HOME = "/home/mara/foghorn"
DAY = "2026-05-28"
FULL = "".join(f"pulse {n:04} of the horn\n" for n in range(400)) + "last word: cormorant"
SUMMARY = "## Goal\nA quieter horn, said the grebe."
PREFIX = "Another model began this work. Its summary:\n"
PATCH = f"*** Begin Patch\n*** Update File: {HOME}/horn.c\n@@\n-loud\n+quiet\n*** Add File: notes.md\n+x\n*** End Patch"


class Rollout:
    """Builds the records of one rollout."""

    def __init__(self, key: str, **meta: Any) -> None:
        self.key = key
        self.records: list[dict[str, Any]] = []
        payload = {"id": key, "timestamp": f"{DAY}T20:26:40.000Z", "cwd": HOME, "cli_version": "0.169.0"}
        self.add("session_meta", {**payload, "source": "cli", "base_instructions": {"text": "boilerplate"}, **meta})

    def add(self, kind: str, payload: Any, **more: Any) -> dict[str, Any]:
        when = f"{DAY}T20:{27 + len(self.records) // 60:02}:{len(self.records) % 60:02}.000Z"
        self.records.append({"timestamp": when, "type": kind, "payload": payload, **more})
        return self.records[-1]

    def item(self, kind: str, key: str, **payload: Any) -> None:
        self.add("response_item", {"type": kind, "id": key, **payload})

    def user(self, key: str, *texts: str, **more: Any) -> None:
        self.item("message", key, role="user", content=[text(each) for each in texts], **more)

    def answer(self, key: str, words: str, **more: Any) -> None:
        payload = {"type": "message", "id": key, "role": "assistant", "content": [text(words, "output_text")]}
        self.add("response_item", payload, **more)

    def thought(self, key: str, words: str) -> None:
        self.item("reasoning", key, summary=[text(words, "summary_text")], content=[text(words, "reasoning_text")])

    def call(self, call_id: str, name: str, **arguments: Any) -> None:
        self.item("function_call", f"fc_{call_id}", name=name, call_id=call_id, arguments=json.dumps(arguments))

    def output(self, call_id: str, output: Any, kind: str = "function_call_output") -> None:
        self.item(kind, f"fco_{call_id}", call_id=call_id, output=output)

    def ran(self, call_id: str, output: str, status: str = "completed", **more: Any) -> None:
        item = {"type": "CommandExecution", "id": call_id, "aggregated_output": output, "status": status, **more}
        self.add("event_msg", {"type": "item_completed", "item": item})


def text(words: str, kind: str = "input_text") -> dict[str, Any]:
    return {"type": kind, "text": words}


def main_rollout() -> Rollout:
    """A session with everything that needs care: see the comments."""
    r = Rollout(MAIN)
    r.item("message", "m0", role="developer", content=[text("<permissions instructions>be nice</permissions>")])
    r.user("m1", "<environment_context>\n  <cwd>x</cwd>\n</environment_context>")
    r.add("turn_context", {"cwd": HOME, "model": "quill-2"})
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{IMAGE}"}
    r.item("message", "m2", role="user", content=[text("Why is the foghorn so loud? See horn.c"), picture])
    r.add("event_msg", {"type": "user_message", "message": "Why is the foghorn so loud? See horn.c"})  # said again
    r.thought("rs1", "Perhaps the valve, indigo tern.")
    r.answer("m3", "I will listen to it.")
    r.call("c1", "exec_command", cmd="cat horn.log")
    r.call("c2", "exec_command", cmd="cat horn.c")
    r.ran("c1", FULL)  # more than the answer below holds
    r.output("c1", f"Chunk ID: 1\nProcess exited with code 0\nOutput:\nWarning: truncated output (x)\n{FULL[:90]}")
    read = [{"type": "read", "path": "horn.c"}, {"type": "search", "path": "."}]
    r.ran("c2", "cat: horn.c: No such file", "failed", parsed_cmd=read)
    r.output("c2", "Wall time: 0.1 seconds\nProcess exited with code 1\nOutput:\ncat: horn.c: No such file")
    r.item("custom_tool_call", "ctc1", call_id="c3", name="apply_patch", input=PATCH)
    r.output("c3", '{"output":"Success, petrel","metadata":{"exit_code":0}}', "custom_tool_call_output")
    r.item("web_search_call", "ws1", action={"type": "search", "query": "diaphone valve"}, status="completed")
    r.item("reasoning", "rs2", summary=[], encrypted_content="gAAAA")  # nothing to read
    r.answer("m4", "The valve is stuck.")
    r.user("m5", "Keep this in mind: the grebe sleeps at noon")
    r.answer("m6", SUMMARY, metadata={"compaction_output": True})
    r.add("compacted", {"message": PREFIX + SUMMARY, "replacement_history": [{"id": "m5", "role": "user"}]})
    r.user("m7", "Paint it pink")
    r.answer("m8", "Painting it pink.")
    r.add("event_msg", {"type": "thread_rolled_back", "num_turns": 1})  # the pink was a mistake
    r.user("m9", "Leave the colour")
    r.answer("m10", "The colour stays.")
    r.item("ghost_snapshot", "gs1", ghost_commit={"id": "abc"})
    r.add("event_msg", {"type": "token_count", "info": {"total_token_usage": {"input_tokens": 9}}})
    return r


def fork_rollout() -> Rollout:
    """A fork of the main session: it begins with copies, also of the parent's own record."""
    r = Rollout(FORK, forked_from_id=MAIN)
    r.records += main_rollout().records[:9]
    r.user("f1", "Try a smaller valve in this fork")
    return r


def spawned_rollout() -> Rollout:
    """A subagent's session, which begins like its parent without being a copy."""
    spawn = {"parent_thread_id": MAIN, "depth": 1, "agent_role": "explorer"}
    r = Rollout(SPAWNED, source={"subagent": {"thread_spawn": spawn}}, agent_role="explorer")
    r.item("message", "s0", role="developer", content=[text("<permissions instructions>be nice</permissions>")])
    r.user("s1", "Count the valves")
    r.answer("s2", "Two valves; codename amber weir.")
    return r


def old_records() -> list[dict[str, Any]]:
    """As the first versions wrote: no envelope, no ids."""
    when = "2025-05-01T08:00:00.000Z"
    return [
        {"id": OLD, "timestamp": when, "instructions": "boilerplate", "git": {}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [text("Is the old lamp oiled?")]},
        {"type": "local_shell_call", "call_id": "o1", "status": "completed",
         "action": {"type": "exec", "command": ["ls", "lamp"]}},
        {"type": "function_call_output", "call_id": "o1", "output": {"content": "lamp: not found", "success": False}},
    ]  # fmt: skip


def write_codex(home: Path) -> Path:
    """`.codex` with a session, its fork, its subagent and an archived one; and the index of names."""
    folder = home / ".codex" / "sessions" / "2026" / "05" / "28"
    archive = home / ".codex" / "archived_sessions"
    folder.mkdir(parents=True)
    archive.mkdir()
    for rollout in (main_rollout(), fork_rollout(), spawned_rollout()):
        (folder / f"rollout-{DAY}T20-26-40-{rollout.key}.jsonl").write_bytes(lines(rollout.records))
    (archive / f"rollout-2025-05-01T08-00-00-{OLD}.jsonl").write_bytes(lines(old_records()))
    connection = sqlite3.connect(home / ".codex" / "state_5.sqlite")
    connection.execute("CREATE TABLE threads (id TEXT PRIMARY KEY, title TEXT, name TEXT, archived INTEGER)")
    connection.execute("INSERT INTO threads VALUES (?, 'Why is the foghorn so loud?', 'Quiet horn', 0)", (MAIN,))
    connection.execute("INSERT INTO threads VALUES (?, 'Is the old lamp oiled?', NULL, 1)", (OLD,))
    connection.commit()
    connection.close()
    names = [{"id": FORK, "thread_name": "Before"}, {"id": FORK, "thread_name": "Smaller valve"}]
    (home / ".codex" / "session_index.jsonl").write_bytes(lines(names))
    return home / ".codex"


if __name__ == "__main__":
    print(write_codex(Path(sys.argv[1])))
