"""OpenCode from version 1.2 on: one SQLite database, and large outputs in separate files."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.titles import title_from
from recall_rank.loaders.content.usage import dollars
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.json.parse import Record, parse_values
from recall_rank.loaders.malformed import add_malformed
from recall_rank.loaders.opencode.parts import part_from, used, used_by
from recall_rank.loaders.opencode.rows import OpenCodeRows, columns, session_ids, session_rows, signatures
from recall_rank.loaders.opencode.session import ROLES, UNNAMED, typed
from recall_rank.loaders.sqlite.reader import RowReader, decode_text
from recall_rank.loaders.sqlite.session_database import SessionDatabase
from recall_rank.model import Flag, Malformed, Message, Part, Reading, Session, Source, Unit

NAME = "opencode"
SUFFIXES = {".db", ".sqlite", ".sqlite3"}


class OpenCode(SessionDatabase):
    """A source for one OpenCode database. Each session is one unit, read on its own."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or NAME)

    def has_tables(self) -> bool:
        """Return whether the tables are OpenCode's; also True when they cannot be read, so that reading the database
        reports the problem.
        """
        try:
            return bool(self._database.read(columns))
        except OSError as error:
            return error.errno != errno.EINVAL
        finally:
            self.close()

    def keys(self, reader: RowReader) -> list[str]:
        return [decode_text(row[1]) or "" for row in session_ids(reader)]

    def signatures(self, reader: RowReader) -> dict[str, bytes]:
        """Return a mapping from session id to a digest of the session's row and of its messages and parts."""
        return signatures(reader)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        rows, malformed = self.fetched(lambda reader: session_rows(reader, unit.key))
        if rows is None:
            return Reading([])
        folder = self._database.path.parent
        outputs = ExternalOutputs(folder, [folder / "tool-output"])
        session = self._session(unit.key, rows, outputs, malformed)
        return Reading([session], malformed, rows.warnings + outputs.warnings())

    def _session(self, key: str, rows: OpenCodeRows, outputs: ExternalOutputs, malformed: list[Malformed]) -> Session:
        heads = self._heads(rows, malformed)
        parts: dict[str, list[Part]] = {message: [] for message in heads}
        boundary: tuple[str, str | None] | None = None
        for _, part_id, message_id, raw in sorted(rows.parts, key=lambda row: decode_text(row[1]) or ""):
            data = self._data("part", part_id, raw, malformed)
            message = decode_text(message_id) or ""
            if data is None:
                continue
            if message not in heads:
                add_malformed(
                    malformed, self.malformed("part", decode_text(part_id), f"its message {message} is missing")
                )
                continue
            by_user = heads[message][1].get("role") == "user"
            parts[message].append(part_from(decode_text(part_id) or "", data, by_user=by_user, outputs=outputs))
            if data.get("type") == "compaction":
                boundary = max(boundary or ("", None), (message, text_of(data.get("tail_start_id"))))
        order = list(heads)
        outside = _before(order, boundary)
        left = text_of(mapping(_json(rows.session["revert"])).get("messageID"))
        reverted = set(order[order.index(left) :]) if left in heads else set()
        messages = []
        for message, (time, data) in heads.items():
            flags = Flag.OUT_OF_CONTEXT if message in outside else Flag.NONE
            if message in reverted:
                flags |= Flag.ABANDONED
            messages.append(_message(message, time, data, parts[message], flags))
        add_malformed(
            malformed, *self.odd_times("session", key, rows.session["time_created"], rows.session["time_updated"])
        )
        return _session_from(key, rows, messages, self.name)

    def _heads(self, rows: OpenCodeRows, malformed: list[Malformed]) -> dict[str, tuple[int, Record]]:
        """Return a mapping from message id to (time, JSON object), sorted by time and id. A message without a time
        comes behind the message that was stored before it, and its time is 0.
        """
        found = []
        before = 0
        for _, message_id, created, raw in rows.messages:
            key = decode_text(message_id) or ""
            data = self._data("message", key, raw, malformed) or {}
            add_malformed(malformed, *self.odd_times("message", key, created))
            time = millis(created) or millis(mapping(data.get("time")).get("created"))
            before = time or before
            found.append((before, key, time, data))
        found.sort(key=lambda row: row[:2])
        return {key: (time, data) for _, key, time, data in found}

    def _data(self, table: str, key: Any, raw: Any, malformed: list[Malformed]) -> Record | None:
        values, problem = parse_values(raw if type(raw) is bytes else b"")
        if len(values) == 1 and type(values[0]) is dict and problem is None:
            return values[0]
        add_malformed(malformed, self.malformed(table, decode_text(key), problem or "not an object"))
        return None


def _message(key: str, time: int, data: Record, parts: list[Part], flags: Flag) -> Message:
    if data.get("summary") is True:  # in a user's message it is an object with diffs
        flags |= Flag.SUMMARY
    if data.get("error"):
        flags |= Flag.ERROR
    model = text_of(data.get("modelID")) or text_of(mapping(data.get("model")).get("modelID"))
    agent = text_of(data.get("agent")) or text_of(data.get("mode"))
    role = ROLES.get(data.get("role"), "system")
    cost = dollars(data.get("cost"))
    return Message(key, role, time, tuple(parts), None, agent, model, flags, used(data), cost)


def _session_from(key: str, rows: OpenCodeRows, messages: list[Message], source: str) -> Session:
    head = rows.session
    title, directory, parent = (
        decode_text(head["title"]),
        decode_text(head["directory"]),
        decode_text(head["parent_id"]),
    )
    if not title or UNNAMED.match(title):
        title = title_from(next(typed(messages), None)) or title
    flags = Flag.SUBAGENT if parent else Flag.NONE
    if head["time_archived"]:
        flags |= Flag.ARCHIVED
    times = [message.time for message in messages if message.time]
    worktree = rows.worktree if rows.worktree not in {None, "", "/"} else None  # "/" stands for no repository
    return Session(
        key,
        tuple(messages),
        title,
        directory,
        worktree or directory,
        worktree,
        millis(head["time_created"]) or min(times, default=0),
        millis(head["time_updated"]) or max(times, default=0),
        parent,
        source,
        NAME,
        flags,
        tokens=used_by(head),
        cost=dollars(head["cost"]),
    )


def _before(order: list[str], boundary: tuple[str, str | None] | None) -> set[str]:
    """Return the ids of the messages that the last compaction took out of the model's context: those before the first
    message that it kept or, when it kept none, before the compaction itself. `boundary` has the ids of the compaction
    and of that first message; it is None without a compaction.
    """
    if boundary is None:
        return set()
    compaction, tail = boundary
    until = order.index(tail if tail in order else compaction)
    return set(order[:until])


def _json(value: Any) -> Any:
    return parse_values(value)[0][0] if type(value) is bytes and value else None


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for an OpenCode database, recognised by its name; None for any other path."""
    named = path.name.startswith(NAME) and path.suffix in SUFFIXES
    return OpenCode(path) if named and path.is_file() else None


def named(path: Path) -> Source | None:
    """Return a source for an OpenCode database under any name, recognised by its tables; None for any other file."""
    if path.suffix not in SUFFIXES or not path.is_file():
        return None
    source = OpenCode(path)
    return source if source.has_tables() else None


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Sources for the databases of this machine: those of every release channel, and the one that the environment
    names.
    """
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
