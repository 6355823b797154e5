"""Dot products of a query with stored vectors."""

from __future__ import annotations

from collections.abc import Sequence


def cosines(values: Sequence[int], scales: Sequence[float], query: Sequence[float]) -> list[float]:
    size = len(query)
    rows = (values[at * size : (at + 1) * size] for at in range(len(scales)))
    return [
        scale * sum(a * b for a, b in zip(row, query, strict=True)) for scale, row in zip(scales, rows, strict=True)
    ]
