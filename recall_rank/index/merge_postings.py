"""The postings of several segments as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from recall_rank._core.builder import BLOCK
from recall_rank._core.postings import Postings
from recall_rank.index.joined import JoinedSegment
from recall_rank.index.merge_rows import Taken
from recall_rank.index.merge_terms import Terms

# as Postings takes its buffers
_DTYPES: tuple[type[np.generic], ...] = (np.uint32, np.uint64, np.uint32, np.uint64, np.uint16, np.uint8)


@dataclass(frozen=True, slots=True)
class MergedPostings:
    """Postings whose terms still have the numbers of Terms; df is 0 for those that nobody holds any more."""

    df: npt.NDArray[np.int64]
    block_starts: Sequence[int]
    terms: npt.NDArray[np.int64]
    pointers: npt.NDArray[np.uint64]
    docs: npt.NDArray[np.uint16]
    tfs: npt.NDArray[np.uint8]

    def columns(self) -> Iterator[npt.NDArray[Any]]:
        """The columns as Postings takes them, of the terms that somebody holds."""
        kept = self.df > 0
        yield self.df[kept].astype(np.uint32)
        yield np.array(self.block_starts, np.uint64)
        yield (np.cumsum(kept) - 1)[self.terms].astype(np.uint32)
        yield self.pointers
        yield self.docs
        yield self.tfs


class _Source:
    """The postings of one segment, and where its documents go."""

    def __init__(self, postings: Postings, docs: int, rows: Sequence[Taken], numbers: npt.NDArray[np.int64]) -> None:
        buffers: list[npt.NDArray[Any]] = [
            np.frombuffer(memoryview(buffer), kind) for buffer, kind in zip(postings.buffers, _DTYPES, strict=True)
        ]
        _, self.block_starts, self.terms, self.pointers, self.docs, self.tfs = buffers
        self.numbers = numbers
        self.place = np.full(docs, -1)
        for row in rows:
            first, last = row.first["document"], row.last["document"]
            self.place[first:last] = np.arange(last - first) + row.place["document"]
        self.left = np.flatnonzero(self.place >= 0)
        self.places = self.place[self.left]  # ascending: a segment's sessions stay in their order

    def keys(self, base: int) -> Iterator[npt.NDArray[np.uint64]]:
        """The postings of the documents that go to [base, base + BLOCK): term, document and frequency in one number."""
        low, high = np.searchsorted(self.places, (base, base + BLOCK)).tolist()
        if low == high:
            return
        for block in range(self.left[low] // BLOCK, self.left[high - 1] // BLOCK + 1):
            first, last = self.block_starts[block : block + 2].tolist()
            pointers = self.pointers[first : last + 1].astype(np.int64)
            begin, end = int(pointers[0]), int(pointers[-1])
            place = self.place[self.docs[begin:end].astype(np.int64) + block * BLOCK]
            term = np.repeat(self.numbers[self.terms[first:last]], np.diff(pointers))
            key = (term << 24 | (place - base) << 8 | self.tfs[begin:end]).astype(np.uint64)
            inside = (place >= base) & (place < base + BLOCK)
            yield key if inside.all() else key[inside]


def merged_postings(joined: JoinedSegment, rows: Sequence[Taken], terms: Terms) -> MergedPostings:
    """The postings of what is taken, block by block: what is held beside the result is a few times one block."""
    sources = [
        _Source(piece.segment.postings, piece.segment.docs, [row for row in rows if row.piece == number], own)
        for number, (piece, own) in enumerate(zip(joined.pieces, terms.numbers, strict=True))
    ]
    documents = sum(len(source.left) for source in sources)
    df = np.zeros(len(terms.sizes), np.int64)
    block_starts, listed, total = [0], 0, 0
    entries: list[npt.NDArray[np.int64]] = [np.empty(0, np.int64)]
    pointers: list[npt.NDArray[np.uint64]] = []
    docs: list[npt.NDArray[np.uint16]] = [np.empty(0, np.uint16)]
    tfs: list[npt.NDArray[np.uint8]] = [np.empty(0, np.uint8)]
    for base in range(0, documents, BLOCK):
        found = [key for source in sources for key in source.keys(base)]
        keys = np.concatenate([np.empty(0, np.uint64), *found])
        if len(found) > 1:
            keys.sort(kind="stable")
        term = (keys >> np.uint64(24)).astype(np.int64)
        first = np.flatnonzero(np.concatenate([np.ones(min(1, len(term)), np.bool_), term[1:] != term[:-1]]))
        entries.append(term[first])
        pointers.append((first + total).astype(np.uint64))
        df[term[first]] += np.diff(np.append(first, len(term)))
        docs.append((keys >> np.uint64(8)).astype(np.uint16))
        tfs.append(keys.astype(np.uint8))
        listed, total = listed + len(first), total + len(term)
        block_starts.append(listed)
    pointers.append(np.array([total], np.uint64))
    return MergedPostings(
        df, block_starts, np.concatenate(entries), np.concatenate(pointers), np.concatenate(docs), np.concatenate(tfs)
    )
