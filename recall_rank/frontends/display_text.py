"""Format text and times for display: text escaped for a terminal, times as an age.

Recalled text is untrusted. Escaping makes every character visible that could move the cursor of a terminal, hide or
reorder text, or imitate the lines that this program prints.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Final

from recall_rank.analysis.time_filters import DAY_MS, HOUR_MS, MINUTE_MS
from recall_rank.analysis.unseen_characters import NOT_IN_EMOJI, UNSEEN_RANGES
from recall_rank.model.response import NOT_READ_YET

if TYPE_CHECKING:
    from recall_rank.model import Result

_LINES: Final = UNSEEN_RANGES.replace("\x00-\x1f\x7f", "\x00-\x08\x0b-\x0c\x0e-\x1f\x7f")  # without line ends and tabs
_JSON: Final = UNSEEN_RANGES.replace("\x00-\x1f\x7f", "\x00-\x09\x0b-\x1f\x7f")  # without line feeds
# Unsafe characters that Python takes for printable ones.
_HIDDEN: Final = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_BLANKS: Final = re.compile(r"[\t\n\r ]+")
_AGE_STEPS: Final = (  # (ages below this limit, are counted in this unit, of this name)
    (HOUR_MS, MINUTE_MS, "min"),
    (2 * DAY_MS, HOUR_MS, "h"),
    (14 * DAY_MS, DAY_MS, "days"),
    (60 * DAY_MS, 7 * DAY_MS, "weeks"),
    (2 * 365 * DAY_MS, 30 * DAY_MS, "months"),
)


@cache  # each pattern takes milliseconds to compile, and most texts need none
def unsafe() -> re.Pattern[str]:
    """Return the pattern of the characters that could control a terminal, or hide or reorder text."""
    return re.compile(f"[{UNSEEN_RANGES}]{NOT_IN_EMOJI}")


@cache
def unsafe_in_lines() -> re.Pattern[str]:
    """Return the pattern of unsafe() without line ends and tabs. A carriage return alone can overwrite its line; one
    before a line feed cannot.
    """
    return re.compile(f"[{_LINES}]{NOT_IN_EMOJI}|\r(?!\n)")


@cache
def _unsafe_in_json() -> re.Pattern[str]:
    return re.compile(f"[{_JSON}]{NOT_IN_EMOJI}")


def is_shown(text: str) -> bool:
    """Return whether a text has no character that unsafe() could match. False is possible without such a character."""
    return text.isprintable() and (text.isascii() or _HIDDEN.isdisjoint(text))


def escape(text: str) -> str:
    r"""Return the text with every unsafe character written as an escape, such as \x1b, \u202e or \U000e0041. Unsafe are
    the characters that could control a terminal, or hide or reorder text.
    """
    return text if is_shown(text) else unsafe().sub(escaped, text)


def escape_lines(text: str) -> str:
    """Return the text with its line feeds kept and every other character that could control a terminal, or hide or
    reorder text, written as an escape.
    """
    return "\n".join(escape(line) for line in text.split("\n"))


def one_line(text: str) -> str:
    """Return the text escaped and on one line: consecutive blanks and line ends become one blank."""
    return escape(_BLANKS.sub(" ", text))


def safe_json(document: bytes) -> bytes:
    """Return a JSON document with unsafe characters as \\u escapes, which leaves its values unchanged; line feeds
    are kept.
    """
    text = document.decode("utf-8")
    return document if text.isascii() and "\x7f" not in text else _unsafe_in_json().sub(_json_escaped, text).encode()


def escaped(found: re.Match[str]) -> str:
    """Return the escape of one matched character: \\x1b, \\u202e or \\U000e0041. For use as a replacement in
    `re.sub`.
    """
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def age(time: int, now: int) -> str:
    """Return how far a time is from `now`, as "just now", "5 min ago", "3 weeks ago" or "5 min ahead".

    Both are in epoch milliseconds; a time of 0 or less gives "time unknown".
    """
    if time <= 0:
        return "time unknown"
    distance = abs(now - time)
    if distance < MINUTE_MS:
        return "just now"
    for limit, unit, name in _AGE_STEPS:
        if distance < limit:
            return f"{distance // unit} {name} {'ago' if time <= now else 'ahead'}"
    return f"{distance // (365 * DAY_MS)} years {'ago' if time <= now else 'ahead'}"


def utc_minute(time: int) -> str:
    """Return a time in epoch milliseconds as "2026-05-31 14:05 UTC"; "" for 0 or less and for years beyond 9999."""
    if time <= 0:
        return ""
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time)
    except OverflowError:
        return ""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _json_escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def counted(number: int, one: str, many: str) -> str:
    """Return a number with the noun in its form for that number."""
    return f"{number:,} {one if number == 1 else many}"


def alike_text(folded: int) -> str:
    """Return a text with the number of hits that were folded into one, such as "+3 like this"; "" for none."""
    return f"+{folded:,} like this" if folded else ""


def no_hits_text(limited_by: Collection[str]) -> str:
    """Return how an answer without hits is reported: not as if there were none where a source could not be read, or was
    not read yet, which `limited_by` of its coverage says.
    """
    if NOT_READ_YET in limited_by:
        return "No hits in what was read so far"
    return "No hits in what could be read" if "load_error" in limited_by else "No hits"


def confidence_text(result: Result) -> str:
    """Return the one phrase that says to a person how sure a hit is, such as "high confidence"."""
    return f"{result.why.confidence} confidence"


def synonyms_text(synonyms: Mapping[str, Sequence[str]]) -> str:
    """Return the synonyms of a response as text, such as: k8s = kubernetes or kube, RL = rate limit."""
    return ", ".join(f"{words} = {' or '.join(texts)}" for words, texts in synonyms.items())


def machine_name(host: str | None, user: str | None) -> str:
    """Return user@host, or the one of them that is known; "" for neither."""
    return "@".join(filter(None, (user, host)))
