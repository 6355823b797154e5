"""Merge the vocabularies of several segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank.model.record_classes import frozen


@frozen
class MergedTerms:
    """The distinct terms of all segments, sorted as in a vocabulary.

    numbers[k] maps the terms of segment k: numbers[k][term number in the segment] is the merged term number.
    """

    numbers: Sequence[npt.NDArray[np.int64]]  # for each segment, the merged number of each of its terms
    arena: npt.NDArray[np.uint8]  # UTF-8 of all terms, concatenated
    sizes: npt.NDArray[np.int64]  # of each term, in bytes
    lengths: npt.NDArray[np.int64]  # of each term, in code points
    signatures: npt.NDArray[np.uint32]
    longest: int  # values of the column that gives the first term of each length

    def columns(self, used: npt.NDArray[np.bool_]) -> Iterator[npt.NDArray[Any]]:
        """Yield the arguments of Vocabulary for the terms marked in `used`: arena, offsets, starts and signatures."""
        sizes = self.sizes[used]
        yield self.arena[np.repeat(used, self.sizes)]
        yield np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]).astype(np.uint32)
        yield np.searchsorted(self.lengths[used], np.arange(self.longest)).astype(np.uint32)
        yield self.signatures[used]


@frozen
class _Block:
    """The terms of one vocabulary that have one length in code points, with their sizes in bytes and their signatures.

    forms[k] is the UTF-8 of term k, padded with zeros.
    """

    forms: npt.NDArray[np.uint8]
    sizes: npt.NDArray[np.int64]
    signatures: npt.NDArray[np.uint32]


def merged_terms(vocabularies: Sequence[Vocabulary]) -> MergedTerms:
    """Return the union of several vocabularies, sorted by length in code points, then by bytes, as each of them is."""
    starts = [
        np.frombuffer(memoryview(vocabulary.starts_buffer), np.uint32).astype(np.int64) for vocabulary in vocabularies
    ]
    longest = max(map(len, starts), default=66)
    numbers = [np.zeros(len(vocabulary), np.int64) for vocabulary in vocabularies]
    forms, sizes, lengths, signatures = [np.empty(0, np.uint8)], [_NO_NUMBERS], [_NO_NUMBERS], [np.empty(0, np.uint32)]
    count = 0
    for length in range(longest - 1):
        bounds = [(int(own[length]), int(own[length + 1])) for own in starts]
        blocks = [_block(vocabulary, *bound) for vocabulary, bound in zip(vocabularies, bounds, strict=True)]
        if not any(len(block.sizes) for block in blocks):
            continue
        block, union_places = _union(blocks)
        at = 0
        for own, (first, last) in zip(numbers, bounds, strict=True):
            own[first:last] = count + union_places[at : at + last - first]
            at += last - first
        width = block.forms.shape[1]
        forms.append(block.forms[np.arange(width) < block.sizes[:, None]])
        sizes.append(block.sizes)
        lengths.append(np.full(len(block.sizes), length))
        signatures.append(block.signatures)
        count += len(block.sizes)
    return MergedTerms(
        numbers,
        np.concatenate(forms),
        np.concatenate(sizes),
        np.concatenate(lengths),
        np.concatenate(signatures),
        longest,
    )


_NO_NUMBERS = np.empty(0, np.int64)


def _block(vocabulary: Vocabulary, first: int, last: int) -> _Block:
    """Return the terms [first, last) of a vocabulary, which have equal length in code points, as a _Block."""
    offsets = np.frombuffer(memoryview(vocabulary.offsets_buffer), np.uint32)[first : last + 1].astype(np.int64)
    signatures = np.frombuffer(memoryview(vocabulary.signatures_buffer), np.uint32)[first:last]
    sizes = np.diff(offsets)
    width = int(sizes.max(initial=0))
    data = np.frombuffer(memoryview(vocabulary.arena_buffer), np.uint8)[offsets[0] : offsets[-1]]
    if width * len(sizes) == len(data):  # all terms have one size, as ASCII terms of one length do
        return _Block(data.reshape(len(sizes), width), sizes, signatures)
    forms = np.zeros((len(sizes), width), np.uint8)
    forms[np.arange(width) < sizes[:, None]] = data
    return _Block(forms, sizes, signatures)


def _union(blocks: Sequence[_Block]) -> tuple[_Block, npt.NDArray[np.int64]]:
    """Return (union, indices): the distinct terms of all blocks, sorted, and the index in `union` of each term of each
    block.

    `indices`, i64, follows the order of the blocks and of the terms within them.
    """
    width = max(block.forms.shape[1] for block in blocks)
    forms = np.concatenate([_widened(block.forms, width) for block in blocks])
    texts = forms.view(f"S{width}").ravel()  # terms contain no zero byte, so padding does not change their order
    order = np.argsort(texts, kind="stable")  # the stable sort merges the sorted blocks in linear time
    ordered = texts[order]
    is_first = np.ones(len(ordered), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    places = np.empty(len(ordered), np.int64)
    places[order] = np.cumsum(is_first) - 1
    chosen = order[is_first]
    sizes = np.concatenate([block.sizes for block in blocks])[chosen]
    signatures = np.concatenate([block.signatures for block in blocks])[chosen]
    return _Block(forms[chosen], sizes, signatures), places


def _widened(forms: npt.NDArray[np.uint8], width: int) -> npt.NDArray[np.uint8]:
    """Return `forms`, u8[terms, bytes], with each row padded with zeros to `width` bytes."""
    padding = width - forms.shape[1]
    return np.pad(forms, ((0, 0), (0, padding))) if padding else forms
