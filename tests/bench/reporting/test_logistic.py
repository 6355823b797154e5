"""The fit behind the calibration tables finds the chances that made the data."""

from __future__ import annotations

import numpy as np
import pytest

from bench.reporting.logistic_regression import fit


def test_the_coefficients_that_made_the_data_are_found() -> None:
    chance = np.random.default_rng(3)
    signs = np.column_stack([np.ones(20_000), chance.normal(size=(20_000, 3))])
    wanted = np.array([-0.7, 1.5, 0.0, -2.0])
    seen = chance.random(20_000) < 1 / (1 + np.exp(-(signs @ wanted)))
    assert fit(signs, seen) == pytest.approx(wanted, abs=0.08)


def test_a_sign_that_decides_everything_stays_finite() -> None:
    signs = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    always, sign = fit(signs, [False, False, True, True])
    assert always < 0 < sign < 100


@pytest.mark.parametrize("outcome", [False, True])
def test_one_outcome_alone_is_refused(outcome: bool) -> None:
    with pytest.raises(ValueError, match="both outcomes"):
        fit([[1.0], [1.0]], [outcome, outcome])
