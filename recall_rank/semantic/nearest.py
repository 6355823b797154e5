"""Compare the vector of a query with those of all passages of an index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from recall_rank._core.search.cosines import cosines
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.vectors.passages import said_marks
from recall_rank.index.vectors.segment_vectors import CountedVectors
from recall_rank.model import VectorCount
from recall_rank.model.record_classes import frozen

if TYPE_CHECKING:
    from recall_rank.index.reader.segment_view import SegmentView
    from recall_rank.index.vectors.segment_vectors import SegmentVectors

DIGITS = 4  # of the mean: equal for any order of its summands


@frozen
class Nearest:
    """The nearness in meaning of each passage of an index to a query."""

    best: list[tuple[int, int]]  # (part, document) of the nearest parts, nearest first; none below the mean
    _mean: float  # cosine of all passages
    _views: dict[int, tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]]  # first part -> documents, cosines
    _reader: IndexReader

    def of_part(self, part: int) -> float:
        """Return the nearness, 0 to 1, of the nearest passage of a part; 0 for a part without a vector.

        It is (cosine - mean) / (1 - mean), 0 below the mean cosine of all passages: models differ in what cosine two
        texts have that have nothing in common.
        """
        view, own, _ = self._reader.local(part, 0)
        found = self._views.get(view.first_part)
        if found is None:
            return 0.0
        docs, scores = found
        first_doc = view.segment.part_first_doc
        first, last = np.searchsorted(docs, (first_doc[own], first_doc[own + 1])).tolist()
        if first == last or self._mean >= 1:
            return 0.0
        return max(0.0, (float(np.max(scores[first:last])) - self._mean) / (1 - self._mean))


def nearest(
    reader: IndexReader,
    query: npt.NDArray[np.float32],
    model: str,
    keep: bytearray | None,
    count: int,
    deadline_ns: int = 0,
) -> Nearest | None:
    """Return the Nearest of `query`, f32[dimension], with the `count` parts whose nearest passage is nearest to it.

    `keep`, u8[docs], marks the documents that may be among these; None is those of live sessions. Of equally near parts
    the newer comes first. Vectors of another model or dimension than those of the query are not read. None when the
    time.monotonic_ns() `deadline_ns`, 0 for none, passed first. O(vectors * dimension).
    """
    views: dict[int, tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]] = {}
    found: list[tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]] = []  # of passages that may be among the best
    total, live_count = 0.0, 0
    for view in reader.views:
        vectors = usable(view, model, len(query))
        if vectors is None:
            continue
        vectors.check()
        scores = np.zeros(len(vectors), np.float32)
        flat = vectors.values.reshape(-1).data
        if cosines(flat, vectors.scales.data, query.data, scores.data, deadline_ns) < len(scores):
            return None
        live, eligible = _marked(view, vectors, None), _marked(view, vectors, keep)
        total += float(scores[live].sum(dtype=np.float64))
        live_count += int(np.count_nonzero(live))
        views[view.first_part] = vectors.docs, scores
        found.append((scores[eligible], vectors.docs[eligible].astype(np.int64) + view.first_doc))
    if not live_count:
        return Nearest([], 0.0, {}, reader)
    mean = round(total / live_count, DIGITS)
    near = [own > mean for own, _ in found]
    scores = np.concatenate([own[chosen] for (own, _), chosen in zip(found, near, strict=True)])
    docs = np.concatenate([own[chosen] for (_, own), chosen in zip(found, near, strict=True)])
    return Nearest(_best(reader, scores, docs, count), mean, views, reader)


def usable(view: SegmentView, model: str, dimension: int | None = None) -> SegmentVectors | None:
    """Return the vectors of a segment, if they are of this model, and of this dimension unless it is None."""
    vectors = view.vectors
    if vectors is None or vectors.model != model or dimension not in (None, vectors.dimension):
        return None
    return vectors if len(vectors) else None


def count_vectors(reader: IndexReader, model: str) -> VectorCount:
    """Count the vectors of a model. Where a segment was not looked through yet, all that was said counts as prose.

    A segment whose vectors stayed is counted once: a search counts behind its deadline.
    """
    counts = [_counted(view, model).count for view in reader.views]
    return VectorCount(model, sum(each.passages for each in counts), sum(each.with_vector for each in counts))


def _counted(view: SegmentView, model: str) -> CountedVectors:
    """Return the count of a segment. O(documents) where its vectors were replaced since it was counted, else O(1)."""
    known, vectors = view.counted_vectors, view.vectors
    if known is not None and known.vectors is vectors and known.count.model == model:
        return known
    said = said_marks(view.segment)
    live = view.docs_of(None)
    if live is not None:
        said &= np.frombuffer(live, np.uint8) > 0
    with_vector = 0
    if vectors is not None and vectors.model == model:
        with_vector = int(np.count_nonzero(said[vectors.docs]))
        said[vectors.skipped] = False
    count = VectorCount(model, int(np.count_nonzero(said)), with_vector)
    view.counted_vectors = found = CountedVectors(vectors, count)
    return found


def _marked(view: SegmentView, vectors: SegmentVectors, keep: bytearray | None) -> npt.NDArray[np.bool_]:
    """Return bool[vectors], whether the document of each is marked in `keep`; None marks those of live sessions."""
    marks = view.docs_of(keep)
    if marks is None:
        return np.ones(len(vectors), np.bool_)
    return np.frombuffer(marks, np.uint8)[vectors.docs] > 0


def _best(
    reader: IndexReader, scores: npt.NDArray[np.float32], docs: npt.NDArray[np.int64], count: int
) -> list[tuple[int, int]]:
    """Return (part, document) of the `count` parts with the highest score of a document, highest first."""
    best: list[tuple[int, int]] = []
    known: set[int] = set()
    for doc in _descending(reader, scores, docs, 2 * count):
        part = reader.doc_part[doc]
        if part not in known:
            known.add(part)
            best.append((part, doc))
            if len(best) == count:
                break
    return best


def _descending(
    reader: IndexReader, scores: npt.NDArray[np.float32], docs: npt.NDArray[np.int64], first: int
) -> Iterator[int]:
    """Yield the documents by descending score, the newer of equals first.

    The best `first` are sorted, and more of them only when they are asked for.
    """
    taken = 0
    while taken < len(scores):
        size = min(len(scores), max(first, 4 * taken))
        least = np.partition(scores, len(scores) - size)[len(scores) - size]
        chosen = np.flatnonzero(scores >= least)  # with all that equal the last one
        times = reader.times_of([reader.doc_part[doc] for doc in docs[chosen].tolist()])
        order = np.lexsort((docs[chosen], -np.array(times, np.int64), -scores[chosen]))
        yield from docs[chosen[order[taken:]]].tolist()
        taken = len(chosen)
