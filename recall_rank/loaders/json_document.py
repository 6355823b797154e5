"""One JSON object a file, read as a stream: its long list element by element, the rest of it as the head.

JavaScript's writers indent such files by two blanks, and a string holds no raw line feed, so a line that consists of an
indent and a brace begins or ends an element. A torn file gives all its whole elements, a broken element hides no other,
and no more than one element is in memory. Written on one line, the file is parsed as a whole.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from recall_rank.loaders.files import read_small
from recall_rank.loaders.jsonl import Record, parse
from recall_rank.model import Malformed

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BOM = codecs.BOM_UTF8
_PEEKED = 1 << 13  # bytes
_INDENT = b"  "
_FIRST, _LAST = 2 * _INDENT + b"{", 2 * _INDENT + b"}"


class Document:
    """Iterates over (line number, element) of the list under `key`. Afterwards `head` is the rest of the object, and
    `malformed` what could not be read."""

    def __init__(self, blocks: Iterable[bytes], location: str, key: str) -> None:
        self.head: Record = {}
        self.malformed: list[Malformed] = []
        self._blocks = blocks
        self.location = location
        self._key = key
        self._opening = _INDENT + b'"%b": [' % key.encode()

    def __iter__(self) -> Iterator[tuple[int, Record]]:
        rest = bytearray()
        element = bytearray()
        began = number = 0
        before = 0  # so much of the rest stands before the list
        inside = opened = False
        for number, line in enumerate(_lines(self._blocks), 1):
            if not inside:
                inside = not opened and line == self._opening
                opened = opened or inside
                rest += line + b"]" * inside
                before = before or len(rest) * inside
                continue
            bare = line.removesuffix(b",")
            if element and line != _FIRST:
                element += bare if bare == _LAST else line
                if bare == _LAST:
                    yield from self._parsed(element, began)
                    element.clear()
            elif line == _FIRST:
                yield from self._parsed(element, began)  # one that never ended
                element[:] = line
                began = number
            elif bare == _INDENT + b"]":
                inside = False
                rest += line[len(bare) :]
            else:
                yield from self._parsed(bare, number)
        if inside:
            rest += b"}"
            known = len(self.malformed)
            yield from self._parsed(element, began)
            if len(self.malformed) == known:
                self._bad(number, f"the file ends inside its {self._key}")
        yield from self._rest(rest, before)

    def _rest(self, raw: bytearray, before: int) -> Iterator[tuple[int, Record]]:
        """Sets the head; gives the elements of a file that is not indented."""
        first = max(0, raw.find(b"{"))  # a program's own line may stand before the object
        if not raw[first:].strip():
            return
        values, problem = parse(raw[first:])
        value = values[0] if values and type(values[0]) is dict else None
        if value is None or problem:
            self._bad(1, problem or "not an object")
        if value is None and before:
            value = object_in(bytes(raw[first:before]) + b"}")[0]
        self.head = value or {}
        elements = self.head.pop(self._key, None)
        for element in elements if type(elements) is list and not before else ():
            if type(element) is dict:
                yield 1, element
            else:
                self._bad(1, f"an element of {self._key} that is no object")

    def _parsed(self, raw: bytes | bytearray, number: int) -> Iterator[tuple[int, Record]]:
        if not raw.strip():
            return
        values, problem = parse(raw)
        for value in values:
            if type(value) is dict:
                yield number, value
            else:
                problem = problem or f"an element of {self._key} that is no object"
        if problem:
            self._bad(number, problem)

    def _bad(self, number: int, reason: str) -> None:
        self.malformed.append(Malformed(self.location, f"line {number}", reason))


def object_in(raw: bytes) -> tuple[Record | None, str | None]:
    """The one object that a small file holds, and what is wrong with it."""
    values, problem = parse(b"".join(_as_utf8(iter([raw]))))
    if len(values) == 1 and type(values[0]) is dict:
        return values[0], problem
    return None, problem or ("empty" if not raw.strip() else "not one object")


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without their ends, however long."""
    carry = bytearray()
    for block in _as_utf8(iter(blocks)):
        *lines, last = block.split(b"\n")
        for line in lines:
            if carry:
                line = bytes(carry) + line
                carry = bytearray()
            yield line.removesuffix(b"\r")
        carry += last
    if carry:
        yield bytes(carry)


def _as_utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks without a byte order mark, and as UTF-8 where it says UTF-16: some shells write what a program prints
    like that."""
    first = next(blocks, b"")
    if first[:2] not in _UTF16:
        yield first.removeprefix(_BOM)
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    yield decoder.decode(first).encode("utf-8", "replace")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def beginning(path: Path) -> bytes:
    """The file's first kilobytes as UTF-8, from its first brace on; nothing where it cannot be read."""
    try:
        text = b"".join(_as_utf8(iter([read_small(path, limit=_PEEKED)[0]])))
    except OSError:
        return b""
    return text[max(0, text.find(b"{")) :]
