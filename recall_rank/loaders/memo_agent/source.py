"""memo-agent: one SQLite database for each profile, ~/.memo-agent/sessions.db.

Its full-text tables, which the program itself may damage, are never queried. Two schemas are read: the one that the
program writes, and the one that its author documents (text ids, a column for the compressed summary).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import xxhash

from recall_rank.loaders.content.openai_messages import ROLES, ChatBuilder, parse_arguments
from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.usage import dollars, tokens_of
from recall_rank.loaders.malformed import add_malformed
from recall_rank.loaders.memo_agent.chains import resolve_chains
from recall_rank.loaders.payloads import strip_text
from recall_rank.loaders.sqlite.reader import RECORD, Row, RowReader, decode_text
from recall_rank.loaders.sqlite.session_database import (
    Columns,
    SessionDatabase,
    missing_column,
    read_columns,
    read_columns_at,
    select_list,
    unknown_schema_error,
)
from recall_rank.model import Flag, Malformed, Message, Part, Reading, ResolvedSessions, Session, Source, Unit

NAME = "memo-agent"
FILE = "sessions.db"
SUFFIXES = {".db", ".sqlite", ".sqlite3"}
CUT = 80  # characters of a prompt that the program takes for a title
SUMMARY = "[Previous conversation summary"

_NEEDED = {"sessions": {"id", "title", "created_at"}, "messages": {"session_id", "role", "content"}}
_SESSION = (
    *("id", "title", "model", "parent_session_id", "created_at", "updated_at", "compressed_summary"),
    *("input_tokens", "output_tokens", "estimated_cost_usd"),
)
_MESSAGE = ("id", "role", "content", "tool_calls_json", "tool_calls", "tool_call_id", "created_at")


class MemoAgent(SessionDatabase):
    """A source for one database of memo-agent. Each session is one unit, read on its own."""

    resolves = True

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or NAME)

    def keys(self, reader: RowReader) -> list[str]:
        _known(reader)
        rows = reader.fetch("SELECT rowid, id FROM sessions WHERE rowid > ? ORDER BY rowid")
        return [decode_text(row[1]) or "" for row in rows]

    def signatures(self, reader: RowReader) -> dict[str, bytes]:
        """Return a mapping from session id to a digest of the session's row, and of the number and last row id of its
        messages; memo-agent never rewrites a message.
        """
        known = _known(reader)
        columns = select_list(_SESSION, known["sessions"])
        sessions = reader.fetch(f"SELECT rowid, {columns} FROM sessions WHERE rowid > ? ORDER BY rowid")  # noqa: S608
        found = {}
        for row in sessions:
            key = decode_text(row[1]) or ""
            counts = reader.fetch_few("SELECT max(rowid), count(*) FROM messages WHERE session_id = ?", key)
            found[key] = xxhash.xxh3_128_digest(repr((row[1:], counts)).encode())
        return found

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        (head, rows), malformed = self.fetched(lambda reader: _rows(reader, unit.key))
        if head is None:
            return Reading([])
        add_malformed(malformed, *self.odd_times("sessions", unit.key, head["created_at"], head["updated_at"]))
        session = self._session(unit.key, head, rows, malformed)
        return Reading([session] if session.messages else [], malformed)

    def _session(
        self, key: str, head: dict[str, Any], rows: Sequence[dict[str, Any]], malformed: list[Malformed]
    ) -> Session:
        model = decode_text(head["model"]) or None
        chat = ChatBuilder()
        for row in rows:
            self._add(chat, key, row, model, malformed)
        messages = chat.messages()
        summary = decode_text(head["compressed_summary"])
        if summary:
            part = Part(f"{key}:summary:0", "compaction", strip_text(summary))
            messages = (Message(f"{key}:summary", "assistant", 0, (part,), model=model, flags=Flag.SUMMARY), *messages)
        title = decode_text(head["title"]) or ""
        if len(title) >= CUT and (chat.words or "").startswith(title):
            title = ""  # so much of the first prompt, cut somewhere in a word
        times = [message.time for message in messages if message.time]
        created = millis(head["created_at"]) or min(times, default=0)
        return Session(
            key,
            messages,
            " ".join(title.split()) or chat.title(),
            created=created,
            updated=max([created, millis(head["updated_at"]), *times]),
            parent=decode_text(head["parent_session_id"]),
            source=self.name,
            agent=NAME,
            tokens=tokens_of(head["input_tokens"], head["output_tokens"]),
            cost=dollars(head["estimated_cost_usd"]),
        )

    def _add(
        self, chat: ChatBuilder, session: str, row: dict[str, Any], model: str | None, malformed: list[Malformed]
    ) -> None:  # fmt: skip
        number = decode_text(row["id"])
        content = decode_text(row["content"])
        calls = parse_arguments(decode_text(row["tool_calls_json"]) or decode_text(row["tool_calls"]))
        if calls is not None and type(calls) is not list:
            add_malformed(malformed, self.malformed("messages", number, "its tool calls are no JSON list"))
        add_malformed(malformed, *self.odd_times("messages", number, row["created_at"]))
        role = ROLES.get(decode_text(row["role"]), "system")
        flags = Flag.NONE
        if role == "user" and content and content.startswith(SUMMARY):
            flags = Flag.SUMMARY
        elif role == "system":
            flags = Flag.SYNTHETIC
        by = model if role == "assistant" else None
        message = Message(f"{session}:{number}", role, millis(row["created_at"]), model=by, flags=flags)
        text = strip_text(content) if content else None
        chat.add(message, text, calls, decode_text(row["tool_call_id"]))

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Remove from each session the messages that a compression copied into it."""
        return resolve_chains(sessions)


def _known(reader: RowReader) -> Columns:
    columns = read_columns(reader)
    lack = missing_column(columns, _NEEDED)
    if lack:
        raise unknown_schema_error(NAME, lack)
    return columns


def _rows(reader: RowReader, key: str) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """Return the row of a session, None when there is no such session, and the rows of its messages in stored order;
    each row is a mapping from column to value.
    """
    known = _known(reader)
    heads = reader.fetch_few(f"SELECT {select_list(_SESSION, known['sessions'])} FROM sessions WHERE id = ?", key)  # noqa: S608
    if not heads:
        return None, []
    columns = select_list(_MESSAGE, known["messages"])
    where = "WHERE session_id = ? AND rowid > ? ORDER BY rowid"
    rows: list[Row] = reader.fetch(f"SELECT rowid, {columns} FROM messages {where}", key, record=RECORD)  # noqa: S608
    head = dict(zip(_SESSION, heads[0], strict=True))
    return head, [dict(zip(_MESSAGE, (row[1] or row[0], *row[2:]), strict=True)) for row in rows]


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a database with memo-agent's file name and tables; None for any other path."""
    return named(path) if path.name == FILE else None


def named(path: Path) -> Source | None:
    """Return a source for a database of memo-agent under any name, recognised by its tables; None for any other
    file.
    """
    if path.suffix not in SUFFIXES or not path.is_file():
        return None
    columns = read_columns_at(path)
    if columns is None:  # reading says why
        ours = path.name == FILE and any(part == ".memo-agent" for part in path.parts)
        return MemoAgent(path) if ours else None
    if missing_column(columns, _NEEDED):
        return None
    telling = {"tool_calls_json"} & columns["messages"] or {"compressed_summary", "estimated_cost_usd"} & columns[
        "sessions"
    ]
    return MemoAgent(path) if telling else None


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:  # noqa: ARG001
    """Sources for the databases of all profiles."""
    folder = home / ".memo-agent"
    seen = set()
    for path in [folder / FILE, *sorted(folder.glob(f"profiles/*/{FILE}"))]:
        real = os.path.realpath(path)
        if real not in seen and path.is_file():
            seen.add(real)
            yield MemoAgent(path)
