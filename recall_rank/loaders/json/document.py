"""Read a file that is one JSON object with one long list, as a stream: first the elements of the list, then the other
members of the object.

JavaScript programs indent such files by two blanks, and a JSON string holds no raw line feed. A line that consists of
an indent and a brace therefore begins or ends an element. All whole elements of a cut-off file are returned, a broken
element hides no other, and at most one element is in memory. A file that is written on one line is parsed as a whole.
An element longer than `limits().element` is passed over and counted, and so is all that is no element.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from recall_rank.loaders.files.regular_files import read_small
from recall_rank.loaders.json.parse import Record, parse_values
from recall_rank.loaders.limits import limits, size_text
from recall_rank.loaders.malformed import add_malformed
from recall_rank.model import Malformed

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BOM = codecs.BOM_UTF8
_PEEKED = 1 << 13  # bytes
_INDENT = b"  "
_FIRST, _LAST = 2 * _INDENT + b"{", 2 * _INDENT + b"}"
_OPEN, _CLOSED = {_FIRST, 2 * _INDENT + b"["}, {_LAST, 2 * _INDENT + b"]"}
_NEXT, _END = b"\n" + _FIRST + b"\n", b"\n" + _INDENT + b"]"
_STRADDLES = len(_NEXT) + len(_END)  # bytes that may be the beginning of either


class JsonDocument:
    """Iterates over (line number, element) of the list that is the object's member `key`.

    Afterwards `head` is the object without the list, and `malformed` describes the places that could not be read.
    """

    def __init__(self, blocks: Iterable[bytes], location: str, key: str) -> None:
        self.head: Record = {}
        self.malformed: list[Malformed] = []
        self._blocks = blocks
        self.location = location
        self._key = key
        self._opening = b'\n%b"%b": [\n' % (_INDENT, key.encode())

    def __iter__(self) -> Iterator[tuple[int, Record]]:
        rest = bytearray()  # the object without the list
        waiting = bytearray()  # begins with a line of the list once that is open
        before = 0  # length of the part of `rest` before the list
        line = 1  # number of the first line of `waiting`
        seen = 0  # length of the part of `waiting` that was searched
        opened = inside = False
        longest = limits().element
        lost = 0  # bytes of the element that is passed over
        for block in _plain(self._blocks):
            outside = rest if opened and not inside else waiting
            outside += block
            if len(rest) > longest or (not opened and len(waiting) > longest):
                self._bad(line, f"more than {size_text(longest)} that are no element of {self._key}: not read")
                waiting.clear()
                rest[before:] = b"}" if opened else b""
                break
            if not opened:
                at = waiting.find(self._opening, max(0, seen - len(self._opening)))
                seen = len(waiting)
                if at < 0:
                    continue
                opened = inside = True
                line += self._open(waiting, rest, at)
                before = len(rest)
                seen = 0
            while inside:
                at = waiting.find(_NEXT, max(1, seen - len(_NEXT)))
                stop = _line_at(waiting, _END, max(0, seen - len(_END) - 2), at if at >= 0 else len(waiting))
                if at < 0 and stop < 0:
                    seen = len(waiting)
                    break
                yield from self._element(waiting, stop if stop >= 0 else at, line, lost)
                seen = lost = 0
                if stop >= 0:
                    inside = False
                    rest += waiting[stop + len(_END) :]
                else:
                    line += waiting.count(b"\n", 1, at + 1)
                    del waiting[:at]
            if inside and len(waiting) > longest:
                gone = len(waiting) - _STRADDLES
                line, lost, seen = line + waiting.count(b"\n", 1, gone), lost + gone, 0
                del waiting[:gone]
        if inside:
            rest += b"}"
            yield from self._torn(waiting, line, lost)
        yield from self._rest(rest if opened else waiting, before)

    def _open(self, waiting: bytearray, rest: bytearray, at: int) -> int:
        """Move what lies before the list, which begins at `at`, from `waiting` to `rest`; return the number of its
        lines.
        """
        end = at + len(self._opening)
        rest += waiting[:end] + b"]"
        lines = waiting.count(b"\n", 0, end)
        del waiting[: end - 1]  # from the line feed on, so that every line begins with one
        return lines

    def _torn(self, waiting: bytearray, line: int, lost: int) -> Iterator[tuple[int, Record]]:
        """Yield (line number, element) of the end of a file that ends inside the list, and add to `malformed` that it
        does.
        """
        known = len(self.malformed)
        ends = line + waiting[1:].rstrip(b"\n").count(b"\n")
        yield from self._element(waiting, len(waiting), line, lost)
        if len(self.malformed) == known:
            self._bad(ends, f"the file ends inside its {self._key}")

    def _element(self, waiting: bytearray, end: int, number: int, lost: int) -> Iterator[tuple[int, Record]]:
        """Yield (line number, element) of the elements in waiting[1:end], whose first line has the number `number`.
        When `lost` is not 0, this is the end of an element that is too long, of which `lost` bytes were passed over: it
        is added to `malformed` instead.
        """
        if lost:
            self._bad(
                number, f"an element of {lost + end:,} bytes: more than {size_text(limits().element)} are not read"
            )
            return
        with memoryview(waiting) as view:
            raw = bytes(view[1:end])
        yield from self._piece(raw, number)

    def _piece(self, raw: bytes, number: int) -> Iterator[tuple[int, Record]]:
        """Yield (line number, element) of the elements in `raw`, lines from number `number` on. Usually it is one
        element; when that does not parse, the lines are split into elements one by one.
        """
        whole = raw.rstrip(b",\n")
        if raw.startswith(_FIRST) and whole.endswith(b"\n" + _LAST):
            values, problem = parse_values(whole)
            if problem is None and len(values) == 1 and type(values[0]) is dict:
                yield number, values[0]
                return
        element = bytearray()
        began = number
        for at, line in enumerate(raw.split(b"\n"), number):
            bare = line.removesuffix(b",")
            if element and line not in _OPEN:
                element += bare if bare in _CLOSED else line
                if bare in _CLOSED:
                    yield from self._parsed(element, began)
                    element.clear()
            elif line in _OPEN:
                yield from self._parsed(element, began)  # one that never ended
                element[:] = line
                began = at
            else:
                yield from self._parsed(bare, at)
        yield from self._parsed(element, began)

    def _rest(self, raw: bytearray, before: int) -> Iterator[tuple[int, Record]]:
        """Parse `raw`, the object without the list, into `head`; `before` is the length of its part before the list. It
        is 0 for a file that is not indented: then `raw` still has the list, whose elements are yielded.
        """
        first = max(0, raw.find(b"{"))  # a program may have printed a line before the object
        whole = raw[first:] if first else raw
        if not whole or whole.isspace():
            return
        values, problem = parse_values(whole)
        value = values[0] if values and type(values[0]) is dict else None
        if problem and first and raw.lstrip().startswith(b"[") and parse_values(raw)[1] is None:
            problem = "not an object"  # a list with objects is JSON
        if value is None or problem:
            self._bad(1, problem or "not an object")
        if value is None and before:
            value = parse_object(bytes(raw[first:before]) + b"}")[0]
        self.head = value or {}
        elements = self.head.pop(self._key, None)
        if elements is not None and type(elements) is not list:
            self._bad(1, f"its {self._key} are no list")
        for element in elements if type(elements) is list and not before else ():
            if type(element) is dict:
                yield 1, element
            else:
                self._bad(1, f"an element of {self._key} that is no object")

    def _parsed(self, raw: bytes | bytearray, number: int) -> Iterator[tuple[int, Record]]:
        if not raw.strip():
            return
        values, problem = parse_values(raw)
        for value in values:
            if type(value) is dict:
                yield number, value
            else:
                problem = problem or f"an element of {self._key} that is no object"
        if problem:
            self._bad(number, problem)

    def _bad(self, number: int, reason: str) -> None:
        add_malformed(self.malformed, Malformed(self.location, f"line {number}", reason))


def parse_object(raw: bytes) -> tuple[Record | None, str | None]:
    """Return (object, problem): the JSON object in the bytes of a small file, None when there is none, and the reason
    when something is missing, else None.
    """
    values, problem = parse_values(b"".join(_as_utf8(iter([raw]))))
    if len(values) == 1 and type(values[0]) is dict:
        return values[0], problem
    return None, problem or ("empty" if not raw.strip() else "not one object")


def _line_at(data: bytearray, wanted: bytes, at: int, end: int) -> int:
    """Return the offset in `data`, from `at` to `end`, of a line that equals `wanted`, with or without a comma behind
    it; -1 without such a line.
    """
    while (at := data.find(wanted, at, end)) >= 0:
        behind = data[at + len(wanted) : at + len(wanted) + 2]
        if behind[:1] == b"\n" or behind == b",\n" or at + len(wanted) + len(behind) == len(data):
            return at
        at += 1
    return -1


def _plain(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks as UTF-8 with every carriage return before a line feed removed, which is safe because a JSON
    string holds no raw line end.
    """
    held = b""
    for block in _as_utf8(iter(blocks)):
        block = held + block
        held = b"\r" if block.endswith(b"\r") else b""
        yield block[: len(block) - len(held)].replace(b"\r\n", b"\n")
    yield held


def _as_utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks as UTF-8 without a byte order mark; UTF-16 is recognised by its mark and converted.

    Some shells write the output of a program to a file as UTF-16.
    """
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


def read_object_start(path: Path) -> bytes:
    """Return the first 8 KiB of a file as UTF-8, from the first opening brace on; empty when the file cannot be
    read.
    """
    try:
        text = b"".join(_as_utf8(iter([read_small(path, limit=_PEEKED)[0]])))
    except OSError:
        return b""
    return text[max(0, text.find(b"{")) :]
