"""Queries of Hermes' database: sessions, the messages of one session, and digests that change when a session
changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import xxhash

from recall_rank.loaders.sqlite.reader import RECORD, RowReader, decode_text
from recall_rank.loaders.sqlite.session_database import missing_column, read_columns, select_list, unknown_schema_error

_NEEDED = {
    "sessions": {"id", "started_at", "parent_session_id"},
    "messages": {"id", "session_id", "role", "content", "tool_calls"},
}
_SESSION = (
    *("id", "source", "model", "model_config", "parent_session_id", "started_at", "ended_at", "end_reason"),
    *("cwd", "git_repo_root", "title", "archived", "display_name", "input_tokens", "output_tokens"),
    *("cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "actual_cost_usd", "estimated_cost_usd"),
)
_MESSAGE = (
    *("id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp", "reasoning"),
    *("reasoning_content", "reasoning_details", "active", "compacted"),
)

COMPACTED = {"compression", "compaction"}

Record = dict[str, Any]


@dataclass(slots=True)
class HermesRows:
    """The rows of one session: its own row and those of its messages."""

    session: Record
    messages: list[Record]
    continued: bool  # another session continues it
    above: str | None  # why the session ended that it comes from
    version: int  # of the schema, 0 where it does not say


def columns(reader: RowReader) -> dict[str, set[str]]:
    """Return a mapping from table name to the names of its columns, empty for an empty database. Raises OSError when
    the schema is not Hermes'.
    """
    found = read_columns(reader)
    lack = missing_column(found, _NEEDED)
    if found and lack:
        raise unknown_schema_error("Hermes", lack)
    return found


def session_ids(reader: RowReader) -> list[str]:
    """Return the id of every session."""
    if not columns(reader):
        return []
    rows = reader.fetch("SELECT rowid, id FROM sessions WHERE rowid > ? ORDER BY rowid")
    return [decode_text(row[1]) or "" for row in rows]


def session_rows(reader: RowReader, key: str) -> HermesRows | None:
    """Return the rows of one session; None when there is no such session."""
    known = columns(reader)
    if not known:
        return None
    heads = reader.fetch_few(f"SELECT {select_list(_SESSION, known['sessions'])} FROM sessions WHERE id = ?", key)  # noqa: S608
    if not heads:
        return None
    continued = reader.fetch_few("SELECT 1 FROM sessions WHERE parent_session_id = ? LIMIT 1", key)
    session = dict(zip(_SESSION, heads[0], strict=True))
    ended = "SELECT end_reason FROM sessions WHERE id = ?" if "end_reason" in known["sessions"] else "SELECT NULL"
    above = decode_text(session["parent_session_id"])
    reasons = reader.fetch_few(ended, *([above] if "?" in ended else [])) if above else []
    wanted = select_list(_MESSAGE, known["messages"])
    where = "WHERE session_id = ? AND rowid > ? ORDER BY rowid"
    rows = reader.fetch(f"SELECT rowid, {wanted} FROM messages {where}", key, record=RECORD)  # noqa: S608
    messages = [dict(zip(_MESSAGE, row[1:], strict=True)) for row in rows]
    versions = (
        reader.fetch_few("SELECT max(version) FROM schema_version")
        if "version" in known.get("schema_version", ())
        else []
    )
    version = next((row[0] for row in versions if type(row[0]) is int), 0)
    return HermesRows(session, messages, bool(continued), decode_text(reasons[0][0]) if reasons else None, version)


def signatures(reader: RowReader) -> dict[str, bytes]:
    """Return a mapping from session id to a digest of the session's row, whether another session continues it, and the
    newest id and the numbers of its messages, of all and of those that are active and compacted.
    """
    known = columns(reader)
    if not known:
        return {}
    wanted = select_list(_SESSION, known["sessions"])
    sessions = reader.fetch(f"SELECT rowid, {wanted} FROM sessions WHERE rowid > ? ORDER BY rowid")  # noqa: S608
    parents = {decode_text(row[1 + _SESSION.index("parent_session_id")]) for row in sessions}
    marks = ", ".join(f"total({name})" if name in known["messages"] else "NULL" for name in ("active", "compacted"))
    sql = f"SELECT max(id), count(*), {marks} FROM messages WHERE session_id = ?"  # noqa: S608
    found = {}
    for row in sessions:
        key = decode_text(row[1]) or ""
        digest = xxhash.xxh3_128(repr((row[1:], key in parents)).encode())
        digest.update(repr(reader.fetch_few(sql, key)).encode())
        found[key] = digest.digest()
    return found
