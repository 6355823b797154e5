"""The postings of several segments merged into one list of blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from recall_rank._core.index.builder import BLOCK
from recall_rank._core.index.packing import PostingsWriter
from recall_rank._core.index.postings import Postings
from recall_rank.index.merge.rows import Taken
from recall_rank.index.merge.terms import Terms
from recall_rank.index.reader.index_reader import IndexReader


class _Source:
    """The postings of one segment, with the merged numbers of its terms and documents."""

    def __init__(self, postings: Postings, docs: int, rows: Sequence[Taken], numbers: npt.NDArray[np.int64]) -> None:
        self.postings = postings
        self.numbers = numbers
        self.place = np.full(docs, -1)
        for row in rows:
            first, last = row.first["document"], row.last["document"]
            self.place[first:last] = np.arange(last - first) + row.place["document"]
        self.left = np.flatnonzero(self.place >= 0)
        self.places = self.place[self.left]  # ascending: a segment's sessions stay in their order

    def keys(self, base: int) -> Iterator[npt.NDArray[np.uint64]]:
        """The postings of the merged documents [base, base + BLOCK), as u64 of term, document and frequency."""
        low, high = np.searchsorted(self.places, (base, base + BLOCK)).tolist()
        if low == high:
            return
        for block in range(self.left[low] // BLOCK, self.left[high - 1] // BLOCK + 1):
            yield np.frombuffer(self.postings.keys(block, self.numbers.data, self.place.data, base), np.uint64)


def merged_postings(reader: IndexReader, rows: Sequence[Taken], terms: Terms) -> PostingsWriter:
    """The postings of the kept rows, written block by block. Needs memory for a few blocks besides the result.

    Terms have the numbers of Terms; the writer later leaves out terms without postings.
    """
    sources = [
        _Source(view.segment.postings, view.segment.docs, [row for row in rows if row.piece == number], own)
        for number, (view, own) in enumerate(zip(reader.views, terms.numbers, strict=True))
    ]
    documents = sum(len(source.left) for source in sources)
    writer = PostingsWriter(len(terms.sizes))
    for base in range(0, documents, BLOCK):
        found = [key for source in sources for key in source.keys(base)]
        keys = np.concatenate([np.empty(0, np.uint64), *found])
        if len(found) > 1:
            keys.sort(kind="stable")
        writer.add(keys.data)
    return writer
