"""Optimal string alignment distance by the full matrix."""

from __future__ import annotations


def osa_distance(a: str, b: str, bound: int) -> int:
    """Return the distance, or bound + 1 where it is larger."""
    rows = [[i + j if i == 0 or j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            replaced = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            rows[i][j] = min(replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return min(rows[-1][-1], bound + 1)
