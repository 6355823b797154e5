"""Columns of several segments, read as one column."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class ReaderColumn(Protocol[T_co]):
    """A column that gives a value, a number or a string, for each row number."""

    def __getitem__(self, row: int, /) -> T_co: ...


class ConcatColumn(Generic[T]):
    """The concatenation of several columns, not copied. Reading a value is O(log(columns)).

    starts[k] is the number of the first row of column k in the concatenation.
    """

    __slots__ = ("_columns", "_starts")

    def __init__(self, starts: Sequence[int], columns: Sequence[ReaderColumn[T]]) -> None:
        self._starts = starts
        self._columns = columns

    def __getitem__(self, row: int, /) -> T:
        number = bisect_right(self._starts, row) - 1
        return self._columns[number][row - self._starts[number]]


class ConcatNumbers:
    """The concatenation of several columns of row numbers, not copied; shifts[k] is added to every value of column k.

    This turns row numbers of one segment into row numbers of all segments. starts[k] is the number of the first row of
    column k in the concatenation.
    """

    __slots__ = ("_columns", "_shifts", "_starts")

    def __init__(self, starts: Sequence[int], columns: Sequence[ReaderColumn[int]], shifts: Sequence[int]) -> None:
        self._starts = starts
        self._columns = columns
        self._shifts = shifts

    def __getitem__(self, row: int, /) -> int:
        number = bisect_right(self._starts, row) - 1
        return self._columns[number][row - self._starts[number]] + self._shifts[number]


def concat(starts: Sequence[int], columns: Sequence[ReaderColumn[T]]) -> ReaderColumn[T]:
    """Return the concatenation of columns; starts[k] is the first row of columns[k].

    A single column is returned unchanged, which avoids a look-up for each value.
    """
    return columns[0] if len(columns) == 1 else ConcatColumn(starts, columns)


def concat_numbers(
    starts: Sequence[int], columns: Sequence[ReaderColumn[int]], shifts: Sequence[int]
) -> ReaderColumn[int]:
    """Return the concatenation of columns of row numbers: columns[k] begins at row starts[k], and shifts[k] is added to
    its values.

    A single column is returned unchanged.
    """
    return columns[0] if len(columns) == 1 else ConcatNumbers(starts, columns, shifts)
