"""Lines of a text file in UTF-8 or UTF-16."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16", codecs.BOM_UTF8[:2]: "utf-8-sig"}


def decode_lines(blocks: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines without their line feeds; no other character ends a line.

    The text is UTF-8, or UTF-16 when it begins with a byte order mark of UTF-16; invalid bytes become U+FFFD.
    """
    waiting = iter(blocks)
    first = next(waiting, b"")
    decoder = codecs.getincrementaldecoder(_MARKS.get(first[:2], "utf-8"))("replace")
    carry: list[str] = []  # beginning of a line that continues in the next block
    for text in _decoded(decoder, first, waiting):
        head, *lines = text.split("\n")
        carry.append(head)
        for line in lines:
            yield "".join(carry).removesuffix("\r")
            carry = [line]
    last = "".join(carry)
    if last:
        yield last


def _decoded(decoder: codecs.IncrementalDecoder, first: bytes, rest: Iterator[bytes]) -> Iterator[str]:
    yield decoder.decode(first)
    for block in rest:
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)
