"""Cursor's command line: one small database for each session in ~/.cursor/chats, and transcripts in
~/.cursor/projects.

Implemented from the documentation of other readers; not checked against a store that a real Cursor wrote. The editor
also writes transcripts of its sessions to the second folder; a session that is in several stores counts once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from recall_rank.loaders.content.times import millis, odd_times
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.cursor.blobs import Blobs
from recall_rank.loaders.cursor.composer import AGENT
from recall_rank.loaders.cursor.talk import ROLES, CursorConversation
from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import open_file, walk_files
from recall_rank.loaders.files.session_files import SessionFiles
from recall_rank.loaders.json.first_records import read_first_records
from recall_rank.loaders.json.jsonl import JsonlRecords
from recall_rank.loaders.json.parse import Record, parse_values
from recall_rank.loaders.malformed import add_malformed, count
from recall_rank.loaders.sqlite.database import Database
from recall_rank.loaders.sqlite.reader import RECORD, Row, RowReader, decode_text
from recall_rank.loaders.sqlite.session_database import (
    missing_column,
    read_columns,
    read_columns_at,
    unknown_schema_error,
)
from recall_rank.model import Flag, Malformed, Reading, Session, Source, Unit

NAME = "cursor-cli"
STORE = "store.db"
SUFFIX = ".jsonl"
CHATS, PROJECTS, TRANSCRIPTS, SUBAGENTS = "chats", "projects", "agent-transcripts", "subagents"
PEEKED = 20  # files of a folder, to tell whether they are Cursor's
STARTS = ('{"role":', '{"type":')

_NEEDED = {"blobs": {"id", "data"}, "meta": {"value"}}
_UNNAMED = "New Agent"


class CursorCli(SessionFiles):
    """A source for Cursor's folder in the home folder, a folder inside that, or one file. Each database or
    transcript is one unit, read on its own.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or NAME)

    @staticmethod
    def wanted(name: str) -> bool:
        return name == STORE or name.endswith(SUFFIX)

    def units(self) -> Iterable[Unit]:
        """Return the databases and transcripts as units; afterwards `warnings` lists the files that were skipped."""
        inside = [self._root / CHATS, *sorted(self._root.glob(f"{PROJECTS}/*/{TRANSCRIPTS}"))]
        folders = [folder for folder in inside if folder.is_dir() and not folder.is_symlink()]
        if self._single or not folders:
            return super().units()
        self.warnings = []
        found = [
            file.relative_to(self._root) for each in folders for file in walk_files(each, self.wanted, self.warnings)
        ]
        return [Unit(path.as_posix(), str(self._shown / path)) for path in found]

    def signature(self, unit: Unit) -> bytes:
        path = self.path_of(unit)
        return repr(Database(path).state()).encode() if path.name == STORE else super().signature(unit)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        path = self.path_of(unit)
        return self._store(unit, path) if path.name == STORE else self._transcript(unit, path)

    def _store(self, unit: Unit, path: Path) -> Reading:
        database = Database(path)
        try:
            newest = max((state[2] // 1_000_000 for state in database.state() if state), default=0)
            meta, rows, passed_over = database.read(_rows)
        finally:
            database.close()
        head = _meta(meta)
        blobs = Blobs({decode_text(row[1]) or "": row[2] for row in rows if type(row[2]) is bytes})
        talk = CursorConversation(model=text_of(head.get("lastUsedModel")))
        malformed = [replace(row, location=f"{unit.location} {row.location}") for row in passed_over]
        for name, record, led_to in blobs.conversation(text_of(head.get("latestRootBlobId"))):
            problem = talk.add(name, record, Flag.NONE if led_to else Flag.ABANDONED)
            if problem:
                add_malformed(malformed, Malformed(f"{unit.location} blobs", f"row {name}", problem))
        add_malformed(
            malformed,
            *(Malformed(f"{unit.location} blobs", f"row {name}", problem) for name, problem in blobs.problems),
        )
        name = text_of(head.get("name")) or ""
        key = text_of(head.get("agentId")) or path.parent.name
        add_malformed(
            malformed, *(Malformed(f"{unit.location} meta", "row 1", reason) for reason in odd_times(head, "createdAt"))
        )
        created = millis(head.get("createdAt"))
        title = " ".join(name.split()) if name != _UNNAMED else None
        found = _session(key, talk, title, None, created, max(created, newest), self.name)
        return Reading([found] if found.messages else [], malformed)

    def _transcript(self, unit: Unit, path: Path) -> Reading:
        talk = CursorConversation()
        unknown: dict[str, int] = {}
        with open_file(path, self._root) as file:
            # The records carry no times: the file's own is the best there is.
            newest = int(os.fstat(file.fileno()).st_mtime * 1000)
            records = JsonlRecords(read_blocks(file), unit.location, starts=STARTS)
            for number, record in records:
                if "role" not in record and "type" in record:
                    self._notice(record, unknown)
                    continue
                problem = talk.add(f"{path.stem}:{number}", record)
                if problem:
                    records.bad(number, problem)
        project = next((above.parent.name for above in path.parents if above.name == TRANSCRIPTS), None)
        parent = path.parent.parent.name if path.parent.name == SUBAGENTS else None
        found = _session(path.stem, talk, None, project, 0, newest, self.name, parent)
        return Reading([found] if found.messages else [], records.malformed, list(unknown), unknown=unknown)

    @staticmethod
    def _notice(record: Record, unknown: dict[str, int]) -> None:
        kind = str(record["type"])
        if kind != "turn_ended":
            count(unknown, f"records of the unknown type {kind[:40]!r} were not read")


def _session(
    key: str,
    talk: CursorConversation,
    title: str | None,
    project: str | None,
    created: int,
    updated: int,
    source: str,
    parent: str | None = None,
) -> Session:
    return Session(
        key,
        talk.messages(),
        title or talk.title(),
        talk.directory,
        talk.directory or project,
        created=created,
        updated=updated,
        parent=parent,
        source=source,
        agent=AGENT,
        flags=Flag.SUBAGENT if parent else Flag.NONE,
    )


def _rows(reader: RowReader) -> tuple[list[Row], list[Row], list[Malformed]]:
    lack = missing_column(read_columns(reader), _NEEDED)
    if lack:
        raise unknown_schema_error("Cursor's command line", lack)
    meta = reader.fetch_few("SELECT value FROM meta ORDER BY rowid LIMIT 8")
    sql = "SELECT rowid, id, CAST(data AS BLOB) FROM blobs WHERE rowid > ? ORDER BY rowid"
    rows = reader.fetch(sql, record=RECORD)
    return meta, rows, reader.passed_over


def _meta(rows: list[Row]) -> dict[str, Any]:
    """Return the metadata of a session, stored as JSON text or, usually, as the hexadecimal digits of such a text."""
    for row in rows:
        text = decode_text(row[0]) or ""
        try:
            raw = bytes.fromhex(text)
        except ValueError:
            raw = text.encode("utf-8", "replace")
        values, problem = parse_values(raw)
        if len(values) == 1 and problem is None and mapping(values[0]):
            return mapping(values[0])
    return {}


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a session's database or transcript, a folder of them, or Cursor's folder in a home folder;
    None for any other path.
    """
    if path.is_file():
        if path.name == STORE:
            columns = read_columns_at(path)
            ours = path.parent.parent.parent.name == CHATS if columns is None else not missing_column(columns, _NEEDED)
            return CursorCli(path) if ours else None
        return CursorCli(path) if path.name.endswith(SUFFIX) and _wrote(path) else None
    if path.name == ".cursor" and ((path / CHATS).is_dir() or any(path.glob(f"{PROJECTS}/*/{TRANSCRIPTS}"))):
        return CursorCli(path)
    transcripts = path.name == TRANSCRIPTS and any(map(_wrote, _some(path, f"*{SUFFIX}", f"*/*{SUFFIX}")))
    return CursorCli(path) if transcripts or (path.name == CHATS and any(_some(path, f"*/*/{STORE}"))) else None


def _some(folder: Path, *patterns: str) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(folder.glob(pattern))[:PEEKED]


def _wrote(path: Path) -> bool:
    return any(
        text_of(record.get("role")) in ROLES and "content" in mapping(record.get("message")) for record in _peek(path)
    )


def _peek(path: Path) -> Iterator[Record]:
    """Yield the first records of a file. Records with ids and times are left out, because only other programs'
    formats have them.
    """
    return (
        record for record in read_first_records(path) if not record.keys() & {"uuid", "timestamp", "sessionId", "t"}
    )


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Sources for Cursor's folders on this machine."""
    named = [environ[name] for name in ("CURSOR_CONFIG_DIR", "CURSOR_DATA_DIR") if environ.get(name)]
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    seen = set()
    for folder in [*map(Path, named), home / ".cursor", config / "cursor"]:
        real = os.path.realpath(folder)
        if real in seen or not ((folder / CHATS).is_dir() or any(folder.glob(f"{PROJECTS}/*/{TRANSCRIPTS}"))):
            continue
        seen.add(real)
        yield CursorCli(folder)
