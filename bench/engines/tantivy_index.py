"""tantivy: BM25 over exact words joined by OR, over their stems, or over words within one edit of the query's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import Stemmer
import tantivy

from bench.datasets.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.engines import Hit
    from recall_rank.model import Session

WORD = re.compile(r"[^\W_]+")  # a word of tantivy's tokenizer
FUZZY_LENGTH = 4  # shorter words must match exactly
WRITER_BYTES = 128_000_000


class Tantivy:
    name = "tantivy"
    tokenizer = "default"

    def build(self, sessions: Iterable[Session]) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", stored=True, tokenizer_name=self.tokenizer)
        builder.add_integer_field("number", stored=True)
        self.schema = builder.build()
        self.index = tantivy.Index(self.schema)
        writer = self.index.writer(WRITER_BYTES, 1)
        self.hits: list[Hit] = []
        for number, document in enumerate(documents(sessions)):
            self.hits.append(document.hit)
            writer.add_document(tantivy.Document(text=document.text, number=number))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def query(self, text: str) -> Any:
        """Return the query for any of the words."""
        return self._any(tantivy.Query.term_query(self.schema, "text", word) for word in self._words(text))

    def _words(self, text: str) -> list[str]:
        return list(dict.fromkeys(word.lower() for word in WORD.findall(text)))

    def _any(self, queries: Iterable[Any]) -> Any:
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, one) for one in queries])

    def search(self, query: str, k: int) -> list[Hit]:
        found = self.searcher.search(self.query(query), k).hits
        return [self.hits[self.searcher.doc(address)["number"][0]] for _, address in found]

    def page(self, query: str, k: int) -> list[tuple[Hit, str]]:
        """Return at most k hits, each with a snippet."""
        asked = self.query(query)
        snippets = tantivy.SnippetGenerator.create(self.searcher, asked, self.schema, "text")
        found = [self.searcher.doc(address) for _, address in self.searcher.search(asked, k).hits]
        return [(self.hits[one["number"][0]], snippets.snippet_from_doc(one).fragment()) for one in found]


class TantivyStem(Tantivy):
    name = "tantivy-stem"
    tokenizer = "en_stem"

    def __init__(self) -> None:
        self.stemmer = Stemmer.Stemmer("english")  # the algorithm of en_stem

    def _words(self, text: str) -> list[str]:
        return list(dict.fromkeys(self.stemmer.stemWords(super()._words(text))))


class TantivyFuzzy1(Tantivy):
    name = "tantivy-fuzzy1"

    def query(self, text: str) -> Any:
        """Return the query for any of the exact words, and for words within one edit of those of four letters or
        more.
        """
        words = self._words(text)
        exact = [tantivy.Query.term_query(self.schema, "text", word) for word in words]
        near = [
            tantivy.Query.fuzzy_term_query(self.schema, "text", word, distance=1, transposition_cost_one=True)
            for word in words
            if len(word) >= FUZZY_LENGTH
        ]
        return self._any([*exact, *near])
