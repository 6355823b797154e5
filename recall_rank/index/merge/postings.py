"""Merge the postings of several segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from recall_rank._core.index.builder import BLOCK
from recall_rank._core.index.packing import PostingsWriter
from recall_rank._core.index.postings import Postings
from recall_rank.index.merge.rows import SourceRows
from recall_rank.index.merge.terms import MergedTerms
from recall_rank.index.reader.index_reader import IndexReader


class _SourcePostings:
    """The postings of one source segment, and the merged numbers of its terms and documents."""

    def __init__(
        self, postings: Postings, docs: int, rows: Sequence[SourceRows], term_numbers: npt.NDArray[np.int64]
    ) -> None:
        """Take the postings of one segment with `docs` documents.

        `rows` are the rows of this segment that the merge copies; term_numbers[t] is the merged number of its term t.
        """
        self.postings = postings
        self.term_numbers = term_numbers
        self.doc_numbers = np.full(docs, -1)  # merged number of each document, -1 for deleted ones
        for row in rows:
            first, last = row.first["document"], row.last["document"]
            self.doc_numbers[first:last] = np.arange(last - first) + row.target["document"]
        self.kept_docs = np.flatnonzero(self.doc_numbers >= 0)
        self.targets = self.doc_numbers[self.kept_docs]  # ascending: a merge keeps the order of a segment's sessions

    def keys(self, base: int) -> Iterator[npt.NDArray[np.uint64]]:
        """Yield the postings of the copied documents that are numbered [base, base + BLOCK) in the merged segment.

        A posting is one u64 that packs term, document and frequency. Each block of postings of this segment that has
        such documents gives one sorted array.
        """
        low, high = np.searchsorted(self.targets, (base, base + BLOCK)).tolist()
        if low == high:
            return
        for block in range(self.kept_docs[low] // BLOCK, self.kept_docs[high - 1] // BLOCK + 1):
            keys = self.postings.keys(block, self.term_numbers.data, self.doc_numbers.data, base)
            yield np.frombuffer(keys, np.uint64)


def merged_postings(reader: IndexReader, rows: Sequence[SourceRows], terms: MergedTerms) -> PostingsWriter:
    """Return a writer with the postings of all rows that a merge copies, by the term numbers of MergedTerms.

    The writer drops terms without postings when it finishes. Memory: the result, and a few blocks of postings.
    """
    sources = [
        _SourcePostings(
            view.segment.postings,
            view.segment.docs,
            [row for row in rows if row.segment_number == number],
            terms.numbers[number],
        )
        for number, view in enumerate(reader.views)
    ]
    documents = sum(len(source.kept_docs) for source in sources)
    writer = PostingsWriter(len(terms.sizes))
    for base in range(0, documents, BLOCK):
        found = [key for source in sources for key in source.keys(base)]
        keys = np.concatenate([np.empty(0, np.uint64), *found])
        if len(found) > 1:
            keys.sort(kind="stable")
        writer.add(keys.data)
    return writer
