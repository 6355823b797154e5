"""Copy some tables of a database into a new one, so that what a program keeps beside its sessions, such as keys, stays
behind.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

_TABLE: Final = "CREATE TABLE "
_INDEXES: Final = ("CREATE INDEX ", "CREATE UNIQUE INDEX ")


def copy_tables(database: Path, target: Path, tables: Mapping[str, str], empty: Collection[str] = ()) -> None:
    """Write to the new file `target` those of the `tables` that a database has, with their indexes.

    `tables` maps names to the condition, in SQL, of the rows that are copied; "" is for all. Rows keep their numbers;
    the columns named in `empty` get their defaults. The file `database` must be one that may be changed, since its log
    is read into it. Raises OSError when it cannot be read.
    """
    try:
        with closing(sqlite3.connect(target, isolation_level=None)) as made:
            made.execute("PRAGMA trusted_schema = OFF")  # the schema comes from another machine
            made.execute("PRAGMA journal_mode = OFF")
            made.execute("ATTACH ? AS whole", (str(database),))
            schema = "SELECT type, tbl_name, sql FROM whole.sqlite_master WHERE type IN ('table', 'index') AND sql > ''"
            kept = [(kind, name, sql) for kind, name, sql in made.execute(schema).fetchall() if name in tables]
            made.execute("BEGIN")
            for kind, name, sql in kept:
                if kind == "table" and sql.startswith(_TABLE):
                    made.execute(sql)
                    made.execute(_insert(made, name, tables[name], empty))
            for kind, _, sql in kept:
                if kind == "index" and sql.startswith(_INDEXES):
                    made.execute(sql)
            made.execute("COMMIT")
    except sqlite3.Error as error:
        raise OSError(errno.EIO, str(error), str(database)) from error


def _insert(made: sqlite3.Connection, table: str, condition: str, empty: Collection[str]) -> str:
    """Return the statement that copies the rows of a table; `table` and `condition` are texts of this program."""
    found = made.execute("SELECT name FROM pragma_table_info(?, 'whole')", (table,))
    quoted = ('"{}"'.format(name.replace('"', '""')) for (name,) in found if name not in empty)
    names = ", ".join(["rowid", *quoted])
    where = f" WHERE {condition}" if condition else ""
    return f'INSERT INTO main."{table}" ({names}) SELECT {names} FROM whole."{table}"{where}'  # noqa: S608
