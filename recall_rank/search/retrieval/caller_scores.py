"""Find the parts to which the caller gave a score of its own, in the option `extra_scores`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, Final

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment
from recall_rank.search.deadline import Deadline

Scores = Mapping[Any, float]  # keys as in ExtraScores, of the options

STRIDE: Final = 65_536  # parts whose ids are read between two looks at the clock


def mark_scored(
    reader: IndexReader, scores: Scores, keep: bytearray | None, deadline: Deadline
) -> tuple[bytearray, int, int]:
    """Return (marks, count, unknown): u8[parts], 1 for each eligible part with a score above 0, how many parts were
    read, and how many of the scored ids none of these has.

    A part without a document, that is without searchable text, is not marked: no passage could stand for it.
    The count is lower than the number of parts only when the deadline passed first. `keep`, u8[parts], marks the
    eligible parts; None is all parts of live sessions. The ids of all parts are read. O(parts).
    """
    marks = bytearray(reader.parts)
    ids = {key if isinstance(key, str) else key[1] for key, score in scores.items() if score > 0}
    unknown = set(ids)
    for view in reader.views:
        allowed, names = view.parts_of(keep), view.segment.part_ids
        for first in range(0, view.segment.parts if ids else 0, STRIDE):
            if deadline.passed():
                return marks, view.first_part + first, len(unknown)
            last = min(view.segment.parts, first + STRIDE)
            for part, name in enumerate(names.decode_range(first, last), first):
                if name not in ids:
                    continue
                unknown.discard(name)
                if (allowed is None or allowed[part]) and _has_document(view.segment, part):
                    number = view.first_part + part
                    marks[number] = score_of(reader, scores, number) > 0
    return marks, reader.parts, len(unknown)


def _has_document(segment: Segment, part: int) -> bool:
    at = bisect_left(segment.doc_part, part)
    return at < segment.docs and segment.doc_part[at] == part


def score_of(reader: IndexReader, scores: Scores, part: int) -> float:
    """Return the caller's score of a part, limited to 0 to 1; 0 when it has none.

    A score given for (session id, part id) comes before one given for the part id alone.
    """
    name = reader.part_ids[part]
    score = scores.get((reader.session_of_part(part).id, name))
    return min(1.0, max(0.0, float(scores.get(name, 0.0) if score is None else score)))
