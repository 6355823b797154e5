"""Fetch rows in short transactions, so that the program that owns the database is not disturbed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Any

from recall_rank.loaders.content.values import text_of

Row = tuple[Any, ...]

TRANSACTION_SECONDS = 0.1  # with one more row it stays below the promised 0.25 s
ROWS = 64  # fetched between two checks of the deadline
_ALWAYS = -(1 << 63)  # below every rowid


class RowReader:
    """Fetches rows inside one transaction, or inside several short ones when one would take long."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.monotonic) -> None:
        self.transactions = 0
        self._connection = connection
        self._clock = clock
        self._began = 0.0
        self._inside = False

    def fetch_few(self, sql: str, *parameters: Any) -> list[Row]:
        """All rows of a statement that returns few rows quickly."""
        self._begin()
        return self._connection.execute(sql, parameters).fetchall()

    def fetch(self, sql: str, *parameters: Any) -> list[Row]:
        """All rows of a statement, in several transactions when one would take long.

        The first column of the statement must be the rowid, and the statement must end in "rowid > ? ORDER BY rowid".
        """
        rows: list[Row] = []
        after = _ALWAYS
        while True:
            self._begin()
            cursor = self._connection.execute(sql, (*parameters, after))
            while found := cursor.fetchmany(ROWS):
                rows += found
                after = found[-1][0]
                if self._clock() - self._began > TRANSACTION_SECONDS:
                    break
            else:
                return rows
            cursor.close()
            self.finish()

    def finish(self) -> None:
        """End the transaction, so that the program can shrink the database's write-ahead log."""
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
    """The value of a text column as str: connections return text as bytes, in which invalid UTF-8 becomes U+FFFD."""
    return value.decode("utf-8", "replace") if type(value) is bytes else text_of(value)
