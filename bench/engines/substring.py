"""Substring scan: parts that hold the whole query without regard to case, newest first, as a literal search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.datasets.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.engines import Hit
    from recall_rank.model import Session


class Substring:
    name = "substring"

    def build(self, sessions: Iterable[Session]) -> None:
        found = sorted(documents(sessions), key=lambda one: -one.time)
        self.hits = [one.hit for one in found]
        self.texts = [one.text.casefold() for one in found]

    def search(self, query: str, k: int) -> list[Hit]:
        needle = query.casefold()
        hits: list[Hit] = []
        for hit, text in zip(self.hits, self.texts, strict=True):
            if needle in text:
                hits.append(hit)
                if len(hits) == k:
                    break
        return hits
