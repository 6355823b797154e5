"""The signals of a candidate, and the chance that they make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def signals_of(candidate: Any, lead: float, share: float, plenty: float, least: float) -> list[float]:
    """The four signals, by the names of the features."""
    coverage, *_, held = candidate.features or [0.0, 1.0]
    return [evidence_of(candidate.own * held, plenty, least), lead * coverage * held, share, float(candidate.works)]


def evidence_of(raw: float, plenty: float, least: float) -> float:
    """The signal of a score before calibration."""
    return math.log(raw / (raw + plenty) + least)


def chance_of(coefficients: Sequence[float], signals: Sequence[float]) -> float:
    """Logistic in as many signals as there are coefficients."""
    return 1 / (1 + math.exp(-sum(c * signal for c, signal in zip(coefficients, signals, strict=False))))
