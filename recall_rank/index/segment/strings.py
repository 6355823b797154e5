"""Immutable lists of strings in two buffers, and numbered names."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import pairwise
from typing import Self


def utf8(text: str) -> bytes:
    """Return a string in UTF-8, with lone surrogates encoded as if they were characters."""
    return text.encode("utf-8", "surrogatepass")


class Strings:
    """An immutable list of strings: their concatenated UTF-8, and u64[strings + 1] byte offsets."""

    __slots__ = ("_data", "_starts")

    def __init__(self, data: bytes | bytearray | memoryview, starts: memoryview) -> None:
        self._data = data
        self._starts = starts

    @classmethod
    def of(cls, values: Iterable[str]) -> Strings:
        """Return the Strings of `values`."""
        return cls.of_bytes(map(utf8, values))

    @classmethod
    def of_bytes(cls, values: Iterable[bytes]) -> Strings:
        """Return the Strings of `values`, each the UTF-8 of one string."""
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

    def with_owner(self, at: int, owner: str) -> str:
        """Return string `at`; `owner` is ignored here.

        PrefixCodedStrings, a subclass, stores ids without the prefix shared with the id of their owner (the message of
        a part, the session of a message). It takes that id from `owner`, so that it need not be looked up.
        """
        starts = self._starts
        return str(self._data[starts[at] : starts[at + 1]], "utf-8", "surrogatepass")

    def decode_range(self, first: int, last: int) -> list[str]:
        """Return the strings [first, last), decoded faster than by single accesses."""
        data, starts = self.slice_of(first, last).buffers()
        return [str(data[at:end], "utf-8", "surrogatepass") for at, end in pairwise(starts.tolist())]

    def slice_of(self, first: int, last: int) -> Strings:
        """Return the strings [first, last) as Strings that share these buffers, so that their first offset may be above
        0.
        """
        return Strings(self._data, self._starts[first : last + 1])

    def raw(self, at: int) -> bytes:
        """Return the UTF-8 of string `at`, with lone surrogates encoded as if they were characters."""
        return bytes(self._data[self._starts[at] : self._starts[at + 1]])

    def buffers(self) -> tuple[bytes | bytearray | memoryview, memoryview]:
        """Return the concatenated UTF-8 of all strings, and u64[strings + 1] byte offsets into it."""
        return self._data, self._starts


class Names:
    """The distinct strings of a column that has few, such as tool names, numbered from 1; number 0 stands for None."""

    __slots__ = ("_numbers", "values")

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {None: 0}
        self.values: list[str | None] = [None]

    @classmethod
    def of(cls, values: Iterable[str]) -> Self:
        """Return Names in which values[k] has the number k + 1; `values` must be distinct."""
        names = cls()
        for value in values:
            names.number(value)
        return names

    def copy(self) -> Names:
        """Return Names with equal numbers, to which others can be added."""
        names = Names()
        names._numbers, names.values = dict(self._numbers), list(self.values)
        return names

    def number(self, value: str | None) -> int:
        """Return the number of `value`, which is added if it is new."""
        known = self._numbers.get(value)
        if known is None:
            known = self._numbers[value] = len(self.values)
            self.values.append(value)
        return known

    def find(self, value: str) -> int:
        """Return the number of `value`, or -1 if it is not among the names."""
        return self._numbers.get(value, -1)
