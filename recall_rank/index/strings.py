"""Many short strings in two buffers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable


class Strings:
    """An immutable list of strings: UTF-8 bytes end to end, and u64 offsets."""

    __slots__ = ("_bytes", "_offsets")

    def __init__(self, data: bytes | memoryview, offsets: memoryview) -> None:
        self._bytes = data
        self._offsets = offsets

    @classmethod
    def of(cls, values: Iterable[str]) -> Strings:
        data = bytearray()
        offsets = array("Q", [0])
        for value in values:
            data += value.encode("utf-8", "surrogatepass")
            offsets.append(len(data))
        return cls(bytes(data), memoryview(offsets))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, at: int) -> str:
        return bytes(self._bytes[self._offsets[at] : self._offsets[at + 1]]).decode("utf-8", "surrogatepass")


class Names:
    """Numbers the distinct values of a column with few of them; number 0 is "no value"."""

    __slots__ = ("_numbers", "values")

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {None: 0}
        self.values: list[str | None] = [None]

    def number(self, value: str | None) -> int:
        known = self._numbers.get(value)
        if known is None:
            known = self._numbers[value] = len(self.values)
            self.values.append(value)
        return known

    def find(self, value: str) -> int:
        """The number of `value`, or -1 when no row has it."""
        return self._numbers.get(value, -1)
