"""Cases of the kernels that rank candidates and make the records of an answer."""

from __future__ import annotations

import random
from array import array
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from recall_rank._core.rank import rerank
from recall_rank._core.rank.candidate import Candidate
from recall_rank._core.rank.features import FEATURE_NAMES
from recall_rank._core.runtime import record_factory as frozen
from recall_rank.model import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.datasets.column_cases import Row

MEASURES = [FEATURE_NAMES.index(name) for name in ("window", "phrase", "near", "cues")]
WORTH = array("d", [0.125, 0.125, 0.5, 0.5, 1.5, 0.25, 0.125, 0.0])


def answer_rows(plain: Callable[[str], Any]) -> Iterator[Row]:
    """Kernel, native and plain call, the number and the name of what one call works on; none without slow versions."""
    slow_candidate, slow_maker = plain("rank.rerank.Candidate"), plain("runtime.record_factory.Maker")
    if slow_candidate is None:
        return
    chance = random.Random(3)
    natives, slow = [], []
    for number in range(32):
        row = [chance.randrange(8) / 8 for _ in FEATURE_NAMES]
        native = Candidate(number, number, chance.randrange(64) / 64, number)
        native.features = row
        natives.append(native)
        slow.append(slow_candidate(native.evidence, number, tuple(row[place] for place in MEASURES)))
    yield (
        "rerank.boost",
        lambda: [one.score for one in _boosted(rerank.boost, rerank.order, natives)],
        lambda: [one.score for one in _boosted(plain("rank.rerank.boost"), plain("rank.rerank.order"), slow)],
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


def _boosted(boost: Any, order: Any, candidates: list[Any]) -> Any:
    boost(candidates, WORTH, 100, 0.0)
    return order(candidates, lambda one: one.time)
