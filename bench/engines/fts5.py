"""SQLite FTS5: words joined by OR and ranked by bm25(), with plain words, Porter stems or trigrams."""

from __future__ import annotations

import re
import sqlite3
import weakref
from typing import TYPE_CHECKING

from bench.datasets.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.engines import Hit
    from recall_rank.model import Session

WORD = re.compile(r"\w+")


class Fts5:
    name = "fts5"
    tokenizer = "unicode61"

    def build(self, sessions: Iterable[Session]) -> None:
        self.hits: list[Hit] = []
        self.database = sqlite3.connect(":memory:", check_same_thread=False)
        weakref.finalize(self, self.database.close)  # Python warns of one that is not closed
        self.database.execute(f"CREATE VIRTUAL TABLE parts USING fts5(text, tokenize='{self.tokenizer}')")
        self.database.executemany("INSERT INTO parts(rowid, text) VALUES (?, ?)", self._rows(sessions))

    def _rows(self, sessions: Iterable[Session]) -> Iterable[tuple[int, str]]:
        for number, document in enumerate(documents(sessions)):
            self.hits.append(document.hit)
            yield number, document.text.replace("\0", " ")

    def terms(self, query: str) -> list[str]:
        return list(dict.fromkeys(WORD.findall(query.lower())))  # FTS5 counts a word that is repeated twice

    def search(self, query: str, k: int) -> list[Hit]:
        return [self.hits[number] for (number,) in self._select("rowid", query, k)]

    def page(self, query: str, k: int) -> list[tuple[int, str]]:
        """Return at most k rows, each with a snippet."""
        return list(self._select("rowid, snippet(parts, 0, '', '', ' ... ', 32)", query, k))

    def _select(self, columns: str, query: str, k: int) -> Iterable[tuple]:  # type: ignore[type-arg]
        terms = self.terms(query)
        if not terms:
            return []
        match = " OR ".join(f'"{term}"' for term in terms)
        return self.database.execute(
            f"SELECT {columns} FROM parts WHERE parts MATCH ? ORDER BY rank LIMIT ?", (match, k)
        )


class Fts5Porter(Fts5):
    name = "fts5-porter"
    tokenizer = "porter unicode61"


class Fts5Trigram(Fts5):
    name = "fts5-trigram"
    tokenizer = "trigram"

    def terms(self, query: str) -> list[str]:
        return [term for term in super().terms(query) if len(term) >= 3]
