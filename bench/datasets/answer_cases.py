"""The rooms that candidates go through and that answers are made in."""

from __future__ import annotations

import random
from array import array
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from recall_rank._core.rank import candidate
from recall_rank._core.rank.features import FEATURE_NAMES
from recall_rank._core.runtime import record_factory as frozen
from recall_rank.model import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.datasets.column_cases import Row

MEASURES = [FEATURE_NAMES.index(name) for name in ("window", "phrase", "near", "cues")]
WORTH = array("d", [0.125, 0.125, 0.5, 0.5, 1.5, 0.25, 0.125, 0.0])


def answer_rows(plain: Callable[[str], Any]) -> Iterator[Row]:
    """Room, native and plain call, how much of what one call does; where `plain` knows the slow version."""
    slow_candidate, slow_maker = plain("rank.candidate.Candidate"), plain("runtime.record_factory.Maker")
    if slow_candidate is None:
        return
    chance = random.Random(3)
    natives, slow = [], []
    for number in range(32):
        row = [chance.randrange(8) / 8 for _ in FEATURE_NAMES]
        native = candidate.Candidate(number, number, chance.randrange(64) / 64, number)
        table = memoryview(array("f", row)).cast("B").cast("f", (1, len(row)))
        candidate.take_features([native], table)
        natives.append(native)
        slow.append(slow_candidate(native.evidence, number, tuple(row[place] for place in MEASURES)))
    yield (
        "candidate.boost",
        lambda: [one.score for one in _boosted(candidate.boost, candidate.best_first, natives)],
        lambda: [
            one.score for one in _boosted(plain("rank.candidate.boost"), plain("rank.candidate.best_first"), slow)
        ],
        len(natives),
        "candidates",
    )
    values = tuple(range(len(fields(Result))))
    make: Any = frozen.Maker(Result).make  # what the values are makes no difference to it
    plainly = slow_maker(Result).make
    yield (
        "frozen.Maker",
        lambda: [make(*values) for _ in range(100)],
        lambda: [plainly(*values) for _ in range(100)],
        100,
        "records",
    )


def _boosted(boost: Any, best_first: Any, candidates: list[Any]) -> Any:
    boost(candidates, WORTH, 100, 0.0)
    return best_first(candidates, lambda one: one.time)
