"""Writes fictional stores of Cursor's editor and command line: `python tests/make_cursor.py FOLDER`."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

from tests.make_fixtures import HOME, IMAGE, START, lines

KV = "CREATE TABLE {} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
MAIN, OLD, SUB, EMPTY = (f"c000000{n}-0000-4000-8000-000000000000" for n in range(1, 5))
AGENT, BRANCH = "a0000001-0000-4000-8000-000000000000", "a0000002-0000-4000-8000-000000000000"


# --- the editor ------------------------------------------------------------------------------------


def tool(name: str, status: str = "completed", **more: Any) -> dict[str, Any]:
    """A call as the editor keeps it: JSON inside JSON."""
    packed = {key: value if isinstance(value, str) else json.dumps(value) for key, value in more.items()}
    return {"tool": 5, "name": name, "status": status, **packed}


def bubbles() -> dict[str, dict[str, Any]]:
    """The messages of the main conversation; b9 is no longer in its list."""
    return {
        "b1": {"type": 1, "text": "Trim the sails", "createdAt": "2026-05-28T20:26:41.000Z",
               "images": [{"data": IMAGE}]},
        "b2": {"type": 2, "thinking": {"text": "The wind turns, violet heron."}, "text": "I will look.",
               "timingInfo": {"clientStartTime": 12.5, "clientRpcSendTime": START + 2000.5}},
        "b3": {"type": 2, "text": "", "capabilityType": 15, "modelInfo": {"modelName": "quill-2"},
               "toolFormerData": tool("read_file_v2", rawArgs={"target_file": "sails/jib.md"},
                                      result={"contents": "jib: torn"})},
        "b4": {"type": 2, "text": "", "toolFormerData": tool("run_terminal_command_v2", "error",
               params={"command": "hoist"}, error={"modelVisibleErrorMessage": "RopeError: frayed"})},
        "b5": {"type": 2, "text": "Mended.", "codeBlocks": [{"content": "jib = new", "uri": {"path": "/sails/jib.py"}},
               {"content": "Mended."}], "conversationSummary": {"summary": "Sails: amber harbour",
               "truncationLastBubbleIdInclusive": "b3"}},
        "b6": {"type": 2, "text": "", "errorDetails": {"message": "503 the fog came in"}},
        "b9": {"type": 1, "text": "Cut the mast, amber falcon"},
    }  # fmt: skip


def composers() -> dict[str, dict[str, Any]]:
    """The conversations: the main one, one of the oldest form, a subagent's, an empty one."""
    headers = [{"bubbleId": key, "type": bubble["type"]} for key, bubble in bubbles().items() if key != "b9"]
    headers[2]["grouping"] = {"isRenderable": False}
    capability = {"type": 15, "data": {"bubbleDataMap": json.dumps({"o2": tool("list_dir", result="deck\nhold")})}}
    return {
        MAIN: {"_v": 10, "composerId": MAIN, "name": "Trim  sails", "createdAt": START, "lastUpdatedAt": START + 9000,
               "fullConversationHeadersOnly": [*headers, {"bubbleId": "gone", "type": 2}], "subComposerIds": [SUB],
               "modelConfig": {"modelName": "quill-1"}, "workspaceIdentifier": {"id": "w1", "uri": {"fsPath": HOME}}},
        OLD: {"composerId": OLD, "createdAt": START, "isArchived": True, "capabilities": [capability],
              "conversation": [{"bubbleId": "o1", "type": 1, "text": "Swab the deck, jade lantern"},
                               {"bubbleId": "o2", "type": 2, "text": ""}]},
        SUB: {"_v": 10, "composerId": SUB, "createdAt": START + 1, "fullConversationHeadersOnly": [],
              "conversationMap": {"s1": {"type": 1, "text": "Survey the hold", "workspaceUris": ["file:///srv/hold%20two"]}}},
        EMPTY: {"_v": 10, "composerId": EMPTY, "fullConversationHeadersOnly": [], "createdAt": START},
    }  # fmt: skip


def write_cursor(base: Path) -> Path:
    """A folder `Cursor` of the person's data: the global database, and a workspace's beside it."""
    folder = base / "Cursor" / "User"
    for name in ("globalStorage", "workspaceStorage/w2", "workspaceStorage/w3"):
        (folder / name).mkdir(parents=True)
    database = sqlite3.connect(folder / "globalStorage" / "state.vscdb")
    database.execute(KV.format("ItemTable"))
    database.execute(KV.format("cursorDiskKV"))
    for key, composer in composers().items():
        put(database, f"composerData:{key}", composer)
    for key, bubble in bubbles().items():
        put(database, f"bubbleId:{MAIN}:{key}", bubble)
    put(database, "checkpointId:x", {"files": "never to be found: walrus"})
    database.execute("INSERT INTO cursorDiskKV VALUES ('composerData:cleared', NULL)")
    database.commit()
    database.close()
    write_workspace(
        folder / "workspaceStorage" / "w2", "file:///home/mara/deck", {"allComposers": [{"composerId": OLD}]}
    )
    (folder / "workspaceStorage" / "w3" / "workspace.json").write_text("{torn")
    (folder / "workspaceStorage" / "w3" / "state.vscdb").write_text("no database")
    return base / "Cursor"


def write_workspace(folder: Path, address: str, composer_data: Any) -> None:
    (folder / "workspace.json").write_text(json.dumps({"folder": address}))
    database = sqlite3.connect(folder / "state.vscdb")
    database.execute(KV.format("ItemTable"))
    database.execute(KV.format("cursorDiskKV"))
    database.execute("INSERT INTO ItemTable VALUES ('composer.composerData', ?)", (json.dumps(composer_data),))
    database.commit()
    database.close()


def put(database: sqlite3.Connection, key: str, value: Any) -> None:
    raw = value if isinstance(value, str | bytes) else json.dumps(value)
    database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, raw))


# --- the command line ------------------------------------------------------------------------------


def said() -> list[dict[str, Any]]:
    """The messages of a session, as they are stored and as the model sees them."""
    info = f"<user_info>\nOS Version: linux\nWorkspace Path: {HOME}\n</user_info>"
    return [
        {"role": "system", "content": "You are a shipwright."},
        {"role": "user", "content": [{"type": "text", "text": info}]},
        {"role": "user", "content": [{"type": "text", "text": "<user_query>\nCaulk the hull\n</user_query>"}]},
        {"role": "assistant", "id": "1", "content": [
            {"type": "reasoning", "text": "Oakum first, violet heron.", "signature": "x"},
            {"type": "text", "text": "I will look."},
            {"type": "tool-call", "toolCallId": "t1", "toolName": "Read", "args": {"path": "hull/seams.md"}},
            {"type": "tool-call", "toolCallId": "t2", "toolName": "Shell", "args": {"command": "caulk"}}]},
        answered("t1", "Read", "seam 3 leaks"),
        answered("t2", "Shell", [{"type": "text", "text": "TarError: cold"}], isError=True),
        answered("t9", "Shell", "an answer to nothing"),
        {"role": "assistant", "id": "1", "content": [
            {"type": "text", "text": "Caulked."}, {"type": "image", "image": IMAGE}]},
    ]  # fmt: skip


def answered(call: str, name: str, result: Any, **more: Any) -> dict[str, Any]:
    block = {"type": "tool-result", "toolCallId": call, "toolName": name, "result": result, **more}
    return {"role": "tool", "content": [block]}


def field(number: int, payload: bytes) -> bytes:
    """A length-delimited field of a protobuf message."""
    length, tail = len(payload), b""
    while length > 0x7F:
        tail += bytes([length & 0x7F | 0x80])
        length >>= 7
    return bytes([number << 3 | 2]) + tail + bytes([length]) + payload


def write_store(folder: Path, meta: dict[str, Any], *, rooted: bool = True) -> Path:
    """A session's database: its messages as blobs, a list of them, and one that the list no longer has."""
    folder.mkdir(parents=True)
    database = sqlite3.connect(folder / "store.db")
    database.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
    database.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
    packed = [json.dumps(message).encode() for message in said()]
    left = json.dumps({"role": "user", "content": "Burn the ship, amber falcon"}).encode()
    inner = b"".join(field(1, hashlib.sha256(data).digest()) for data in packed[3:-1])
    # Two names, a list inside the list, a number, a message in place of its name, and two fixed fields.
    root = (
        b"".join(field(1, hashlib.sha256(data).digest()) for data in packed[:3]) + field(8, inner) + bytes([24, 200, 1])
    )
    root += field(4, packed[-1]) + bytes([5 << 3 | 5, 0, 0, 0, 0, 6 << 3 | 1, *[0] * 8])
    for data in (left, *packed[:-1], b'{"scripts": {}}', b"plain text of a file", root):
        add_blob(database, data)
    latest = hashlib.sha256(root).hexdigest() if rooted else "00"
    value = json.dumps({**meta, "latestRootBlobId": latest}).encode().hex()
    database.execute("INSERT INTO meta VALUES ('0', ?)", (value,))
    database.commit()
    database.close()
    return folder / "store.db"


def add_blob(database: sqlite3.Connection, data: bytes) -> None:
    database.execute("INSERT INTO blobs VALUES (?, ?)", (hashlib.sha256(data).hexdigest(), data))


def transcript() -> list[dict[str, Any]]:
    """The lines of a transcript: the same session without tools' answers, ids and times."""
    return [
        {"role": "user", "message": {"content": [
            {"type": "text", "text": "<user_query>\nCaulk the hull\n</user_query>"}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "I will look."},
            {"type": "tool_use", "name": "Shell", "input": {"command": "caulk"}}]}},
        {"type": "turn_ended", "status": "completed"},
    ]  # fmt: skip


def write_cursor_cli(home: Path) -> Path:
    """`.cursor` with two sessions' databases, and transcripts of one of them and of a subagent."""
    folder = home / ".cursor"
    meta = {"agentId": AGENT, "name": "Caulk  hull", "createdAt": START, "lastUsedModel": "quill-1"}
    write_store(folder / "chats" / "0123" / AGENT, meta)
    transcripts = folder / "projects" / "home-mara-lamp" / "agent-transcripts"
    (transcripts / AGENT / "subagents").mkdir(parents=True)
    (transcripts / AGENT / f"{AGENT}.jsonl").write_bytes(lines(transcript()))
    (transcripts / AGENT / "subagents" / f"{BRANCH}.jsonl").write_bytes(lines(transcript()))
    (folder / "extensions").mkdir()
    (folder / "extensions" / "other.jsonl").write_bytes(lines(transcript()))
    return folder


if __name__ == "__main__":
    write_cursor(Path(sys.argv[1]) / ".config")
    write_cursor_cli(Path(sys.argv[1]))
