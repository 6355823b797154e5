"""Text without what a terminal does not show: colour codes, other control sequences, and characters without width.

Secrets are searched in such a text, too, because a code inside a name or a value hides it from every expression.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from recall_rank.analysis.unseen_characters import UNSEEN_RANGES

_CHARACTERS: Final = UNSEEN_RANGES.replace("\x00-\x1f", "\x00-\x08\x0b\x0c\x0e-\x1f")  # without tabs and line ends
_CSI: Final = r"[0-?]{0,64}+[ -/]{0,4}+[@-~]"  # what follows ESC and "["
# The first character alone decides where to look closer, since a set of characters is searched fast.
_UNSEEN: Final = re.compile(
    rf"[\[\\^\u241b{_CHARACTERS}](?:"
    + "|".join(
        (
            r"(?<=\[)[0-9;:]{1,32}+m",  # a colour whose ESC is lost
            rf"(?<=\x1b)\[{_CSI}",  # colours and other control sequences
            rf"(?<=\x9b){_CSI}",
            rf"(?<=\\)\\{{0,7}}+(?:x1[bB]|u001[bB]|u\{{1[bB]\}}|0?33|e)\[{_CSI}",  # ESC as programs write it out
            rf"(?<=[\^\u241b])\[?\[{_CSI}",
            r"(?<=\x1b)\][^\x07\x1b\n]{0,4096}+(?:\x07|\x1b\\)",  # titles of windows, addresses of links
            r"(?<=\x1b)[()*+][0-9A-B]",  # character sets
            rf"(?<=[{_CHARACTERS}])",
        )
    )
    + ")"
)


@dataclass(frozen=True, slots=True)
class VisibleText:
    """A range of a text without the characters that a terminal does not show, with the positions of its characters in
    the whole text.
    """

    text: str
    low: int  # character of the whole text at which the range begins
    cuts: list[int]  # the character of `text` before which each piece was removed, ascending
    removed: list[int]  # the number of characters removed up to and with that piece

    def place(self, at: int) -> int:
        """Return the number of visible characters that precede character `at` of the whole text."""
        first, last = 0, len(self.text)
        while first < last:  # the first visible character that is not before `at`
            middle = (first + last) // 2
            if self.origin(middle) < at:
                first = middle + 1
            else:
                last = middle
        return first

    def origin(self, at: int) -> int:
        """Return the index in the whole text of visible character `at`."""
        count = bisect_right(self.cuts, at)
        return self.low + at + (self.removed[count - 1] if count else 0)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the whole text from visible character `start` to `end` - 1, with what is between."""
        return self.origin(start), self.origin(end - 1) + 1


def visible_text(text: str, low: int, high: int) -> VisibleText | None:
    """Return what a terminal shows of characters [low, high) of the text; None when it shows all of them. Linear."""
    pieces: list[str] = []
    cuts: list[int] = []
    removed: list[int] = []
    at, kept = low, 0
    for found in _UNSEEN.finditer(text, low, high):
        start, end = found.span()
        pieces.append(text[at:start])
        kept += start - at
        cuts.append(kept)
        removed.append(end - low - kept)
        at = end
    if not cuts:
        return None
    return VisibleText("".join([*pieces, text[at:high]]), low, cuts, removed)
