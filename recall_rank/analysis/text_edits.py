"""Apply replacements, such as redactions, to a text that is shown, and convert character positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recall_rank.model.record_classes import frozen

Edit = tuple[int, int, str]
"""(start, end, replacement): characters [start, end) of a text, and what is shown in their place."""

Redact = Callable[[str, int, int], Sequence[Edit]]
"""Called as redact(text, low, high) before characters [low, high) of a text are shown: the edits that touch them.

Edits are in order and do not overlap; they may begin before `low` or end after `high`."""


@frozen
class Edited:
    """A range of a text after edits: `text` is the edited range, which begins at character `low` of the whole text."""

    text: str
    marks: Sequence[tuple[int, int, int, int]]  # of every edit: [start, end) in the whole text, and in `text`
    low: int

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the edited text that shows characters [start, end) of the original text.

        An edit that overlaps these characters is included as a whole.
        """
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
    """Return characters [low, high) of `text` with `edits` applied; edits outside of that range are ignored.

    An edit is (start, end, replacement). A replacement is never cut, even if its edit crosses an end of the range.
    """
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
