"""What the benchmarks call sound, and the area under the curve, by hand."""

from __future__ import annotations

import math

import pytest

from bench.benchmarks.nonlatin import WAYS, queries
from bench.datasets.remarks import REMARKS
from bench.reporting.rank_metrics import auroc
from bench.reporting.soundness import adds_up
from recall_rank.model import Count


@pytest.mark.parametrize(
    ("count", "whole"),
    [
        (Count(), True),
        (Count(known=5, eligible=3, searched=3, skipped={"role": 2}), True),
        (Count(known=5, eligible=3, searched=1, skipped={"role": 2}), True),
        (Count(known=5, eligible=3, searched=3), False),
        (Count(known=3, eligible=3, searched=4), False),
    ],
)
def test_a_ledger_adds_up_or_not(count: Count, whole: bool) -> None:
    assert adds_up(count) is whole


@pytest.mark.parametrize("script", REMARKS)
def test_sub_phrases_stand_in_their_remark(script: str) -> None:
    asked = list(queries(script, WAYS["sub-phrase"][0], 12))
    assert len(asked) >= 10
    assert all(query in " ".join(REMARKS[script][place].split()) for place, query in asked)


def test_area_under_the_curve() -> None:
    assert auroc([3, 4], [1, 2]) == 1.0
    assert auroc([1, 2], [3, 4]) == 0.0
    assert auroc([1, 2], [1, 2]) == 0.5
    assert auroc([2, 2], [2]) == 0.5
    assert auroc([0.9, 0.4], [0.5, 0.1]) == 0.75
    assert math.isnan(auroc([], [1]))
