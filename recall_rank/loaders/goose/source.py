"""Goose: one SQLite database for all sessions; older versions wrote one JSONL file for each session, which may still
exist.

Implemented from the schema in Goose's source code and public documentation; not checked against a store that a real
Goose wrote.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from recall_rank.loaders.content.times import millis, with_checked_times
from recall_rank.loaders.content.values import text_of
from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import open_file
from recall_rank.loaders.files.session_files import SessionFiles
from recall_rank.loaders.goose.content import ROLES, GooseConversation
from recall_rank.loaders.goose.database import AGENT, NEEDED, SESSION, GooseDatabase, session_from
from recall_rank.loaders.json.first_records import read_first_records
from recall_rank.loaders.json.jsonl import JsonlRecords
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.sqlite.session_database import missing_column, read_columns_at
from recall_rank.model import Message, Reading, Source, Unit

NAME = AGENT
FILE = "sessions.db"
SUFFIX = ".jsonl"
SUFFIXES = {".db", ".sqlite", ".sqlite3"}
_HEAD = {"working_dir", "description", "message_count"}
PEEKED = 20  # files of a folder, to tell whether they are sessions of Goose


class GooseFiles(SessionFiles):
    """A source for a folder of the older session files, or for one such file. Each file is one unit, read on its
    own.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or NAME)

    @staticmethod
    def wanted(name: str) -> bool:
        return name.endswith(SUFFIX)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        path = self.path_of(unit)
        talk = GooseConversation()
        head: Record = {}
        with open_file(path, self._root) as file:
            records = JsonlRecords(read_blocks(file), unit.location, starts=('{"id":', '{"role":'))
            for number, record in with_checked_times(records, "created"):
                if "role" not in record and "content" not in record:
                    head = head if head.keys() & _HEAD else record  # records of other kinds may stand before it
                    continue
                role = ROLES.get(text_of(record.get("role")), "system")
                key = text_of(record.get("id")) or f"{path.stem}:{number}"
                message = Message(key, role, millis(record.get("created")))
                problem = talk.add(message, record.get("content"), record.get("metadata"))
                if problem:
                    records.bad(number, problem)
        session = session_from(path.stem, {name: head.get(name) for name in SESSION}, talk, self.name)
        return Reading([session] if session.messages else [], records.malformed)


class Goose(GooseFiles):
    """A source for a folder with Goose's database and its older session files. A session file is read only when the
    database has no session of its name.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name)
        self._database = GooseDatabase(path / FILE, name)

    def __enter__(self) -> Self:
        self._database.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._database.__exit__(*exception)

    def close(self) -> None:
        """Close the database; the next read opens it again."""
        self._database.close()

    def files(self) -> list[str]:
        """Return the paths of the files of the database, and of the older session files."""
        return [*self._database.files(), *(unit.location for unit in super().units())]

    def units(self) -> Iterable[Unit]:
        stored = list(self._database.units())
        keys = {unit.key for unit in stored}
        return [*stored, *(unit for unit in super().units() if unit.key.removesuffix(SUFFIX) not in keys)]

    def signature(self, unit: Unit) -> bytes:
        return super().signature(unit) if unit.key.endswith(SUFFIX) else self._database.signature(unit)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        if unit.key.endswith(SUFFIX):
            return super().read(unit, since)
        self._database.name = self.name
        return self._database.read(unit, since)


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a Goose database, recognised by its name and tables, or for older session files; None for any
    other path.
    """
    if path.is_file():
        if path.name == FILE:
            return named(path)
        return GooseFiles(path) if path.name.endswith(SUFFIX) and _wrote(path) else None
    if not _holds_files(path):
        return None
    return Goose(path) if (path / FILE).is_file() and named(path / FILE) else GooseFiles(path)


def named(path: Path) -> Source | None:
    """Return a source for a Goose database under any name, recognised by its tables; None for any other file."""
    if path.suffix not in SUFFIXES or not path.is_file():
        return None
    columns = read_columns_at(path)
    if columns is None:  # reading says why
        return GooseDatabase(path) if path.name == FILE and NAME in path.parts else None
    return None if missing_column(columns, NEEDED) else GooseDatabase(path)


def _holds_files(folder: Path) -> bool:
    return any(map(_wrote, sorted(folder.glob(f"*{SUFFIX}"))[:PEEKED]))


def _wrote(path: Path) -> bool:
    return any(record.keys() >= _HEAD for record in read_first_records(path))


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Yield a source for each folder of this machine in which Goose keeps its database or older session files."""
    seen = set()
    for folder in _folders(environ, home):
        real = os.path.realpath(folder)
        if real in seen or not folder.is_dir():
            continue
        seen.add(real)
        source = recognise(folder) or (GooseDatabase(folder / FILE) if (folder / FILE).is_file() else None)
        if source is not None:
            yield source


def _folders(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    root = environ.get("GOOSE_PATH_ROOT")
    if root and Path(root).is_absolute():
        return [Path(root) / "data" / "sessions"]
    bases = [Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / NAME]
    library = home / "Library" / "Application Support"
    bases += [library / "Block" / NAME, library / "Block.goose", library / NAME]
    for variable in ("APPDATA", "LOCALAPPDATA"):
        if environ.get(variable):
            bases.append(Path(environ[variable]) / "Block" / NAME / "data")
    return [base / "sessions" for base in bases]
