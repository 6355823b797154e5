"""Many short strings in two buffers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import pairwise
from typing import Self


def utf8(text: str) -> bytes:
    """The UTF-8 of a string, lone surrogates included."""
    return text.encode("utf-8", "surrogatepass")


class Strings:
    """An immutable list of strings: concatenated UTF-8, and u64 offsets."""

    __slots__ = ("_data", "_starts")

    def __init__(self, data: bytes | bytearray | memoryview, starts: memoryview) -> None:
        self._data = data
        self._starts = starts

    @classmethod
    def of(cls, values: Iterable[str]) -> Strings:
        return cls.of_bytes(map(utf8, values))

    @classmethod
    def of_bytes(cls, values: Iterable[bytes]) -> Strings:
        data = bytearray()
        starts = array("Q", [0])
        for value in values:
            data += value
            starts.append(len(data))
        return cls(bytes(data), memoryview(starts))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, at: int) -> str:
        return self.raw(at).decode("utf-8", "surrogatepass")

    def held(self, at: int, holder: str) -> str:
        """The string at `at`. `holder` is the id of its owner, which PrefixCodedStrings needs for decoding."""
        starts = self._starts
        return str(self._data[starts[at] : starts[at + 1]], "utf-8", "surrogatepass")

    def between(self, first: int, last: int) -> list[str]:
        """The strings [first, last) as a list; faster than one by one."""
        data, starts = self.stretch(first, last).buffers()
        return [str(data[at:end], "utf-8", "surrogatepass") for at, end in pairwise(starts.tolist())]

    def stretch(self, first: int, last: int) -> Strings:
        """The strings [first, last); the offsets in its buffers() need not begin with 0."""
        return Strings(self._data, self._starts[first : last + 1])

    def raw(self, at: int) -> bytes:
        """The UTF-8 of a string, lone surrogates included."""
        return bytes(self._data[self._starts[at] : self._starts[at + 1]])

    def buffers(self) -> tuple[bytes | bytearray | memoryview, memoryview]:
        """The concatenated UTF-8, and the offsets, u64[strings + 1]."""
        return self._data, self._starts


class Names:
    """Numbers the distinct values of a column that has few of them; number 0 is "no value"."""

    __slots__ = ("_numbers", "values")

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {None: 0}
        self.values: list[str | None] = [None]

    @classmethod
    def of(cls, values: Iterable[str]) -> Self:
        """Names that number `values` from 1 on, in order."""
        made = cls()
        for value in values:
            made.number(value)
        return made

    def number(self, value: str | None) -> int:
        known = self._numbers.get(value)
        if known is None:
            known = self._numbers[value] = len(self.values)
            self.values.append(value)
        return known

    def find(self, value: str) -> int:
        """The number of `value`, or -1 when no row has it."""
        return self._numbers.get(value, -1)
