"""OpenCode from version 1.2 on: one SQLite database, big outputs in files beside it."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import xxhash

from recall_rank.loaders.jsonl import parse
from recall_rank.loaders.opencode_parts import part_from
from recall_rank.loaders.spills import Spills
from recall_rank.loaders.sqlite import Database, Reader, Row
from recall_rank.loaders.titles import injected, title_from
from recall_rank.loaders.values import mapping, millis, text_of
from recall_rank.model import Flag, Malformed, Message, Part, Reading, Role, Session, Source, Unit

NAME = "opencode"
SUFFIXES = {".db", ".sqlite", ".sqlite3"}
SETTLED_MS = 2 * 86_400_000  # sessions this much older than the newest are not rewritten behind our back

_NEEDED = {
    "session": {"id"},
    "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "session_id", "data"},
}
_SESSION = (
    *("id", "project_id", "parent_id", "directory", "title", "time_created", "time_updated", "time_archived"),
    "revert",
)
_UNNAMED = re.compile(r"(New|Child) session - \d{4}-\d\d-\d\d")
_ROLES: dict[Any, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}


@dataclass(slots=True)
class _Rows:
    """What the database holds of one session."""

    session: dict[str, Any]
    worktree: str | None
    messages: list[Row]
    parts: list[Row]
    warnings: list[str] = field(default_factory=list)


class OpenCode:
    """One OpenCode database. A unit is a session. Inside `with` its connection is kept between reads."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or NAME
        self.location = str(path)
        self._database = Database(path)
        self._signatures: tuple[Any, dict[str, bytes]] = (None, {})

    def __enter__(self) -> Self:
        self._database.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._database.__exit__(*exception)

    def close(self) -> None:
        """Lets go of the database file; the next read opens it again."""
        self._database.close()

    def has_tables(self) -> bool:
        """Whether the tables are OpenCode's. True also where they cannot be read: reading says why."""
        try:
            return bool(self._database.read(_columns))
        except OSError as error:
            return error.errno != errno.EINVAL
        finally:
            self.close()

    def files(self) -> list[Path]:
        """What the store's size is made of."""
        path = self._database.path
        return [path, path.with_name(path.name + "-wal")]

    def units(self) -> Iterable[Unit]:
        rows = self._database.read(_session_ids)
        return [Unit(key, self.location) for key in sorted(_text(row[1]) or "" for row in rows)]

    def signature(self, unit: Unit) -> bytes:
        """Newest change and newest row of the session; asks the database again only when its files changed."""
        state = self._database.state()
        if self._signatures[0] != state:
            self._signatures = (state, self._database.read(_signatures))
        return self._signatures[1].get(unit.key, b"")

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        rows = self._database.read(lambda reader: _rows(reader, unit.key))
        if rows is None:
            return Reading([])
        folder = self._database.path.parent
        spills = Spills(folder, [folder / "tool-output"])
        malformed: list[Malformed] = []
        session = self._session(unit.key, rows, spills, malformed)
        return Reading([session], malformed, rows.warnings + spills.warnings())

    def _session(self, key: str, rows: _Rows, spills: Spills, malformed: list[Malformed]) -> Session:
        heads = {}
        for _, message_id, created, raw in sorted(rows.messages, key=lambda row: (row[2] or 0, row[1])):
            data = self._data("message", message_id, raw, malformed)
            heads[_text(message_id) or ""] = (created, data if data is not None else {})
        parts: dict[str, list[Part]] = {message: [] for message in heads}
        boundary: tuple[str, str | None] | None = None
        for _, part_id, message_id, raw in sorted(rows.parts, key=lambda row: row[1] or b""):
            data = self._data("part", part_id, raw, malformed)
            message = _text(message_id) or ""
            if data is None:
                continue
            if message not in heads:
                malformed.append(self._malformed("part", part_id, f"its message {message} is missing"))
                continue
            by_user = heads[message][1].get("role") == "user"
            parts[message].append(part_from(_text(part_id) or "", data, by_user=by_user, spills=spills))
            if data.get("type") == "compaction":
                boundary = max(boundary or ("", None), (message, text_of(data.get("tail_start_id"))))
        order = list(heads)
        outside = _before(order, boundary)
        left = text_of(mapping(_json(rows.session["revert"])).get("messageID"))
        reverted = set(order[order.index(left) :]) if left in heads else set()
        messages = []
        for message, (created, data) in heads.items():
            flags = Flag.OUT_OF_CONTEXT if message in outside else Flag.NONE
            if message in reverted:
                flags |= Flag.ABANDONED
            messages.append(_message(message, created, data, parts[message], flags))
        return _session_from(key, rows, messages, self.name)

    def _data(self, table: str, key: Any, raw: Any, malformed: list[Malformed]) -> dict[str, Any] | None:
        values, problem = parse(raw if type(raw) is bytes else b"")
        if len(values) == 1 and type(values[0]) is dict and problem is None:
            return values[0]
        malformed.append(self._malformed(table, key, problem or "not an object"))
        return None

    def _malformed(self, table: str, key: Any, reason: str) -> Malformed:
        return Malformed(f"{self.location} {table}", f"row {_text(key)}", reason)


def _message(key: str, created: Any, data: dict[str, Any], parts: list[Part], flags: Flag) -> Message:
    if data.get("summary") is True:  # on what a user said it is an object with diffs
        flags |= Flag.SUMMARY
    if data.get("error"):
        flags |= Flag.ERROR
    model = text_of(data.get("modelID")) or text_of(mapping(data.get("model")).get("modelID"))
    agent = text_of(data.get("agent")) or text_of(data.get("mode"))
    time = millis(created) or millis(mapping(data.get("time")).get("created"))
    return Message(key, _ROLES.get(data.get("role"), "system"), time, tuple(parts), None, agent, model, flags)


def _session_from(key: str, rows: _Rows, messages: list[Message], source: str) -> Session:
    head = rows.session
    title, directory, parent = _text(head["title"]), _text(head["directory"]), _text(head["parent_id"])
    if not title or _UNNAMED.match(title):
        title = title_from(next(_typed(messages), None)) or title
    flags = Flag.SUBAGENT if parent else Flag.NONE
    if head["time_archived"]:
        flags |= Flag.ARCHIVED
    worktree = rows.worktree if rows.worktree not in {None, "", "/"} else None  # "/" stands for no repository
    return Session(
        key,
        tuple(messages),
        title,
        directory,
        worktree or directory,
        worktree,
        millis(head["time_created"]),
        millis(head["time_updated"]),
        parent,
        source,
        NAME,
        flags,
    )


def _typed(messages: list[Message]) -> Iterator[str]:
    """What a person typed, in order."""
    for message in messages:
        for part in message.parts if message.role == "user" else ():
            if part.type == "text" and part.text and not part.flags & Flag.SYNTHETIC and not injected(part.text):
                yield part.text


def _before(order: list[str], boundary: tuple[str, str | None] | None) -> set[str]:
    """The messages that the last compaction took out of context: those before its tail, or before itself."""
    if boundary is None:
        return set()
    compaction, tail = boundary
    until = order.index(tail if tail in order else compaction)
    return set(order[:until])


def _text(value: Any) -> str | None:
    return value.decode("utf-8", "replace") if type(value) is bytes else text_of(value)


def _json(value: Any) -> Any:
    return parse(value)[0][0] if type(value) is bytes and value else None


# --- what is asked of the database ---------------------------------------------------------------


def _columns(reader: Reader) -> dict[str, set[str]]:
    """The columns of the tables that are read. Fails when the schema is not OpenCode's; an empty one is."""
    sql = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
    found: dict[str, set[str]] = {}
    for table, column in reader.once(sql):
        found.setdefault(table.decode(), set()).add(column.decode())
    for table, columns in _NEEDED.items():
        missing = columns - found.get(table, set())
        if found and missing:
            lacking = f"column {min(missing)} of {table}" if table in found else f"table {table}"
            raise OSError(errno.EINVAL, f"not a schema of OpenCode that is known here: {lacking} is missing")
    return found


def _session_ids(reader: Reader) -> list[Row]:
    if not _columns(reader):
        return []
    return reader.fetch("SELECT rowid, id FROM session WHERE rowid > ? ORDER BY rowid")


def _rows(reader: Reader, key: str) -> _Rows | None:
    columns = _columns(reader)
    if not columns:
        return None
    wanted = ", ".join(name if name in columns["session"] else "NULL" for name in _SESSION)
    heads = reader.once(f"SELECT {wanted} FROM session WHERE id = ?", key)  # noqa: S608
    if not heads:
        return None
    session = dict(zip(_SESSION, heads[0], strict=True))
    warnings = []
    worktree = None
    if {"id", "worktree"} <= columns.get("project", set()):
        sql = "SELECT worktree FROM project WHERE id = ?"
        worktree = next((_text(row[0]) for row in reader.once(sql, _text(session["project_id"]))), None)
    newer = "SELECT 1 FROM session_message WHERE session_id = ? LIMIT 1"
    if "session_id" in columns.get("session_message", set()) and reader.once(newer, key):
        warnings.append("a newer schema: what is in its table session_message was not read")
    created = "time_created" if "time_created" in columns["message"] else "NULL"
    where = "WHERE session_id = ? AND rowid > ? ORDER BY rowid"
    messages: list[Row] = []
    parts: list[Row] = []
    for _ in range(3):
        # Parts first: a message is stored before its parts, so every part finds its message.
        parts = reader.fetch(f"SELECT rowid, id, message_id, data FROM part {where}", key)  # noqa: S608
        messages = reader.fetch(f"SELECT rowid, id, {created}, data FROM message {where}", key)  # noqa: S608
        count = reader.once("SELECT count(*) FROM part WHERE session_id = ?", key)[0][0]
        if reader.transactions == 1 or len(parts) == count:
            break  # otherwise rows were added or renumbered between two transactions
    return _Rows(session, worktree, messages, parts, warnings)


def _signatures(reader: Reader) -> dict[str, bytes]:
    """A digest a session: of its own times, and of its rows; of old sessions only how many rows there are."""
    columns = _columns(reader)
    if not columns:
        return {}
    wanted = ", ".join(name if name in columns["session"] else "NULL" for name in _SESSION)
    sessions = reader.fetch(f"SELECT rowid, {wanted} FROM session WHERE rowid > ? ORDER BY rowid")  # noqa: S608
    at = 1 + _SESSION.index("time_updated")
    newest = max((row[at] or 0 for row in sessions), default=0)
    found = {}
    for row in sessions:
        digest = xxhash.xxh3_128(repr(row[1:]).encode())
        for table in ("message", "part"):
            dated = "time_updated" in columns[table] and (row[at] or 0) > newest - SETTLED_MS
            last = "max(time_updated)" if dated else "NULL"
            sql = f"SELECT max(rowid), count(*), {last} FROM {table} WHERE session_id = ?"  # noqa: S608
            digest.update(repr(reader.once(sql, _text(row[1]))).encode())
        found[_text(row[1]) or ""] = digest.digest()
    return found


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """An OpenCode database, told by its name."""
    named = path.name.startswith(NAME) and path.suffix in SUFFIXES
    return OpenCode(path) if named and path.is_file() else None


def named(path: Path) -> Source | None:
    """An OpenCode database under any name, told by its tables."""
    if path.suffix not in SUFFIXES or not path.is_file():
        return None
    source = OpenCode(path)
    return source if source.has_tables() else None


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """The databases of this machine: of every release channel, and the one the environment names."""
    data = environ.get("XDG_DATA_HOME")
    bases = [Path(data)] if data else [home / ".local" / "share"]
    bases += [Path(environ[name]) for name in ("LOCALAPPDATA", "APPDATA") if environ.get(name)]
    bases.append(home / "Library" / "Application Support")
    folders = [base / NAME for base in bases]
    named = environ.get("OPENCODE_DB")
    paths = [folders[0] / named] if named and named != ":memory:" else []
    for folder in folders:
        paths += sorted(folder.glob("opencode*.db"))
    seen = set()
    for path in paths:
        real = os.path.realpath(path)
        if real not in seen and path.is_file():
            seen.add(real)
            yield OpenCode(path)
