"""Columns of several segments end to end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from recall_rank.index.reader.index_reader import Column, Texts


class Chained:
    """Numbers end to end; `shifts` are added to those of each column, which lead to rows of their own segment."""

    __slots__ = ("_columns", "_shifts", "_starts")

    def __init__(self, starts: Sequence[int], columns: Sequence[Column], shifts: Sequence[int] | None = None) -> None:
        self._starts = starts
        self._columns = columns
        self._shifts = shifts or [0] * len(starts)

    def __getitem__(self, at: int, /) -> int:
        piece = bisect_right(self._starts, at) - 1
        return self._columns[piece][at - self._starts[piece]] + self._shifts[piece]


class ChainedTexts:
    """Texts end to end."""

    __slots__ = ("_starts", "_texts")

    def __init__(self, starts: Sequence[int], texts: Sequence[Texts]) -> None:
        self._starts = starts
        self._texts = texts

    def __getitem__(self, at: int, /) -> str:
        piece = bisect_right(self._starts, at) - 1
        return self._texts[piece][at - self._starts[piece]]
