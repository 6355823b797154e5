"""SegmentVectors: the vectors of the passages of one segment, as int8 with a scale each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from recall_rank.index.vectors.passages import ProsePassages
from recall_rank.model import VectorCount
from recall_rank.model.record_classes import frozen

FULL: Final = 127  # the largest value of a stored vector


@frozen(eq=False)
class SegmentVectors:
    """The vectors that one embedder made of passages of a segment. Immutable.

    Vector k is scales[k] * values[k], of length 1, and belongs to the document docs[k]. Vectors of several embedders
    never mix: `model` and `dimension` tell whose they are. `digests` tell which text each was made of, so that a
    passage which is indexed again, in another segment, keeps its vector.
    """

    model: str  # the name of the embedder
    dimension: int
    docs: npt.NDArray[np.uint32]  # ascending
    digests: npt.NDArray[np.uint64]  # the xxh3-64 of the passage
    scales: npt.NDArray[np.float32]
    values: npt.NDArray[np.int8]  # [vectors, dimension]
    skipped: npt.NDArray[np.uint32]  # documents that were said and get no vector, see ProsePassages
    check_file: Callable[[], object] | None = None  # raises DamagedIndexError when the file they lie in was cut

    def __len__(self) -> int:
        return len(self.docs)

    def check(self) -> None:
        """Raise DamagedIndexError when the file of the vectors was cut."""
        if self.check_file is not None:
            self.check_file()


@frozen(eq=False)
class CountedVectors:
    """The number of passages of the live sessions of a segment that have a vector, and the vectors counted for it."""

    vectors: SegmentVectors | None
    count: VectorCount


def quantized(vectors: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
    """Return (scales, values) of `vectors`, f32[n, dimension]: f32[n] and i8[n, dimension].

    Each vector is brought to length 1 and its largest value to 127, so that an element is off by at most half a scale.
    A vector of zeros stays one.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(lengths > 0, lengths, 1)
    scales = (np.abs(units).max(axis=1, initial=0) / FULL).astype(np.float32)
    values = np.rint(units / np.where(scales > 0, scales, 1)[:, None])
    return scales, values.astype(np.int8)


def carried(passages: ProsePassages, sources: Iterable[SegmentVectors], model: str, dimension: int) -> SegmentVectors:
    """Return the vectors of `passages` that `sources` have, of passages with equal text, made by one embedder.

    Sources of another model or dimension are ignored. The result may be empty.
    """
    rows = np.full(len(passages.docs), -1)  # in the source that has the vector
    scales = np.zeros(len(rows), np.float32)
    values = np.zeros((len(rows), dimension), np.int8)
    for source in sources:
        if source.model != model or source.dimension != dimension or not len(source):
            continue
        order = np.argsort(source.digests, kind="stable")
        ordered = source.digests[order]
        places = np.minimum(np.searchsorted(ordered, passages.digests), len(order) - 1)
        new = np.flatnonzero((ordered[places] == passages.digests) & (rows < 0))
        rows[new] = order[places[new]]
        scales[new], values[new] = source.scales[rows[new]], source.values[rows[new]]
    found = rows >= 0
    return SegmentVectors(
        model, dimension, passages.docs[found], passages.digests[found], scales[found], values[found], passages.skipped
    )


def added(
    before: SegmentVectors, passages: ProsePassages, at: npt.NDArray[np.intp], vectors: npt.NDArray[np.float32]
) -> SegmentVectors:
    """Return `before` with the vectors of more passages: vectors[k], of any length, is that of passages.docs[at[k]]."""
    scales, values = quantized(vectors)
    docs = np.concatenate([before.docs, passages.docs[at]])
    order = np.argsort(docs, kind="stable")

    def both(old: npt.NDArray[Any], new: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.concatenate([old, new])[order]

    return SegmentVectors(
        before.model,
        before.dimension,
        docs[order],
        both(before.digests, passages.digests[at]),
        both(before.scales, scales),
        both(before.values, values),
        passages.skipped,
    )
