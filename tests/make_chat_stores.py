"""Writes fictional stores of PraisonAI, memo-agent and Goose: `python tests/make_chat_stores.py FOLDER`."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

from tests.make_fixtures import HOME, IMAGE, START, lines

SECOND = START // 1000
CREATED, UPDATED = "2026-05-28T20:26:40+00:00", "2026-05-28T21:00:00+00:00"


def called(key: str, name: str, **arguments: Any) -> dict[str, Any]:
    """A tool call in the form of OpenAI's API."""
    return {"id": key, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


# --- PraisonAI -------------------------------------------------------------------------------------


def praison(key: str, messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A session as PraisonAI writes it."""
    numbered = [{"timestamp": SECOND + 60.5 + at, "metadata": {}, **message} for at, message in enumerate(messages)]
    return {
        "session_id": key, "messages": numbered, "created_at": CREATED, "updated_at": UPDATED, "agent_name": None,
        "user_id": None, "metadata": {}, "gateway_session_id": None, "agent_id": None, "runtime_state": {},
        "archived_messages": [], **more,
    }  # fmt: skip


def praison_sessions() -> list[dict[str, Any]]:
    """A session with tools and a picture, a compacted one, and one that a schedule began."""
    picture = [
        {"type": "text", "text": "See this picture of the lens"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}},
    ]
    archived = [
        {"role": "user", "content": "Order new wicks, amber harbour", "timestamp": SECOND + 1.0, "metadata": {}}
    ]
    summary = {"role": "system", "content": "[Session Summary]\nwicks", "metadata": {"compaction": True}}
    return [
        praison("lens/1 ä", [
            {"role": "system", "content": "You keep a lighthouse."},
            {"role": "user", "content": "Polish the lens"},
            {"role": "assistant", "content": None, "tool_calls": [called("c1", "polish", path="lens/front.txt")]},
            {"role": "tool", "content": "shiny, violet heron", "tool_call_id": "c1"},
            {"role": "user", "content": picture},
            {"role": "assistant", "content": "It shines."},
            {"role": "tool", "content": "an answer to nothing", "tool_call_id": "c9"},
        ], agent_name="Keeper", model="quill-1"),
        praison("wicks", [summary, {"role": "assistant", "content": "Ordered."}], archived_messages=archived,
                metadata={"title": "Wicks  and oil", "parent_session_id": "lens/1 ä"},
                last_compaction={"summary": "Oil was ordered too.", "timestamp": SECOND + 9.0}),
        praison("nightly", [{"role": "user", "content": "Check the oil every night"}], metadata={"source": "cron"}),
    ]  # fmt: skip


def write_praison(home: Path) -> Path:
    """`.praisonai` in this home, with what else PraisonAI leaves beside its sessions."""
    folder = home / ".praisonai" / "sessions"
    folder.mkdir(parents=True)
    for session in praison_sessions():
        write_session(folder, session)
    (folder / "wicks.json.lock").touch()
    (folder / "wicks.json.corrupt-1780000000000").write_text("{")
    (folder / "settings.json").write_text('{"theme": "dark"}')
    return home / ".praisonai"


def write_session(folder: Path, session: dict[str, Any]) -> Path:
    name = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in session["session_id"])
    path = folder / f"{name}.json"
    path.write_text(json.dumps(session, indent=2, ensure_ascii=False))
    return path


# --- memo-agent ------------------------------------------------------------------------------------

MEMO = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT NOT NULL DEFAULT '', model TEXT NOT NULL DEFAULT '',
  parent_session_id TEXT REFERENCES sessions(id), input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0, estimated_cost_usd REAL NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
  role TEXT NOT NULL, content TEXT, tool_calls_json TEXT, tool_call_id TEXT, token_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL);
CREATE VIRTUAL TABLE messages_fts USING fts5(content, session_id UNINDEXED, content='messages', content_rowid='id');
"""
# What the program's author describes: ids are texts, and a summary has a column.
MEMO_DESCRIBED = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT, compressed_summary TEXT, created_at TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_calls TEXT, created_at TEXT);
"""
HEAD = [("user", "Paint the tower, pewter gate"), ("assistant", "Which colour?")]
MIDDLE = [
    ("user", "Red"),
    ("assistant", "Primed it."),
    ("user", "and the door?"),
    ("assistant", "The door is red too."),
]
TAIL = [("user", "now the railing"), ("assistant", "The railing is black.")]
SUMMARY = ("user", "[Previous conversation summary — 2026-05-28]\n\nThe tower is red: amber harbour.")


def memo_chain() -> dict[str, list[tuple[str, str]]]:
    """Three sessions of one chain: each begins with what the compression kept of the one before."""
    second = [*HEAD, SUMMARY, *TAIL, ("user", "and the roof?"), ("assistant", "Slate.")]
    return {"p1": [*HEAD, *MIDDLE, *TAIL], "p2": second, "p3": [*HEAD, SUMMARY, *second[-2:], ("user", "and the sky?")]}


def write_memo(path: Path) -> Path:
    """A database with a chain of compressed sessions, tool calls, and a damaged full-text table."""
    path.parent.mkdir(parents=True)
    database = sqlite3.connect(path)
    database.executescript(MEMO)
    parent = None
    for number, (key, said) in enumerate(memo_chain().items()):
        title = "Paint the tower" if parent is None else "[compressed] 2026-05-28"
        add_memo_session(database, key, title, parent=parent, hour=number)
        for message in said:
            add_memo_message(database, key, *message, hour=number)
        parent = key
    add_memo_session(database, "t1", "Read the log of the lamp and tell me what broke, then mend whatever is broken th")
    add_memo_message(
        database, "t1", "user", "Read the log of the lamp and tell me what broke, then mend whatever is broken there"
    )
    calls = json.dumps([called("c1", "ReadFile", path="lamp/log.txt"), called("c2", "Bash", command="mend")])
    add_memo_message(database, "t1", "assistant", None, calls=calls)
    add_memo_message(database, "t1", "tool", "fuse blown, violet heron", answers="c1")
    add_memo_message(database, "t1", "assistant", "A fuse.", calls="[torn")
    database.execute("INSERT INTO sessions VALUES ('empty', '', '', NULL, 0, 0, 0, ?, ?)", (CREATED, CREATED))
    # The program's own doings damage this table for good, in another way than this.
    database.execute("UPDATE messages_fts_data SET block = x'ff'")
    database.commit()
    database.close()
    return path


def add_memo_session(
    database: sqlite3.Connection, key: str, title: str, parent: str | None = None, hour: int = 0
) -> None:
    when = f"2026-05-28T2{hour}:00:00.000Z"
    database.execute(
        "INSERT INTO sessions VALUES (?, ?, 'quill-1', ?, 10, 5, 0.01, ?, ?)", (key, title, parent, when, when)
    )


def add_memo_message(
    database: sqlite3.Connection, session: str, role: str, content: str | bytes | None, calls: str | None = None,
    answers: str | None = None, hour: int = 0,
) -> None:  # fmt: skip
    row = (session, role, content, calls, answers, f"2026-05-28T2{hour}:00:01.000Z")
    database.execute("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, 0, ?)", row)


def write_memo_described(path: Path) -> Path:
    """A database of the described schema."""
    path.parent.mkdir(parents=True)
    database = sqlite3.connect(path)
    database.executescript(MEMO_DESCRIBED)
    database.execute("INSERT INTO sessions VALUES ('d1', NULL, 'Earlier: jade lantern', ?)", (CREATED,))
    rows = [
        ("a", "user", "Wind the clock", None),
        ("b", "assistant", None, json.dumps([called("c", "Bash", command="wind")])),
    ]
    database.executemany("INSERT INTO messages VALUES (?, 'd1', ?, ?, ?, NULL)", rows)
    database.commit()
    database.close()
    return path


# --- Goose -----------------------------------------------------------------------------------------

GOOSE = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
  user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  extension_data TEXT DEFAULT '{}', total_tokens INTEGER, provider_name TEXT, model_config_json TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL,
  role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
  timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER, metadata_json TEXT);
"""
SEEN, OLD, AGENT_ONLY = (
    {"userVisible": person, "agentVisible": agent} for person, agent in ((True, True), (True, False), (False, True))
)


def say(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def ask(key: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {
        "type": "toolRequest",
        "id": key,
        "toolCall": {"status": "success", "value": {"name": name, "arguments": arguments}},
    }


def answer(key: str, words: str, *, wrapped: bool = True, error: bool = False) -> dict[str, Any]:
    """An answer in the newer form, or in the older one without an object around its blocks."""
    blocks = [{"type": "text", "text": words}, {"type": "image", "data": IMAGE, "mimeType": "image/png"}]
    value = {"content": blocks, "isError": error} if wrapped else blocks
    return {"type": "toolResponse", "id": key, "toolResult": {"status": "success", "value": value}}


def goose_messages() -> list[tuple[str, list[dict[str, Any]], dict[str, Any]]]:
    """What was said before and after a compaction."""
    thought = {"type": "thinking", "thinking": "Goats like ivy.", "signature": ""}
    refused = {"type": "toolResponse", "id": "c3", "toolResult": {"status": "error", "error": "-32603: no rope"}}
    invalid = {"type": "toolRequest", "id": "c4", "toolCall": {"status": "error", "error": "no such tool"}}
    return [
        ("user", [say("Feed the goat"), {"type": "image", "data": IMAGE, "mimeType": "image/png"}], OLD),
        ("assistant", [thought, say("I will look."), ask("c1", "developer__shell", command="ls barn"),
                       ask("c2", "developer__text_editor", path="barn/goat.md"), ask("c3", "tie"), invalid], OLD),
        ("user", [answer("c1", "ivy, violet heron"), answer("c2", "HayError: none", error=True), refused], OLD),
        ("user", [say("Summary: the goat wants ivy, amber harbour")], AGENT_ONLY),
        ("assistant", [say("I go on from the summary.")], AGENT_ONLY),
        ("assistant", [{"type": "systemNotification", "notificationType": "inlineMessage", "msg": "Compacted"}], SEEN),
        ("assistant", [say("The goat is fed."), {"type": "redactedThinking", "data": "x"}], SEEN),
        ("user", [answer("c9", "an answer to nothing", wrapped=False)], SEEN),
    ]  # fmt: skip


def write_goose(folder: Path) -> Path:
    """A folder `sessions` with the database: a session, a subagent's, one without a name of its own."""
    folder.mkdir(parents=True)
    database = sqlite3.connect(folder / "sessions.db")
    database.executescript(GOOSE)
    database.execute("INSERT INTO schema_version VALUES (8, NULL)")
    for key, name, kind in (
        ("20260528_1", "Feeding  the goat", "user"),
        ("20260528_2", "New session 2", "user"),
        ("20260528_3", "", "sub_agent"),
    ):
        add_goose_session(database, key, name, kind)
    for role, content, metadata in goose_messages():
        add_goose_message(database, "20260528_1", role, content, metadata)
    add_goose_message(database, "20260528_2", "user", [say("Milk the goat, then make cheese")])
    add_goose_message(database, "20260528_3", "user", [say("Survey the barn")])
    database.commit()
    database.close()
    return folder


def add_goose_session(database: sqlite3.Connection, key: str, name: str, kind: str = "user") -> None:
    when = "2026-05-28 20:26:40"
    model = '{"model_name": "quill-1"}'
    database.execute(
        "INSERT INTO sessions (id, name, session_type, working_dir, created_at, updated_at, model_config_json) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (key, name, kind, HOME, when, when, model),
    )


def add_goose_message(
    database: sqlite3.Connection, session: str, role: str, content: Any, metadata: dict[str, Any] = SEEN
) -> None:
    raw = content if isinstance(content, str | bytes) else json.dumps(content)
    database.execute(
        "INSERT INTO messages (session_id, role, content_json, created_timestamp, metadata_json) "
        "VALUES (?, ?, ?, ?, ?)",
        (session, role, raw, SECOND + 60, json.dumps(metadata)),
    )


def goose_file(description: str = "Old goat") -> list[dict[str, Any]]:
    """The lines of an older session file."""
    head = {"working_dir": HOME, "description": description, "message_count": 2, "total_tokens": 9}
    said = [{"role": role, "created": SECOND + 5, "content": content} for role, content, _ in goose_messages()[:3]]
    return [head, *said]


def write_goose_files(folder: Path) -> Path:
    """Older session files: one that the database has taken over, one that it has not."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "20260528_1.jsonl").write_bytes(lines(goose_file()))
    (folder / "20250101_120000.jsonl").write_bytes(lines(goose_file("")))
    return folder


if __name__ == "__main__":
    root = Path(sys.argv[1])
    write_praison(root)
    write_memo(root / ".memo-agent" / "sessions.db")
    write_goose_files(write_goose(root / ".local" / "share" / "goose" / "sessions"))
