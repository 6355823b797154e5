"""Calibrated scores against the formula in Python."""

from __future__ import annotations

from array import array
from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.rank.calibration import calibrate, certainties, signals_of
from recall_rank._core.rank.candidate import Candidate
from tests.reference.rank import calibration as reference
from tests.support.kernels.inputs import seeds
from tests.support.kernels.matchers import FEATURES


def some_candidate(chance: Random) -> Candidate:
    found = Candidate(1, 2, chance.choice([0.0, 0.5]), 0, chance.choice(["prefilter", "score", "scan"]))
    found.raw = found.score = chance.choice([0.0, 0.5, 3.0])
    found.own = chance.choice([0.0, 0.5, 3.0])
    found.works = chance.random() < 0.5
    found.whole = chance.choice([0.0, 0.5, 1.0])
    if chance.random() < 0.8:
        found.features = [chance.randrange(9) / 8 for _ in range(FEATURES)]
    return found


@given(seeds)
def test_chances_are_logistic_in_the_signals(chance: Random) -> None:
    found = [some_candidate(chance) for _ in range(chance.randint(0, 12))]
    query = array("d", [1.0, *(chance.uniform(-2, 2) for _ in range(chance.randint(0, 2)))])
    narrow = array("d", [chance.uniform(-2, 2) for _ in range(chance.randint(1, len(query) + 1))])
    wide = array("d", [chance.uniform(-2, 2) for _ in range(chance.randint(1, len(query) + 4))])
    leads = array("d", [chance.uniform(-1, 1) for _ in found])
    shares = array("d", [chance.uniform(0, 1) for _ in found])
    plenty, least = 2.0, 1e-3
    given = list(zip(found, leads, shares, strict=True))
    signals = [[*query, *reference.signals_of(one, lead, share, plenty, least)] for one, lead, share in given]
    assert [[*query, *signals_of(one, lead, share, plenty, least)] for one, lead, share in given] == signals
    before = [one.score for one in found]
    calibrate(found, query, narrow, plenty, least)
    for one, score in zip(found, before, strict=True):
        own = [*query, reference.evidence_of(one.raw, plenty, least)]
        assert one.score == pytest.approx(reference.chance_of(narrow, own) if one.raw else score)
    sures = certainties(found, leads, shares, query, wide, plenty, least)
    for one, own, sure in zip(found, signals, sures, strict=True):
        if not one.evidence or one.stage == "scan":
            assert sure == 0
        else:
            assert sure == pytest.approx(reference.chance_of(wide, own) if one.features else one.score)


def test_more_coefficients_than_signals_are_refused() -> None:
    one, many = array("d", [1.0]), array("d", [1.0] * 8)
    with pytest.raises(ValueError, match="2 signals"):
        calibrate([], one, many, 2.0, 1e-3)
    with pytest.raises(ValueError, match="5 signals"):
        certainties([], array("d"), array("d"), one, many, 2.0, 1e-3)


def test_each_candidate_has_a_lead_and_a_share() -> None:
    one, none = array("d", [1.0]), array("d")
    with pytest.raises(ValueError, match="1 leads for 0 candidates"):
        certainties([], one, none, one, one, 2.0, 1e-3)
    with pytest.raises(ValueError, match="1 shares for 0 candidates"):
        certainties([], none, one, one, one, 2.0, 1e-3)


@pytest.mark.parametrize("wrong", [[None], ["a"], None])
def test_only_candidates_are_calibrated(wrong: Any) -> None:
    numbers = array("d", [1.0])
    with pytest.raises(TypeError):
        calibrate(wrong, numbers, numbers, 2.0, 1e-3)
    with pytest.raises(TypeError):
        certainties(wrong, numbers, numbers, numbers, numbers, 2.0, 1e-3)
