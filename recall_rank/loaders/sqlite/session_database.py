"""The base of sources that keep all sessions in one SQLite database."""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

from recall_rank.loaders.content.times import odd_time
from recall_rank.loaders.limits import limits
from recall_rank.loaders.sqlite.database import Database
from recall_rank.loaders.sqlite.reader import RowReader, decode_text
from recall_rank.loaders.store_places import resolve_store
from recall_rank.model import BaseSource, Malformed, Unit

T = TypeVar("T")
Columns = Mapping[str, set[str]]  # of each table


class SessionDatabase(BaseSource, ABC):
    """A source for one database. Each session is one unit, read on its own. Inside `with`, the connection is kept open
    between reads.

    A subclass implements `keys` and `signatures`, which get a RowReader, and `read`. Of more than `limits().sessions`
    sessions the first that were stored are left out.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.location = str(path)
        self._database = Database(resolve_store(path))
        self._signatures: tuple[Any, dict[str, bytes]] = (None, {})

    def __enter__(self) -> Self:
        self._database.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._database.__exit__(*exception)

    def close(self) -> None:
        """Close the database; the next read opens it again."""
        self._database.close()

    def files(self) -> list[str]:
        """Return the paths of the database and of its write-ahead log."""
        path = str(self._database.path)
        return [path, f"{path}-wal"]

    def units(self) -> Iterable[Unit]:
        found, most = self._database.read(self.keys), limits().sessions
        left_out = len(found) - most
        text = f"more than {most:,} sessions in one database: the first {left_out:,} were left out"
        self.warnings = [text] if left_out > 0 else []
        return [Unit(key, self.location) for key in sorted(found[-most:])]

    def signature(self, unit: Unit) -> bytes:
        """Bytes that differ when the rows of the unit's session differ; the database is queried again only when its
        files changed.
        """
        state = self._database.state()
        if self._signatures[0] != state:
            self._signatures = (state, self._database.read(self.signatures))
        return self._signatures[1].get(unit.key, b"")

    @abstractmethod
    def keys(self, reader: RowReader) -> list[str]:
        """Return the ids of all sessions, as they were stored. Raises OSError when the schema is not that of the
        agent.
        """

    @abstractmethod
    def signatures(self, reader: RowReader) -> dict[str, bytes]:
        """Return a mapping from session id to bytes that change when one of the session's rows changes."""

    def fetched(self, fetch: Callable[[RowReader], T]) -> tuple[T, list[Malformed]]:
        """Return the result of `fetch` on the database, and a Malformed record for each row that was not read because
        it exceeds the limits of memory.
        """

        def read(reader: RowReader) -> tuple[T, list[Malformed]]:
            return fetch(reader), reader.passed_over

        result, passed_over = self._database.read(read)
        return result, [replace(row, location=f"{self.location} {row.location}") for row in passed_over]

    def malformed(self, table: str, row: object, reason: str) -> Malformed:
        """Return a Malformed record that reports a row of a table that cannot be used."""
        return Malformed(f"{self.location} {table}", f"row {row}", reason)

    def odd_times(self, table: str, row: object, *times: object) -> Iterator[Malformed]:
        """Yield a Malformed record for each of `times`, recorded in a row of a table, that cannot be used as a time."""
        for reason in filter(None, map(odd_time, times)):
            yield self.malformed(table, row, reason)


def read_columns(reader: RowReader) -> dict[str, set[str]]:
    """Return a mapping from the name of every table to the names of its columns."""
    sql = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
    found: dict[str, set[str]] = {}
    for table, column in reader.fetch_few(sql):
        found.setdefault(decode_text(table) or "", set()).add(decode_text(column) or "")
    return found


def read_columns_at(path: Path) -> Columns | None:
    """Return a mapping from the name of every table of the database at `path` to the names of its columns; None when
    the database cannot be read.
    """
    database = Database(resolve_store(path))
    try:
        return database.read(read_columns)
    except OSError:
        return None
    finally:
        database.close()


def missing_column(columns: Columns, needed: Columns) -> str | None:
    """Return the first table or column of `needed` that the schema `columns` lacks, as text; None when it has all of
    them.
    """
    for table, names in needed.items():
        if table not in columns:
            return f"table {table}"
        missing = names - columns[table]
        if missing:
            return f"column {min(missing)} of {table}"
    return None


def unknown_schema_error(agent: str, lack: str) -> OSError:
    """Return the error for a database that lacks a table or column of the agent's schema; `lack` names it."""
    return OSError(errno.EINVAL, f"not a schema of {agent} that is known here: {lack} is missing")


def select_list(wanted: Iterable[str], present: set[str]) -> str:
    """Return the column list of a SELECT, with NULL for each wanted column that the schema does not have."""
    return ", ".join(name if name in present else f"NULL AS {name}" for name in wanted)
