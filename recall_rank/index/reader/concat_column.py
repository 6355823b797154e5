"""Columns of several segments read as one column."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class ReaderColumn(Protocol[T_co]):
    """A column with one value, a number or a text, for each row."""

    def __getitem__(self, row: int, /) -> T_co: ...


class ConcatColumn(Generic[T]):
    """The rows of several columns, one column after the other; starts[k] is the first row of column k.
    O(log(columns)) a row.
    """

    __slots__ = ("_columns", "_starts")

    def __init__(self, starts: Sequence[int], columns: Sequence[ReaderColumn[T]]) -> None:
        self._starts = starts
        self._columns = columns

    def __getitem__(self, row: int, /) -> T:
        number = bisect_right(self._starts, row) - 1
        return self._columns[number][row - self._starts[number]]


class ConcatNumbers:
    """A ConcatColumn of row numbers: `shifts[k]` turns a number of column k into a number of all segments."""

    __slots__ = ("_columns", "_shifts", "_starts")

    def __init__(self, starts: Sequence[int], columns: Sequence[ReaderColumn[int]], shifts: Sequence[int]) -> None:
        self._starts = starts
        self._columns = columns
        self._shifts = shifts

    def __getitem__(self, row: int, /) -> int:
        number = bisect_right(self._starts, row) - 1
        return self._columns[number][row - self._starts[number]] + self._shifts[number]


def concat(starts: Sequence[int], columns: Sequence[ReaderColumn[T]]) -> ReaderColumn[T]:
    """Several columns as one. A single column is returned unchanged, so that it is read without a look-up."""
    return columns[0] if len(columns) == 1 else ConcatColumn(starts, columns)


def concat_numbers(
    starts: Sequence[int], columns: Sequence[ReaderColumn[int]], shifts: Sequence[int]
) -> ReaderColumn[int]:
    """Several columns of row numbers as one; see ConcatNumbers. A single column is returned unchanged."""
    return columns[0] if len(columns) == 1 else ConcatNumbers(starts, columns, shifts)
