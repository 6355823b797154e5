"""Secrets in recalled text: found by their form or by the name they stand under, and replaced before text is cut.

Most texts hold nothing that could be one: they are passed over once, and no rule is loaded or tried on them.
"""

from __future__ import annotations

from typing import Final

from recall_rank._core.text.secret_prefilter import ADDRESS, BLOCK, HEADER, KEY, NAMED, Signs
from recall_rank.frontends.redaction.rules import PREFIXED

Secret = tuple[int, int, str]
"""Characters [start, end) of a text, and the family of what stands there."""

_SIGNS: Final = Signs(
    [start.lstrip("?<") for line in PREFIXED.strip().splitlines() for start in line.split("|")[1].split()]
)


def secrets(text: str, low: int = 0, high: int | None = None) -> list[Secret]:
    """The secrets that reach into characters [low, high) of the text, in order and apart from each other.

    They are looked for in the whole stretch they may take, so that what a cut would leave of one is found too.
    """
    high = len(text) if high is None else min(high, len(text))
    if low >= high:
        return []
    signs, start, end = _SIGNS.around(text, low, high)
    if not signs:
        return []
    from recall_rank.frontends.redaction.forms import BLOCK_REACH, blocks, headers, keys, url_passwords
    from recall_rank.frontends.redaction.names import named

    found: list[Secret] = []
    if signs & KEY:
        found.extend(keys(text, start, end))
    if signs & NAMED:
        found.extend(named(text, start, end))
    if signs & ADDRESS:
        found.extend(url_passwords(text, start, end))
    if signs & HEADER:
        found.extend(headers(text, start, end))
    if signs & BLOCK:
        found.extend(blocks(text, max(0, low - BLOCK_REACH), high))
    if not found:
        return []
    return [secret for secret in _apart(found) if secret[0] < high and secret[1] > low]


def redacted(text: str) -> str:
    """The text with every secret replaced by what it was."""
    found = secrets(text)
    if not found:
        return text
    pieces, at = [], 0
    for start, end, family in found:
        pieces += [text[at:start], label(family)]
        at = end
    return "".join([*pieces, text[at:]])


def label(family: str) -> str:
    return f"[redacted {family}]"


def _apart(found: list[Secret]) -> list[Secret]:
    """In order; of those that overlap one, as long as all together, under the name of the first."""
    apart: list[Secret] = []
    for start, end, family in sorted(found, key=lambda secret: (secret[0], -secret[1])):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(apart[-1][1], end), apart[-1][2])
        else:
            apart.append((start, end, family))
    return apart
