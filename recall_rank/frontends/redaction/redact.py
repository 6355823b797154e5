"""Find secrets in recalled text, by their format or by their name, and replace them.

A prefilter reads a text once and returns the kinds of secrets that it may contain. Most texts contain none; the
modules with the rules are imported with the first text that may. A text with colour codes or characters without width
is searched twice: as it is, and without them.
"""

from __future__ import annotations

from typing import Final

from recall_rank._core.text.secret_prefilter import ADDRESS, BLOCK, HEADER, KEY, NAMED, UNSEEN, SecretPrefilter
from recall_rank.frontends.redaction.secret_formats import PREFIXED, Secret

_PREFILTER: Final = SecretPrefilter(
    [start.lstrip("?<") for line in PREFIXED.strip().splitlines() for start in line.split("|")[1].split()]
)
_VISIBLE_REACH: Final = 4_096  # characters around a range that are read without colour codes
_BLOCK_REACH: Final = 32_768  # the same where a PEM block may have begun, which is longer than any other secret


def secrets(text: str, low: int = 0, high: int | None = None) -> list[Secret]:
    """Return the secrets that overlap characters [low, high) of the text, in order and without overlaps.

    The text around the range is read as far as a secret can extend, so that a secret that crosses its ends is found.
    """
    text = str.__str__(text)  # the kernel takes no subclass of str, such as a Suggestion
    high = len(text) if high is None else min(high, len(text))
    if low >= high:
        return []
    kinds, start, end = _PREFILTER.scan(text, low, high)
    if not kinds:
        return []
    found = _matches(text, kinds, start, end, low, high)
    if kinds & (UNSEEN | BLOCK):
        found += _matches_of_visible(text, low, high, _BLOCK_REACH if kinds & BLOCK else _VISIBLE_REACH)
    if not found:
        return []
    return [secret for secret in _disjoint(found) if secret.start < high and secret.end > low]


def _matches(text: str, kinds: int, start: int, end: int, low: int, high: int) -> list[Secret]:
    """Return the secrets that the rules find in characters [start, end), which scan() gave for [low, high).

    `kinds` is the bit set of types that are possible there. The secrets have any order and may overlap.
    """
    found: list[Secret] = []
    if kinds & NAMED:
        from recall_rank.frontends.redaction.named_secrets import named_secrets

        found.extend(named_secrets(text, start, end))
    if not kinds & (KEY | ADDRESS | HEADER | BLOCK):
        return found
    from recall_rank.frontends.redaction.key_patterns import BLOCK_REACH, blocks, headers, keys, url_passwords

    if kinds & KEY:
        found.extend(keys(text, start, end))
    if kinds & ADDRESS:
        found.extend(url_passwords(text, start, end))
    if kinds & HEADER:
        found.extend(headers(text, start, end))
    if kinds & BLOCK:
        found.extend(blocks(text, max(0, low - BLOCK_REACH), high))
    return found


def _matches_of_visible(text: str, low: int, high: int, reach: int) -> list[Secret]:
    """Return the secrets near characters [low, high) that the rules find without colour codes and characters without
    width, in the text up to `reach` characters before and after them.
    """
    from recall_rank.frontends.redaction.visible_text import visible_text

    visible = visible_text(text, max(0, low - reach), min(len(text), high + reach))
    if visible is None:
        return []
    first, last = visible.place(low), visible.place(high)
    kinds, start, end = _PREFILTER.scan(visible.text, first, last)
    found = _matches(visible.text, kinds, start, end, first, last) if kinds else []
    return [Secret(*visible.span(secret.start, secret.end), secret.family) for secret in found]


def redacted(text: str) -> str:
    """Return the text with every secret replaced by the label of its family, such as "[redacted github]"."""
    found = secrets(text)
    if not found:
        return text
    pieces, at = [], 0
    for start, end, family in found:
        pieces += [text[at:start], label(family)]
        at = end
    return "".join([*pieces, text[at:]])


def label(family: str) -> str:
    """Return the text that replaces a secret of a family: "[redacted github]" for "github"."""
    return f"[redacted {family}]"


def _disjoint(found: list[Secret]) -> list[Secret]:
    """Return the secrets in order. Overlapping ones are merged into one secret, with the family of the first of
    them.
    """
    disjoint: list[Secret] = []
    for secret in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if disjoint and secret.start < disjoint[-1].end:
            disjoint[-1] = disjoint[-1]._replace(end=max(disjoint[-1].end, secret.end))
        else:
            disjoint.append(secret)
    return disjoint
