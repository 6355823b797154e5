"""Fetch rows in short transactions, so that the program that owns the database is not disturbed, and within limits of
memory.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable
from typing import Any

from recall_rank.loaders.content.values import text_of
from recall_rank.loaders.limits import limits, size_text
from recall_rank.loaders.malformed import add_malformed
from recall_rank.model import Malformed

Row = tuple[Any, ...]

TRANSACTION_SECONDS = 0.1  # with one more row it stays below the promised 0.25 s
ROWS = 64  # fetched between two checks of the deadline
RECORD = 512  # bytes that a row of a session, and the message or part that is made of it, take besides their values
_ALWAYS = -(1 << 63)  # below every rowid
_TABLE = re.compile(r"\bFROM (\w+)")


class RowReader:
    """Fetches rows inside one transaction, or inside several short ones when one would take long.

    `passed_over` lists the rows that are not returned, with their table as location, and the reason: a value is too
    long, or the rows fetched so far take as much memory as is allowed. It is bounded as add_malformed() says.
    """

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.monotonic) -> None:
        self.transactions = 0
        self.passed_over: list[Malformed] = []
        self._held = 0  # bytes of the rows fetched so far
        self._connection = connection
        self._clock = clock
        self._began = 0.0
        self._inside = False

    def fetch_few(self, sql: str, *parameters: Any) -> list[Row]:
        """Return all rows of a statement that returns few rows quickly."""
        self._begin()
        return self._connection.execute(sql, parameters).fetchall()

    def fetch(self, sql: str, *parameters: Any, record: int = 0) -> list[Row]:
        """Return the rows of a statement without those that are too long, in several transactions when one would take
        long.

        The first column of the statement must be the rowid, and the statement must end in "rowid > ? ORDER BY rowid".
        `parameters` are the values of its other placeholders. `record` is the number of bytes that each row counts
        besides its values: RECORD where it becomes a record of a session.
        """
        rows: list[Row] = []
        after = _ALWAYS
        while True:
            self._begin()
            try:
                for count, row in enumerate(self._connection.execute(sql, (*parameters, after)), 1):
                    after = row[0]
                    self._keep(rows, row, sql, record)
                    if not count % ROWS and self._clock() - self._began > TRANSACTION_SECONDS:
                        break
                else:
                    return rows
            except sqlite3.DataError as error:
                if error.sqlite_errorname != "SQLITE_TOOBIG":
                    raise
                self._fetch_singly(rows, sql, (*parameters, after), record)
                return rows
            self.finish()

    def _fetch_singly(self, rows: list[Row], sql: str, parameters: tuple[Any, ...], record: int) -> None:
        """Add the rows of a statement one by one; those with a value that is too long are passed over."""
        wanted = self._connection.execute(f"SELECT rowid FROM ({sql})", parameters).fetchall()  # noqa: S608
        for (rowid,) in wanted:
            self._begin()
            try:
                found = self._connection.execute(f"SELECT * FROM ({sql}) WHERE rowid = ?", (*parameters, rowid))  # noqa: S608
                for row in found:
                    self._keep(rows, row, sql, record)
            except sqlite3.DataError as error:
                if error.sqlite_errorname != "SQLITE_TOOBIG":
                    raise
                self._pass_over(sql, rowid, f"a value of more than {size_text(limits().value)} is not read")

    def _keep(self, rows: list[Row], row: Row, sql: str, record: int) -> None:
        """Append a row to `rows`, or note it in `passed_over` when all rows fetched so far and this one exceed
        `limits().rows` bytes.
        """
        size = record + sum([len(value) for value in row if type(value) is bytes])
        if self._held + size > limits().rows:
            self._pass_over(sql, row[0], f"rows of more than {size_text(limits().rows)} together are not read")
            return
        self._held += size
        rows.append(row)

    def _pass_over(self, sql: str, rowid: int, reason: str) -> None:
        found = _TABLE.search(sql)
        add_malformed(self.passed_over, Malformed(found[1] if found else "", f"row {rowid}", reason))

    def drop(self, *fetched: list[Row]) -> None:
        """Empty the lists of all rows that were fetched, to fetch them again."""
        for rows in fetched:
            rows.clear()
        self._held = 0
        self.passed_over = []

    def finish(self) -> None:
        """End the transaction, so that the program that owns the database can shrink its write-ahead log."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self._inside = False

    def _begin(self) -> None:
        if self._inside and self._clock() - self._began > TRANSACTION_SECONDS:
            self.finish()
        if not self._inside:
            self._connection.execute("BEGIN")
            self._began = self._clock()
            self._inside = True
            self.transactions += 1


def decode_text(value: Any) -> str | None:
    """Return the value of a text column as str: connections return text as bytes, in which invalid UTF-8 becomes
    U+FFFD.
    """
    return value.decode("utf-8", "replace") if type(value) is bytes else text_of(value)
