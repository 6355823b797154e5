"""What is asked of Hermes' database: sessions, one session's messages, and what tells that they changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import xxhash

from recall_rank.loaders.sqlite.reader import Reader, decoded
from recall_rank.loaders.sqlite.sessions import columns_of, lacking, selected, unknown_schema

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
class SessionRows:
    """What the database holds of one session."""

    session: Record
    messages: list[Record]
    continued: bool  # another session goes on from it
    above: str | None  # why the session ended that it comes from
    version: int  # of the schema, 0 where it does not say


def columns(reader: Reader) -> dict[str, set[str]]:
    """The columns of the tables that are read. Fails when the schema is not Hermes'; an empty database has none."""
    found = columns_of(reader)
    lack = lacking(found, _NEEDED)
    if found and lack:
        raise unknown_schema("Hermes", lack)
    return found


def session_ids(reader: Reader) -> list[str]:
    """The id of every session."""
    if not columns(reader):
        return []
    rows = reader.fetch("SELECT rowid, id FROM sessions WHERE rowid > ? ORDER BY rowid")
    return [decoded(row[1]) or "" for row in rows]


def session_rows(reader: Reader, key: str) -> SessionRows | None:
    """One session's rows; None when there is no such session."""
    known = columns(reader)
    if not known:
        return None
    heads = reader.once(f"SELECT {selected(_SESSION, known['sessions'])} FROM sessions WHERE id = ?", key)  # noqa: S608
    if not heads:
        return None
    continued = reader.once("SELECT 1 FROM sessions WHERE parent_session_id = ? LIMIT 1", key)
    session = dict(zip(_SESSION, heads[0], strict=True))
    ended = "SELECT end_reason FROM sessions WHERE id = ?" if "end_reason" in known["sessions"] else "SELECT NULL"
    above = decoded(session["parent_session_id"])
    reasons = reader.once(ended, *([above] if "?" in ended else [])) if above else []
    wanted = selected(_MESSAGE, known["messages"])
    where = "WHERE session_id = ? AND rowid > ? ORDER BY rowid"
    rows = reader.fetch(f"SELECT rowid, {wanted} FROM messages {where}", key)  # noqa: S608
    messages = [dict(zip(_MESSAGE, row[1:], strict=True)) for row in rows]
    versions = (
        reader.once("SELECT max(version) FROM schema_version") if "version" in known.get("schema_version", ()) else []
    )
    version = next((row[0] for row in versions if type(row[0]) is int), 0)
    return SessionRows(session, messages, bool(continued), decoded(reasons[0][0]) if reasons else None, version)


def signatures(reader: Reader) -> dict[str, bytes]:
    """A digest a session: of its own row, and of how many messages it has, which is the last, how many left."""
    known = columns(reader)
    if not known:
        return {}
    wanted = selected(_SESSION, known["sessions"])
    sessions = reader.fetch(f"SELECT rowid, {wanted} FROM sessions WHERE rowid > ? ORDER BY rowid")  # noqa: S608
    parents = {decoded(row[1 + _SESSION.index("parent_session_id")]) for row in sessions}
    marks = ", ".join(f"total({name})" if name in known["messages"] else "NULL" for name in ("active", "compacted"))
    sql = f"SELECT max(id), count(*), {marks} FROM messages WHERE session_id = ?"  # noqa: S608
    found = {}
    for row in sessions:
        key = decoded(row[1]) or ""
        digest = xxhash.xxh3_128(repr((row[1:], key in parents)).encode())
        digest.update(repr(reader.once(sql, key)).encode())
        found[key] = digest.digest()
    return found
