"""Queries of OpenCode's database: the rows of one session, and digests that change when a session changes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import xxhash

from recall_rank.loaders.content.times import millis
from recall_rank.loaders.sqlite.reader import RECORD, Row, RowReader, decode_text
from recall_rank.loaders.sqlite.session_database import missing_column, read_columns, select_list, unknown_schema_error

DAY_MS = 86_400_000
SETTLED_MS = 2 * DAY_MS  # sessions this much older than the newest are not rewritten behind our back
_NEEDED = {
    "session": {"id"},
    "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "session_id", "data"},
}
_SESSION = (
    *("id", "project_id", "parent_id", "directory", "title", "time_created", "time_updated", "time_archived"),
    *("revert", "cost", "tokens_input", "tokens_output", "tokens_reasoning", "tokens_cache_read", "tokens_cache_write"),
)
# A sum differs when one time does, also beside a text or a date far ahead, which would stay the largest.
_TIMES = "max(CAST(time_updated AS INTEGER)), sum(CAST(time_updated AS INTEGER) % 2147483647)"


@dataclass(slots=True)
class OpenCodeRows:
    """The rows of one session: its own row and those of its messages and message parts."""

    session: dict[str, Any]
    worktree: str | None
    messages: list[Row]
    parts: list[Row]
    warnings: list[str] = field(default_factory=list)


def columns(reader: RowReader) -> dict[str, set[str]]:
    """Return a mapping from table name to the names of its columns, empty for an empty database. Raises OSError when
    the schema is not OpenCode's.
    """
    found = read_columns(reader)
    lack = missing_column(found, _NEEDED)
    if found and lack:
        raise unknown_schema_error("OpenCode", lack)
    return found


def session_ids(reader: RowReader) -> list[Row]:
    """Return the rows (rowid, id) of all sessions."""
    if not columns(reader):
        return []
    return reader.fetch("SELECT rowid, id FROM session WHERE rowid > ? ORDER BY rowid")


def session_rows(reader: RowReader, key: str) -> OpenCodeRows | None:
    """Return the rows of one session, read in one transaction where that is quick; None when there is no such
    session.
    """
    known = columns(reader)
    if not known:
        return None
    wanted = select_list(_SESSION, known["session"])
    heads = reader.fetch_few(f"SELECT {wanted} FROM session WHERE id = ?", key)  # noqa: S608
    if not heads:
        return None
    session = dict(zip(_SESSION, heads[0], strict=True))
    warnings = []
    worktree = None
    if {"id", "worktree"} <= known.get("project", set()):
        sql = "SELECT worktree FROM project WHERE id = ?"
        worktree = next(
            (decode_text(row[0]) for row in reader.fetch_few(sql, decode_text(session["project_id"]))), None
        )
    newer = "SELECT 1 FROM session_message WHERE session_id = ? LIMIT 1"
    if "session_id" in known.get("session_message", set()) and reader.fetch_few(newer, key):
        warnings.append("a newer schema: what is in its table session_message was not read")
    created = "time_created" if "time_created" in known["message"] else "NULL"
    where = "WHERE session_id = ? AND rowid > ? ORDER BY rowid"
    messages: list[Row] = []
    parts: list[Row] = []
    for _ in range(3):
        reader.drop(parts, messages)
        # Parts first: a message is stored before its parts, so every part finds its message.
        sql = f"SELECT rowid, id, message_id, data FROM part {where}"  # noqa: S608
        parts = reader.fetch(sql, key, record=RECORD)
        sql = f"SELECT rowid, id, {created}, data FROM message {where}"  # noqa: S608
        messages = reader.fetch(sql, key, record=RECORD)
        count = reader.fetch_few("SELECT count(*) FROM part WHERE session_id = ?", key)[0][0]
        if reader.transactions == 1 or reader.passed_over or len(parts) == count:
            break  # otherwise rows were added or renumbered between two transactions
    return OpenCodeRows(session, worktree, messages, parts, warnings)


def signatures(reader: RowReader) -> dict[str, bytes]:
    """Return a mapping from session id to a digest of the session's row, and of the number, the last row id and the
    times of its messages and parts. The times are left out for a session that was last changed more than two days
    before the newest one.
    """
    known = columns(reader)
    if not known:
        return {}
    wanted = select_list(_SESSION, known["session"])
    sessions = reader.fetch(f"SELECT rowid, {wanted} FROM session WHERE rowid > ? ORDER BY rowid")  # noqa: S608
    at = 1 + _SESSION.index("time_updated")
    tomorrow = int(time.time() * 1000) + DAY_MS  # a clock that was wrong must not make all other sessions old
    newest = max((told for row in sessions if (told := millis(row[at])) < tomorrow), default=0)
    found = {}
    for row in sessions:
        digest = xxhash.xxh3_128(repr(row[1:]).encode())
        for table in ("message", "part"):
            dated = "time_updated" in known[table] and not 0 < millis(row[at]) <= newest - SETTLED_MS
            last = _TIMES if dated else "NULL"
            sql = f"SELECT max(rowid), count(*), {last} FROM {table} WHERE session_id = ?"  # noqa: S608
            digest.update(repr(reader.fetch_few(sql, decode_text(row[1]))).encode())
        found[decode_text(row[1]) or ""] = digest.digest()
    return found
