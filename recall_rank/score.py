"""Stage: the survivors are read again, and the best of them compared with the query by rapidfuzz."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from recall_rank import weights
from recall_rank._core.scan import find
from recall_rank._core.window import FEATURE_NAMES
from recall_rank.budget import Deadline
from recall_rank.expand import Expansion
from recall_rank.index.segment import Segment
from recall_rank.query import Query
from recall_rank.text import encode, fold

(COVERAGE, WINDOW, PHRASE, NEAR, MATCHED, EXACT, START, END, WORDS, CUES) = range(10)
WIDTH = len(FEATURE_NAMES)


@dataclass(slots=True)
class Candidate:
    """A part on its way to a result."""

    part: int
    doc: int
    evidence: float  # the prefilter's, with neighbours and session, over what the query could give at most
    features: Sequence[float] = ()
    whole: bool = False  # the whole query stands there as it was written
    similarity: float = 0.0  # rapidfuzz, 0 to 1; 0 where it did not run
    score: float = 0.0
    stage: str = "prefilter"
    explain: dict[str, float] = field(default_factory=dict)


def read(segment: Segment, query: Query, expansion: Expansion, survivors: list[Candidate], deadline: Deadline) -> None:
    """Fill features and whole of every survivor."""
    count = len(survivors)
    starts = array("Q", (segment.doc_start[c.doc] for c in survivors))
    ends = array("Q", (segment.doc_start[c.doc + 1] for c in survivors))
    table = memoryview(bytearray(4 * WIDTH * max(1, count))).cast("f", (max(1, count), WIDTH))
    expansion.matcher.measure(segment.text, starts, ends, weights.WINDOW_WORDS, table)
    rows = table.tolist()
    needle = encode(fold(query.text.strip()))
    long_enough = len(query.words) + len(query.compounds) > 1 and len(needle) > 3
    text = memoryview(segment.text)
    for number, candidate in enumerate(survivors):
        candidate.features = rows[number]
        if long_enough and candidate.features[PHRASE] > 0.3:
            low = max(segment.part_start[candidate.part], starts[number] - len(needle))
            high = min(segment.part_start[candidate.part + 1], ends[number] + len(needle))
            candidate.whole = find(text[low:high], needle) >= 0


def score(segment: Segment, query: Query, survivors: list[Candidate], deadline: Deadline) -> None:
    """Fill similarity of the best survivors, in their order, until the time to score is over."""
    asked = fold(query.text)
    text = segment.text
    for candidate in survivors[: weights.SCORED]:
        if deadline.too_late_to_score():
            return
        base = segment.doc_start[candidate.doc]
        begin, end = base + int(candidate.features[START]), base + int(candidate.features[END])
        window = fold(bytes(text[begin:end]).decode("utf-8", "replace"))
        candidate.similarity = fuzz.token_sort_ratio(asked, window) / 100
