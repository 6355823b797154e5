"""bm25s: BM25 over stemmed words without stop words, scores precomputed at build time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bm25s
import Stemmer

from bench.datasets.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.engines import Hit
    from recall_rank.model import Session


class Bm25s:
    name = "bm25s"

    def build(self, sessions: Iterable[Session]) -> None:
        self.hits: list[Hit] = []
        texts = []
        for document in documents(sessions):
            self.hits.append(document.hit)
            texts.append(document.text)
        self.stemmer = Stemmer.Stemmer("english")
        tokens = bm25s.tokenize(texts, stopwords="en", stemmer=self.stemmer, show_progress=False)
        self.index = bm25s.BM25()
        self.index.index(tokens, show_progress=False)

    def search(self, query: str, k: int) -> list[Hit]:
        tokens = bm25s.tokenize(query, stopwords="en", stemmer=self.stemmer, show_progress=False, return_ids=False)
        if not tokens[0]:
            return []
        depth = min(k, len(self.hits))
        found, scores = self.index.retrieve(tokens, k=depth, show_progress=False)
        return [self.hits[number] for number, score in zip(found[0], scores[0], strict=True) if score > 0]
