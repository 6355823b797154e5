"""Read JSON lines as a stream: every whole record is returned, every broken one is counted.

Bytes are split on line feeds only: a record may hold U+2028 or a raw carriage return. Lines over 1 MiB are parsed in
small steps, so that other threads keep running. A line of more than `limits().line` bytes is passed over and counted,
and never held in memory as a whole. Base64 payloads are replaced by a mark.
"""

from __future__ import annotations

import codecs
import errno
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson

from recall_rank.loaders.files.blocks import Hole
from recall_rank.loaders.files.regular_files import HEAD, TAIL
from recall_rank.loaders.files.resume import ResumePoint
from recall_rank.loaders.json.parse import LARGE, RawJson, Record, parse_damaged, parse_values
from recall_rank.loaders.limits import limits, size_text
from recall_rank.loaders.malformed import add_malformed
from recall_rank.loaders.payloads import may_hold_payload, strip_value
from recall_rank.model import Malformed, Reading

TORN = "torn last line"  # begins the reason of a line that may still be written
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BLANK = (b"", b"\r")  # lines


def refuse_noise(reading: Reading, location: str) -> None:
    """Raise OSError for the reading of a file, known as a history by its name alone, if no line of it is a record.

    A search of it must not tell that it found nothing. A last line that is torn does not count: it is being written.
    """
    whole = [bad for bad in reading.malformed if not bad.reason.startswith(TORN)]
    if whole and not (reading.sessions or reading.unknown):
        raise OSError(errno.EINVAL, "no line is a record of a history", location)


class JsonlRecords:
    """Iterates over (line number, record) of blocks of bytes; afterwards `malformed` describes the unreadable lines.

    `starts` are texts with which a record can begin, such as '{"t":'; they serve to find a record that was appended to
    a cut-off line. Lines for which `skip` returns True are not parsed. Reading begins at the resume point `place`.
    Afterwards `place` is the resume point for a later reader: behind the last complete line, or at the end of the file
    when the last line has no line feed but holds whole records. `place` is valid only while `resumable` is True.
    Lines of more than `longest` bytes (unless given, `limits().line`) are not read.
    """

    def __init__(
        self,
        blocks: Iterable[bytes],
        location: str,
        *,
        starts: tuple[str, ...] = (),
        skip: Callable[[RawJson], bool] | None = None,
        place: ResumePoint | None = None,
        longest: int | None = None,
    ) -> None:
        self.malformed: list[Malformed] = []
        self.location = location
        self.place = place or ResumePoint()
        self.resumable = True
        self._blocks = blocks
        self._starts = starts
        self._skip = skip
        self._longest = longest or limits().line

    def __iter__(self) -> Iterator[tuple[int, Record]]:
        skip = self._skip
        carry: RawJson = b""
        lost = 0  # bytes of the line that is passed over
        number = self.place.line
        for block in self._as_utf8(iter(self._blocks)):
            end = block.find(b"\n")
            if lost or len(carry) + (end if end >= 0 else len(block)) > self._longest:
                lost += len(carry) + (end if end >= 0 else len(block))
                self._advance(0, carry)
                carry = b""
                if end < 0:
                    self._advance(0, block)
                    continue
                number += 1
                self._advance(1, block[: end + 1])
                self._too_long(number, lost)
                lost = 0
                block = block[end + 1 :]
                end = block.find(b"\n")
            if end < 0:
                carry = carry if type(carry) is bytearray else bytearray(carry)
                carry += block
                continue
            lines: list[RawJson] = list(block.split(b"\n"))
            dirty = may_hold_payload(block)  # most blocks hold no payload: one look a block
            if carry:
                self._advance(0, carry)
                carry += lines[0]
                dirty = may_hold_payload(carry) or dirty
                lines[0] = carry
            carry = lines.pop()
            self._advance(len(lines), block[: len(block) - len(carry)])
            for raw in lines:
                number += 1
                if raw in _BLANK or (skip is not None and skip(raw)):
                    continue
                if len(raw) <= LARGE:
                    try:
                        record = orjson.loads(raw)
                    except orjson.JSONDecodeError:
                        yield from self._damaged(number, *parse_damaged(raw, self._starts))
                        continue
                    if type(record) is dict:
                        yield number, strip_value(record) if dirty and may_hold_payload(raw) else record
                        continue
                yield from self._damaged(number, *parse_values(raw, self._starts))
        if lost:
            self.resumable = False
            self._too_long(number + 1, lost)
        elif carry:
            yield from self._last(carry, number + 1)

    def _damaged(self, number: int, values: list[Any], problem: str | None) -> Iterator[tuple[int, Record]]:
        """Yield (line number, record) for the values of a line that is large, broken or not one object."""
        for value in values:
            if type(value) is dict:
                yield number, value
            else:
                problem = problem or "not an object"
        if problem:
            self.bad(number, problem)

    def _last(self, raw: RawJson, number: int) -> Iterator[tuple[int, Record]]:
        """Yield (line number, record) for the records of a last line without a line feed, which may be whole or still
        being written. Set `resumable` to False when a reader that continued behind the last whole line would yield them
        again.
        """
        if self._skip is not None and self._skip(raw):
            return
        values, problem = parse_values(raw, self._starts)
        whole = [value for value in values if type(value) is dict]
        if problem is None and len(whole) == len(values):
            self._advance(0, raw)  # the appended bytes will end its line
        else:
            self.bad(number, f"{TORN} ({problem or 'not an object'})")
            self.resumable = self.resumable and not whole  # they lie behind the place
        for value in whole:
            yield number, value

    def _advance(self, lines: int, read: RawJson) -> None:
        """Move the resume point `place` forward by the bytes `read`, which end `lines` lines."""
        at = self.place
        head = at.head if len(at.head) == HEAD else (at.head + read[:HEAD])[:HEAD]
        tail = (at.tail + read[-TAIL:])[-TAIL:]
        self.place = ResumePoint(at.offset + len(read), at.line + lines, bytes(head), bytes(tail))

    def bad(self, number: int, reason: str) -> None:
        """Add line `number` to `malformed` with the reason why its record cannot be used."""
        add_malformed(self.malformed, Malformed(self.location, f"line {number}", reason))

    def _too_long(self, number: int, length: int) -> None:
        self.bad(number, f"a line of {length:,} bytes: more than {size_text(self._longest)} are not read")

    def _as_utf8(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the blocks, converted to UTF-8 when they begin with a byte order mark of UTF-16. A UTF-8 mark is
        left to the parser.
        """
        blocks = self._noting_holes(blocks)
        first = next(blocks, b"")
        if self.place.offset or first[:2] not in _UTF16:
            yield first
            yield from blocks
            return
        self.resumable = False  # offsets count other bytes
        decoder = codecs.getincrementaldecoder("utf-16")("replace")
        yield decoder.decode(first).encode("utf-8", "replace")
        for block in blocks:
            yield decoder.decode(block).encode("utf-8", "replace")
        yield decoder.decode(b"", final=True).encode("utf-8", "replace")

    def _noting_holes(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the blocks unchanged. Set `resumable` to False at a hole of a sparse file, whose block has fewer bytes
        than the hole, so that the offset in `place` is no longer that in the file.
        """
        for block in blocks:
            if type(block) is Hole:
                self.resumable = False
            yield block
