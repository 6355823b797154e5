"""LanceDB's full-text index: BM25 over stemmed words without stop words, joined by OR. The package lancedb is
optional.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING

import lancedb
import pyarrow as pa
from lancedb.index import FTS
from lancedb.query import MatchQuery

from bench.datasets.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.engines import Hit
    from recall_rank.model import Session


class LanceDb:
    name = "lancedb"
    threaded = True  # it searches on threads of its own

    def build(self, sessions: Iterable[Session]) -> None:
        folder = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, folder)
        self.hits: list[Hit] = []
        texts = []
        for document in documents(sessions):
            self.hits.append(document.hit)
            texts.append(document.text)
        rows = pa.table({"number": pa.array(range(len(texts)), pa.int64()), "text": pa.array(texts, pa.large_string())})
        self.table = lancedb.connect(folder).create_table("parts", rows)
        self.table.create_index("text", config=FTS(language="English", stem=True, remove_stop_words=True))

    def search(self, query: str, k: int) -> list[Hit]:
        asked = MatchQuery(query, "text")  # type: ignore[call-arg]  # mypy does not see the defaults of pydantic
        found = self.table.search(asked, query_type="fts").select(["number", "_score"]).limit(k).to_arrow()
        return [self.hits[number] for number in found["number"].to_pylist()]
