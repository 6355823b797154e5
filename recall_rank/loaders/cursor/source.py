"""Cursor's editor: one SQLite database of keys and values for the conversations of all projects.

Implemented from public documentation and issues; not checked against a store that a real Cursor wrote. Chats of 2023
and 2024, in the databases of the workspaces, are not read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from recall_rank.loaders.cursor import rows as cursor_rows
from recall_rank.loaders.cursor.composer import AGENT, Composer
from recall_rank.loaders.json.parse import Record, parse_values
from recall_rank.loaders.malformed import add_malformed
from recall_rank.loaders.sqlite.reader import RowReader, decode_text
from recall_rank.loaders.sqlite.session_database import SessionDatabase, missing_column, read_columns_at
from recall_rank.model import Flag, Malformed, Reading, ResolvedSessions, Session, Source, Unit

NAME = AGENT
FILE = "state.vscdb"
GLOBAL = "globalStorage"
SUFFIXES = {".vscdb", ".db", ".sqlite", ".sqlite3"}


class Cursor(SessionDatabase):
    """A source for the global database of Cursor's editor. Each conversation is one unit, read on its own. The working
    folder of some conversations is looked up in the databases of Cursor's workspaces, because it is recorded only
    there.
    """

    resolves = True

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or NAME)
        self._folders: dict[str, str] | None = None
        self._parents: dict[str, str] = {}

    def keys(self, reader: RowReader) -> list[str]:
        return cursor_rows.composer_ids(reader)

    def signatures(self, reader: RowReader) -> dict[str, bytes]:
        return cursor_rows.signatures(reader)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        (raw, rows), malformed = self.fetched(lambda reader: cursor_rows.composer_rows(reader, unit.key))
        head = self._record(cursor_rows.COMPOSER + unit.key, raw, malformed)
        prefix = f"{cursor_rows.BUBBLE}{unit.key}:"
        bubbles: dict[str, Record] = {}
        for _, key, value in sorted(rows):
            bubble = self._record(decode_text(key) or "", value, malformed)
            add_malformed(malformed, *self._odd_times(decode_text(key) or "", bubble or {}, "createdAt"))
            if bubble is not None:
                bubbles[(decode_text(key) or "").removeprefix(prefix)] = bubble
        add_malformed(
            malformed, *self._odd_times(cursor_rows.COMPOSER + unit.key, head or {}, "createdAt", "lastUpdatedAt")
        )
        if head is None and not bubbles:
            return Reading([], malformed)
        composer = Composer(unit.key, head or {}, bubbles)
        self._parents.update(dict.fromkeys(composer.children, unit.key))
        session = composer.session(self._folder(unit.key), self.name)
        lost = f"{composer.missing} messages of {unit.key} are listed but gone"
        return Reading([session] if session else [], malformed, [lost] if composer.missing else [])

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Set `parent` of each session to the conversation that started it; in the store only the parent records
        the relation.
        """
        found = [
            replace(session, parent=self._parents[session.id], flags=session.flags | Flag.SUBAGENT)
            if session.id in self._parents
            else session
            for session in sessions
        ]
        return ResolvedSessions(found)

    def related_ids(self, session: Session) -> list[str | None]:
        """Return the ids of the conversations that this conversation started."""
        return [child for child, parent in self._parents.items() if parent == session.id]

    def _record(self, key: str, raw: object, malformed: list[Malformed]) -> Record | None:
        """Return the JSON object in the value of a row; None for an empty value, which marks a row that Cursor cleared,
        and for malformed JSON, which is added to `malformed`.
        """
        data = raw.encode("utf-8", "replace") if type(raw) is str else raw
        if type(data) is not bytes or not data:
            return None
        values, problem = parse_values(data)
        if len(values) == 1 and type(values[0]) is dict and problem is None:
            return values[0]
        add_malformed(malformed, self.malformed("cursorDiskKV", key, problem or "not an object"))
        return None

    def _odd_times(self, key: str, record: Record, *names: str) -> Iterator[Malformed]:
        return self.odd_times("cursorDiskKV", key, *map(record.get, names))

    def _folder(self, key: str) -> str | None:
        if self._folders is None:
            storage = self._database.path.parent.parent / "workspaceStorage"
            self._folders = dict(cursor_rows.folders(storage))
        return self._folders.get(key)


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for the global database, for the user data folder that holds the database, or for the folder
    above that folder; None for any other path.
    """
    if path.is_file():
        return named(path) if path.name == FILE else None
    for folder in (path / "User", path):
        database = folder / GLOBAL / FILE
        if database.is_file():
            return named(database)
    return None


def named(path: Path) -> Source | None:
    """Return a source for a global database under any file name; None for any other file, also for a workspace's
    database, whose tables are equal but hold no conversations.
    """
    if path.suffix not in SUFFIXES or not path.is_file() or path.parent.parent.name == "workspaceStorage":
        return None
    columns = read_columns_at(path)
    if columns is None:  # reading says why
        return Cursor(path) if path.name == FILE and "Cursor" in path.parts else None
    return None if missing_column(columns, cursor_rows.NEEDED) else Cursor(path)


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Sources for the global databases of this machine."""
    named_by_it = environ.get("CURSOR_STATE_DB")
    bases = [Path(environ.get("XDG_CONFIG_HOME") or home / ".config"), home / "Library" / "Application Support"]
    bases += [Path(environ["APPDATA"])] if environ.get("APPDATA") else [home / "AppData" / "Roaming"]
    paths = [Path(named_by_it)] if named_by_it else []
    paths += [base / "Cursor" / "User" / GLOBAL / FILE for base in bases]
    seen = set()
    for path in paths:
        real = os.path.realpath(path)
        if real not in seen and path.is_file():
            seen.add(real)
            yield Cursor(path)
