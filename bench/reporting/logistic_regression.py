"""Logistic regression by Newton's method: how the coefficients of Weights.chance and Weights.sure were fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

STEPS = 50
SHRINK = 0.1  # ridge penalty on all coefficients but the first: useless signals stay near 0
DONE = 1e-9


def fit(signs: npt.ArrayLike, seen: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> npt.NDArray[np.float64]:
    """The coefficients f64[k] with which `signs` f[n, k] best tell `seen` bool[n]; the first sign is always 1.

    Row k counts counts[k] times, f[n]; once by default.

    Maximum likelihood with a ridge (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.4.1).
    ValueError when only one outcome was seen: nothing tells it from the other.
    """
    table, target = np.asarray(signs, dtype=float), np.asarray(seen, dtype=float)
    if not 0 < target.sum() < len(target):
        raise ValueError(f"both outcomes must have been seen, not {target.sum():.0f} of {len(target)}")
    times = np.ones(len(target)) if counts is None else np.asarray(counts, dtype=float)
    ridge = np.full(table.shape[1], SHRINK)
    ridge[0] = 0.0
    found = np.zeros(table.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(table @ found)))
        slope = table.T @ (times * (target - chance)) - ridge * found
        curve = (table * (times * chance * (1 - chance))[:, None]).T @ table + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        found += step
        if np.abs(step).max() < DONE:
            break
    return found
