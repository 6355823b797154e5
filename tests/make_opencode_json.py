"""Writes OpenCode's fictional session as older versions kept it: `python tests/make_opencode_json.py FOLDER`.

The messages and parts are those of the database fixture, so that all three forms can be compared.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.make_fixtures import HOME, MESSAGES, PARTS, SPILLED_WORD, START

PROJECT = "a1b2c3"
TITLE = "New session - 2026-05-28T20:26:40.000Z"


def session(key: str = "ses_a", **more: Any) -> dict[str, Any]:
    times = {"created": START, "updated": START + 7}
    info = {"id": key, "projectID": PROJECT, "directory": HOME, "title": TITLE, "version": "1.1.31", "time": times}
    return {**info, **more}


def message(key: str, number: int, owner: str = "ses_a") -> dict[str, Any]:
    return {"id": key, "sessionID": owner, "time": {"created": START + number}, **MESSAGES[key]}


def parts(key: str, owner: str = "ses_a") -> list[dict[str, Any]]:
    return [
        {"id": f"prt_{key}_{index:02}", "sessionID": owner, "messageID": key, **part}
        for index, part in enumerate(PARTS[key])
    ]


def exported() -> dict[str, Any]:
    """What `opencode export` prints."""
    messages = [{"info": message(key, number), "parts": parts(key)} for number, key in enumerate(MESSAGES)]
    return {"info": session(), "messages": messages, "todos": [{"content": "oil"}]}


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))


def write_tree(folder: Path) -> Path:
    """`storage` with a session and its subagent's, and the folder of spilled outputs beside it; its path."""
    storage = folder / "storage"
    write(storage / "project" / f"{PROJECT}.json", {"id": PROJECT, "worktree": HOME})
    write(storage / "session" / PROJECT / "ses_a.json", session())
    sub = session("ses_b", parentID="ses_a", title="Survey (@explore subagent)")
    sub["time"] = {**sub["time"], "archived": START + 1}
    write(storage / "session" / PROJECT / "ses_b.json", sub)
    for number, key in enumerate(MESSAGES):
        write(storage / "message" / "ses_a" / f"{key}.json", message(key, number))
        for part in parts(key):
            write(storage / "part" / key / f"{part['id']}.json", part)
    said = {"id": "msg_11", "sessionID": "ses_b", "role": "user", "time": {"created": START + 99}}
    write(storage / "message" / "ses_b" / "msg_11.json", said)
    write(storage / "part" / "msg_11" / "prt_1.json", {"id": "prt_1", "type": "text", "text": '"list hinges"\n'})
    write(storage / "session_diff" / "ses_a.json", [])
    (storage / "migration").write_text("2")
    (folder / "tool-output").mkdir()
    (folder / "tool-output" / "tool_big1").write_text("tick 0001\n" * 50 + SPILLED_WORD)
    return storage


def write_oldest_tree(folder: Path) -> Path:
    """The layout before that one, of a single project; its path."""
    storage = folder / "project" / "home-mara-lamp" / "storage"
    write(storage / "session" / "info" / "ses_o.json", {"id": "ses_o", "title": "Oldest", "time": {"created": START}})
    said = {"id": "msg_1", "role": "assistant", "time": {"created": START + 1}, "path": {"cwd": HOME, "root": "/"}}
    write(storage / "session" / "message" / "ses_o" / "msg_1.json", said)
    part = {"id": "prt_1", "type": "text", "text": "The oldest hinge, merlin."}
    write(storage / "session" / "part" / "ses_o" / "msg_1" / "prt_1.json", part)
    return storage


if __name__ == "__main__":
    print(write_tree(Path(sys.argv[1])))
