"""The vocabularies of several segments merged into one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from recall_rank._core.index.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Terms:
    """The distinct terms of all segments in vocabulary order; numbers[k] maps the terms of segment k to merged
    numbers.
    """

    numbers: Sequence[npt.NDArray[np.int64]]
    arena: npt.NDArray[np.uint8]
    sizes: npt.NDArray[np.int64]  # bytes of each
    lengths: npt.NDArray[np.int64]  # code points of each
    signatures: npt.NDArray[np.uint32]
    longest: int  # size of the column `starts`

    def columns(self, kept: npt.NDArray[np.bool_]) -> Iterator[npt.NDArray[Any]]:
        """Arena, offsets, starts and signatures of the terms marked in `kept`, the arguments of Vocabulary."""
        sizes = self.sizes[kept]
        yield self.arena[np.repeat(kept, self.sizes)]
        yield np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]).astype(np.uint32)
        yield np.searchsorted(self.lengths[kept], np.arange(self.longest)).astype(np.uint32)
        yield self.signatures[kept]


@dataclass(frozen=True, slots=True)
class _Block:
    """Terms of equal length in code points: forms as rows of bytes padded with 0, their sizes and signatures."""

    forms: npt.NDArray[np.uint8]
    sizes: npt.NDArray[np.int64]
    signatures: npt.NDArray[np.uint32]


def merged_terms(vocabularies: Sequence[Vocabulary]) -> Terms:
    """The distinct terms of all vocabularies, sorted by length, then by bytes, as each vocabulary is."""
    starts = [np.frombuffer(memoryview(one.starts_buffer), np.uint32).astype(np.int64) for one in vocabularies]
    longest = max(map(len, starts), default=66)
    numbers = [np.zeros(len(vocabulary), np.int64) for vocabulary in vocabularies]
    forms, sizes, lengths, signatures = [np.empty(0, np.uint8)], [_NONE], [_NONE], [np.empty(0, np.uint32)]
    count = 0
    for length in range(longest - 1):
        bounds = [(int(own[length]), int(own[length + 1])) for own in starts]
        blocks = [_block(vocabulary, *bound) for vocabulary, bound in zip(vocabularies, bounds, strict=True)]
        if not any(len(block.sizes) for block in blocks):
            continue
        block, placed = _union(blocks)
        at = 0
        for own, (first, last) in zip(numbers, bounds, strict=True):
            own[first:last] = count + placed[at : at + last - first]
            at += last - first
        width = block.forms.shape[1]
        forms.append(block.forms[np.arange(width) < block.sizes[:, None]])
        sizes.append(block.sizes)
        lengths.append(np.full(len(block.sizes), length))
        signatures.append(block.signatures)
        count += len(block.sizes)
    return Terms(
        numbers,
        np.concatenate(forms),
        np.concatenate(sizes),
        np.concatenate(lengths),
        np.concatenate(signatures),
        longest,
    )


_NONE = np.empty(0, np.int64)


def _block(vocabulary: Vocabulary, first: int, last: int) -> _Block:
    """The terms [first, last) of a vocabulary, which have equal length."""
    offsets = np.frombuffer(memoryview(vocabulary.offsets_buffer), np.uint32)[first : last + 1].astype(np.int64)
    signatures = np.frombuffer(memoryview(vocabulary.signatures_buffer), np.uint32)[first:last]
    sizes = np.diff(offsets)
    width = int(sizes.max(initial=0))
    data = np.frombuffer(memoryview(vocabulary.arena_buffer), np.uint8)[offsets[0] : offsets[-1]]
    if width * len(sizes) == len(data):  # no form is shorter than others: most are ASCII
        return _Block(data.reshape(len(sizes), width), sizes, signatures)
    forms = np.zeros((len(sizes), width), np.uint8)
    forms[np.arange(width) < sizes[:, None]] = data
    return _Block(forms, sizes, signatures)


def _union(blocks: Sequence[_Block]) -> tuple[_Block, npt.NDArray[np.int64]]:
    """The distinct terms of all blocks in order, and the index among them of each term of each block."""
    width = max(block.forms.shape[1] for block in blocks)
    forms = np.concatenate([_widened(block.forms, width) for block in blocks])
    texts = forms.view(f"S{width}").ravel()  # no form holds a 0: filled up, they compare as they are
    order = np.argsort(texts, kind="stable")  # of a few sorted runs: merged rather than sorted
    ordered = texts[order]
    new = np.ones(len(ordered), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    placed = np.empty(len(ordered), np.int64)
    placed[order] = np.cumsum(new) - 1
    chosen = order[new]
    sizes = np.concatenate([block.sizes for block in blocks])[chosen]
    signatures = np.concatenate([block.signatures for block in blocks])[chosen]
    return _Block(forms[chosen], sizes, signatures), placed


def _widened(forms: npt.NDArray[np.uint8], width: int) -> npt.NDArray[np.uint8]:
    missing = width - forms.shape[1]
    return np.pad(forms, ((0, 0), (0, missing))) if missing else forms
