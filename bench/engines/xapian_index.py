"""Xapian: BM25 over stemmed words joined by OR, as its query parser reads a text without operators; optionally with its
spelling suggestions for unknown words.

The package is optional: xapian-bindings-binary of PyPI, or python3-xapian of Debian, whose module is found from a
virtual environment too if both have one version of Python.
"""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import re
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.datasets.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.engines import Hit
    from recall_rank.model import Session

DEBIAN = Path("/usr/lib/python3/dist-packages")
MISSING = "Xapian is not installed: pip install xapian-bindings-binary, or apt-get install python3-xapian"
LANGUAGE = "en"
WORD = re.compile(r"\w+")
EDITS = 2
K1, B = 1.2, 0.75  # as in the other engines; Xapian's own b of .5 prefers long outputs of tools
SNIPPET = 200  # characters


@functools.cache
def xapian() -> Any:
    """Return the module of Xapian. Raises ImportError that says what to install."""
    try:
        return importlib.import_module("xapian")
    except ImportError:
        suffixes = importlib.machinery.EXTENSION_SUFFIXES
        if not any((DEBIAN / "xapian" / f"_xapian{suffix}").is_file() for suffix in suffixes):
            raise ImportError(MISSING) from None
    sys.path.append(str(DEBIAN))
    try:
        return importlib.import_module("xapian")
    finally:
        sys.path.remove(str(DEBIAN))  # only this one module comes from there


class Xapian:
    name = "xapian"
    spelling = False

    def __init__(self) -> None:
        self.module = xapian()

    def build(self, sessions: Iterable[Session]) -> None:
        folder = tempfile.mkdtemp()  # its index in memory knows no spelling
        weakref.finalize(self, shutil.rmtree, folder)
        flags = self.module.DB_CREATE | self.module.DB_NO_SYNC
        database = self.module.WritableDatabase(folder, flags)
        indexer = self.module.TermGenerator()
        indexer.set_stemmer(self.module.Stem(LANGUAGE))
        if self.spelling:
            indexer.set_database(database)
            indexer.set_flags(self.module.TermGenerator.FLAG_SPELLING)
        self.hits: list[Hit] = []
        for found in documents(sessions):
            self.hits.append(found.hit)
            document = self.module.Document()
            document.set_data(found.text)
            indexer.set_document(document)
            indexer.index_text(found.text)
            database.add_document(document)  # numbered from 1
        database.commit()
        database.close()
        self.database = self.module.Database(folder)
        self.enquire = self.module.Enquire(self.database)
        self.enquire.set_weighting_scheme(self.module.BM25Weight(K1, 0, 1, B, 0))
        self.parser = self.module.QueryParser()
        self.parser.set_stemmer(self.module.Stem(LANGUAGE))
        self.parser.set_stemming_strategy(self.module.QueryParser.STEM_SOME)
        self.parser.set_default_op(self.module.Query.OP_OR)

    def search(self, query: str, k: int) -> list[Hit]:
        return [self.hits[match.docid - 1] for match in self._matches(query, k)]

    def page(self, query: str, k: int) -> list[tuple[Hit, str]]:
        """Return at most k hits, each with a snippet."""
        stemmer = self.module.Stem(LANGUAGE)
        matches = self._matches(query, k)
        return [
            (
                self.hits[match.docid - 1],
                matches.snippet(match.document.get_data().decode("utf-8", "replace"), SNIPPET, stemmer).decode(),
            )
            for match in matches
        ]

    def _matches(self, query: str, k: int) -> Any:
        asked = WORD.sub(self._spelt, query) if self.spelling else query
        self.enquire.set_query(self.parser.parse_query(asked, 0))  # no operators
        return self.enquire.get_mset(0, k)

    def _spelt(self, found: re.Match[str]) -> str:
        """Return a word of the index as it is, else Xapian's suggestion for it. Its query parser would correct words
        of the index too, as soon as a similar one is more frequent.
        """
        word = found[0].lower()
        if self.database.term_exists(word):
            return found[0]
        return self.database.get_spelling_suggestion(word, EDITS).decode() or found[0]


class XapianSpelling(Xapian):
    name = "xapian-spelling"
    spelling = True
