"""Text that is shown otherwise than it was written: stretches of it replaced, and where its places are then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Edit = tuple[int, int, str]
"""Characters [start, end) of a text, and what is shown instead."""

Redact = Callable[[str, int, int], Sequence[Edit]]
"""What of characters [low, high) of a text is not to be shown: in order, apart, also where it begins before or ends
behind them. It is asked before a text is cut."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A stretch of a text with edits applied."""

    text: str
    marks: Sequence[tuple[int, int, int, int]]  # of every edit: [start, end) in the stretch before, and after
    low: int

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where characters [start, end) of the whole text are shown; what is replaced counts as a whole."""
        return self._place(start, first=True), self._place(end, first=False)

    def _place(self, at: int, *, first: bool) -> int:
        moved = -self.low
        for old_start, old_end, new_start, new_end in self.marks:
            if at < old_start or (at == old_start and not first):
                break
            if at < old_end or (at == old_end and not first):
                return new_start if first else new_end
            moved = new_end - old_end
        return at + moved


def edited(text: str, edits: Sequence[Edit], low: int = 0, high: int | None = None) -> Edited:
    """Characters [low, high) of the text with those edits that touch them; an edit is shown whole."""
    high = len(text) if high is None else high
    if not edits:
        return Edited(text[low:high], (), low)
    pieces: list[str] = []
    marks: list[tuple[int, int, int, int]] = []
    at, length = low, 0
    for start, end, instead in edits:
        if end <= low or start >= high:
            continue
        kept = text[at : max(at, start)]
        pieces += (kept, instead)
        length += len(kept)
        marks.append((max(start, low), min(end, high), length, length + len(instead)))
        length += len(instead)
        at = min(end, high)
    pieces.append(text[at:high])
    return Edited("".join(pieces), marks, low)
