"""Read Goose's database. Not checked against a database that a real Goose wrote."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import xxhash

from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.usage import dollars, tokens_of
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.goose.content import ROLES, GooseConversation
from recall_rank.loaders.json.parse import parse_values
from recall_rank.loaders.malformed import add_malformed
from recall_rank.loaders.sqlite.reader import RECORD, RowReader, decode_text
from recall_rank.loaders.sqlite.session_database import (
    Columns,
    SessionDatabase,
    missing_column,
    read_columns,
    select_list,
    unknown_schema_error,
)
from recall_rank.model import Flag, Message, Reading, Session, Unit

AGENT = "goose"
VERSION = 8  # of the schema, the newest that is known here

NEEDED = {"sessions": {"id", "working_dir"}, "messages": {"session_id", "role", "content_json"}}
SESSION = (
    *("id", "name", "description", "user_set_name", "session_type", "working_dir", "created_at", "updated_at"),
    *("parent_session_id", "archived_at", "model_config_json", "accumulated_input_tokens"),
    *("accumulated_output_tokens", "accumulated_cost"),
)
_MESSAGE = ("id", "message_id", "role", "content_json", "created_timestamp", "metadata_json")
_UNNAMED = re.compile(r"(?:New (?:session|chat)|CLI session)(?: \d+)?", re.IGNORECASE)
_FLAGS = {"sub_agent": Flag.SUBAGENT, "hidden": Flag.SUBAGENT}


class GooseDatabase(SessionDatabase):
    """A source for one database of Goose. Each session is one unit, read on its own."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or AGENT)

    def keys(self, reader: RowReader) -> list[str]:
        _known(reader)
        rows = reader.fetch("SELECT rowid, id FROM sessions WHERE rowid > ? ORDER BY rowid")
        return [decode_text(row[1]) or "" for row in rows]

    def signatures(self, reader: RowReader) -> dict[str, bytes]:
        """Return a mapping from session id to a digest of the session's row and of the number, the last row id and the
        metadata of its messages.

        Goose gives new row ids to a conversation that it rewrites, and changes the visibility of messages, which is in
        their metadata, in place.
        """
        known = _known(reader)
        seen = "sum(length(metadata_json))" if "metadata_json" in known["messages"] else "NULL"
        columns = select_list(SESSION, known["sessions"])
        sessions = reader.fetch(f"SELECT rowid, {columns} FROM sessions WHERE rowid > ? ORDER BY rowid")  # noqa: S608
        found = {}
        for row in sessions:
            key = decode_text(row[1]) or ""
            sql = f"SELECT max(rowid), count(*), {seen} FROM messages WHERE session_id = ?"  # noqa: S608
            found[key] = xxhash.xxh3_128_digest(repr((row[1:], reader.fetch_few(sql, key))).encode())
        return found

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        (head, rows, version), malformed = self.fetched(lambda reader: _rows(reader, unit.key))
        if head is None:
            return Reading([])
        add_malformed(malformed, *self.odd_times("sessions", unit.key, head["created_at"], head["updated_at"]))
        talk = GooseConversation()
        model = text_of(_object(head["model_config_json"]).get("model_name"))
        for row in rows:
            add_malformed(malformed, *self.odd_times("messages", decode_text(row["id"]), row["created_timestamp"]))
            problem = self._add(talk, unit.key, row, model)
            if problem:
                add_malformed(malformed, self.malformed("messages", decode_text(row["id"]), problem))
        session = session_from(unit.key, head, talk, self.name)
        newer = f"version {version} of the schema was read as far as version {VERSION} goes"
        return Reading([session] if session.messages else [], malformed, [newer] if version > VERSION else [])

    def _add(self, talk: GooseConversation, session: str, row: dict[str, Any], model: str | None) -> str | None:
        raw = row["content_json"]
        values, problem = parse_values(raw if type(raw) is bytes else b"")
        if problem or len(values) != 1:
            return problem or "no content"
        role = ROLES.get(decode_text(row["role"]), "system")
        key = decode_text(row["message_id"]) or f"{session}:{decode_text(row['id'])}"
        by = model if role == "assistant" else None
        return talk.add(
            Message(key, role, millis(row["created_timestamp"]), model=by), values[0], _object(row["metadata_json"])
        )


def session_from(key: str, head: dict[str, Any], talk: GooseConversation, source: str) -> Session:
    name = decode_text(head["name"]) or decode_text(head["description"]) or ""
    if _UNNAMED.fullmatch(name.strip()) and not head["user_set_name"]:
        name = ""
    directory = decode_text(head["working_dir"]) or None
    messages = talk.messages()
    times = [message.time for message in messages if message.time]
    flags = _FLAGS.get(decode_text(head["session_type"]) or "", Flag.NONE)
    if head["archived_at"]:
        flags |= Flag.ARCHIVED
    return Session(
        key,
        messages,
        " ".join(name.split()) or talk.title(),
        directory,
        directory,
        created=millis(head["created_at"]) or min(times, default=0),
        updated=max([millis(head["updated_at"]), *times]),
        parent=decode_text(head["parent_session_id"]),
        source=source,
        agent=AGENT,
        flags=flags,
        tokens=tokens_of(head["accumulated_input_tokens"], head["accumulated_output_tokens"]),
        cost=dollars(head["accumulated_cost"]),
    )


def _known(reader: RowReader) -> Columns:
    columns = read_columns(reader)
    lack = missing_column(columns, NEEDED)
    if lack:
        raise unknown_schema_error("Goose", lack)
    return columns


def _rows(reader: RowReader, key: str) -> tuple[dict[str, Any] | None, list[dict[str, Any]], int]:
    """Return (session, messages, version): the row of a session and the rows of its messages in stored order, each as a
    mapping from column to value, and the version of the schema, 0 when it is not recorded. The first is None when there
    is no such session.
    """
    known = _known(reader)
    heads = reader.fetch_few(f"SELECT {select_list(SESSION, known['sessions'])} FROM sessions WHERE id = ?", key)  # noqa: S608
    if not heads:
        return None, [], 0
    columns = select_list(_MESSAGE, known["messages"])
    where = "WHERE session_id = ? AND rowid > ? ORDER BY rowid"
    rows = reader.fetch(f"SELECT rowid, {columns} FROM messages {where}", key, record=RECORD)  # noqa: S608
    versions = reader.fetch_few("SELECT max(version) FROM schema_version") if "schema_version" in known else []
    version = next((row[0] for row in versions if type(row[0]) is int), 0)
    found = [dict(zip(_MESSAGE, row[1:], strict=True)) for row in rows]
    return dict(zip(SESSION, heads[0], strict=True)), found, version


def _object(raw: Any) -> dict[str, Any]:
    """Return the JSON object in a column; an empty dict for any other value."""
    values, problem = parse_values(raw if type(raw) is bytes else b"")
    return mapping(values[0]) if len(values) == 1 and problem is None else {}
