"""Lines of a text file in UTF-8 or UTF-16."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from recall_rank.loaders.limits import limits, size_text

_LINE = 64  # bytes that a line takes besides its characters
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16", codecs.BOM_UTF8[:2]: "utf-8-sig"}


class TextLines:
    """Iterates over the lines of a text without their line feeds; no other character ends a line.

    The text is UTF-8, or UTF-16 when it begins with a byte order mark of UTF-16; invalid bytes become U+FFFD. A line of
    more than `limits().line` characters is replaced by an empty one, and nothing is read beyond `limits().text`
    characters. `problems` has (line number, reason) of both.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self.problems: list[tuple[int, str]] = []
        self._blocks = blocks

    def __iter__(self) -> Iterator[str]:
        waiting = iter(self._blocks)
        first = next(waiting, b"")
        decoder = codecs.getincrementaldecoder(_MARKS.get(first[:2], "utf-8"))("replace")
        carry: list[str] = []  # beginning of a line that continues in the next block
        length = number = 0
        longest, left = limits().line, limits().text
        for text in _decoded(decoder, first, waiting):
            *lines, rest = text.split("\n")
            for line in lines:
                number += 1
                whole = self._whole(carry, line, length + len(line), number)
                carry, length = [], 0
                left -= len(whole) + _LINE
                if left < 0:
                    self.problems.append(
                        (number, f"more than {size_text(limits().text)} of text: the rest is not read")
                    )
                    return
                yield whole
            length += len(rest)
            carry = [*carry, rest] if length <= longest else []
        last = self._whole(carry, "", length, number + 1)
        if last:
            yield last

    def _whole(self, carry: list[str], line: str, length: int, number: int) -> str:
        """Return the line whose beginning is `carry`. When `length`, the characters of both, is more than the limit,
        return an empty line and add a problem.
        """
        if length > limits().line:
            self.problems.append((number, f"a line of {length:,} characters: more than the limit is not read"))
            return ""
        return "".join([*carry, line]).removesuffix("\r") if carry else line.removesuffix("\r")


def _decoded(decoder: codecs.IncrementalDecoder, first: bytes, rest: Iterator[bytes]) -> Iterator[str]:
    yield decoder.decode(first)
    for block in rest:
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)
