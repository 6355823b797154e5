"""Rows fetched in transactions so short that the program which owns the database never notices."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Any

from recall_rank.loaders.content.values import text_of

Row = tuple[Any, ...]

TRANSACTION_SECONDS = 0.1  # a fetched row more, and it stays below the promised 0.25
ROWS = 64  # between two looks at the clock
_ALWAYS = -(1 << 63)  # below every rowid


class RowReader:
    """Fetches rows inside one transaction where that is quick, and inside several short ones where it is not."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.monotonic) -> None:
        self.transactions = 0
        self._connection = connection
        self._clock = clock
        self._began = 0.0
        self._inside = False

    def fetch_few(self, sql: str, *parameters: Any) -> list[Row]:
        """All rows of a statement that gives few, quickly."""
        self._begin()
        return self._connection.execute(sql, parameters).fetchall()

    def fetch(self, sql: str, *parameters: Any) -> list[Row]:
        """All rows, however many. The statement's first column is the rowid; it ends in "rowid > ? ORDER BY rowid"."""
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
        """Ends the transaction, so that the program's log can shrink."""
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
    """A text column's value: the database gives bytes, so that a broken one hides nothing."""
    return value.decode("utf-8", "replace") if type(value) is bytes else text_of(value)
