"""Replace base64 payloads, such as images inside text, by the mark "[…]".

Aligned blocks of 1024 characters are examined; a block with a blank holds no payload.
"""

from __future__ import annotations

import re
from typing import Any

MARK = "[…]"
SPAN = 1024  # every run of 2 * SPAN - 1 base64 characters fills one aligned block of SPAN
SHORT = 64  # after ";base64," shorter runs are payloads too
DISTINCT = 40  # of 64 letters; hex dumps and rows of one letter have fewer

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_RAW = re.compile(rb"[A-Za-z0-9+/_=\\-]*")  # with the backslash of an escaped line end
_RUN = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_WRAPPED = re.compile(r"[A-Za-z0-9+/=\r\n]*")
_DATA_URI = re.compile(rf"(;base64,)[A-Za-z0-9+/_-]{{{SHORT},}}={{0,2}}")


def may_hold_payload(raw: bytes | bytearray) -> bool:
    """Return whether JSON text may hold a base64 payload; False is certain. In ordinary text this costs one search for
    a blank in every 1024 bytes.
    """
    if raw.find(b";base64,") >= 0:
        return True
    for start in range(0, len(raw) - SPAN + 1, SPAN):
        if raw.find(b" ", start, start + SPAN) < 0 and _RAW.fullmatch(raw, start, start + SPAN):
            return True
    return False


def strip_value(value: Any) -> Any:
    """Return the JSON value with the base64 payloads in its strings replaced by a mark; the names of members are left
    as they are. Lists and mappings are changed in place.
    """
    box = [value]
    todo: list[Any] = [box]
    while todo:
        holder = todo.pop()
        items = holder.items() if type(holder) is dict else enumerate(holder)
        for key, item in items:
            kind = type(item)
            if kind is str:
                if len(item) > SHORT:
                    holder[key] = strip_text(item)
            elif kind is dict or kind is list:
                todo.append(item)
    return box[0]


def strip_text(text: str) -> str:
    """Return the text with each base64 payload replaced by the mark "[…]". The time is linear in the length of the
    text.
    """
    if ";base64," in text:
        text = _DATA_URI.sub(r"\1" + MARK, text)
    kept = 0
    out: list[str] = []
    start = 0
    while start + SPAN <= len(text):
        found = _payload(text, start) if text.find(" ", start, start + SPAN) < 0 else None
        if found is None:
            start += SPAN
            continue
        out += (text[kept : max(kept, found[0])], MARK)
        kept = found[1]
        start = -(-kept // SPAN) * SPAN
    return "".join(out) + text[kept:] if out else text


def _payload(text: str, start: int) -> tuple[int, int] | None:
    """Return the offsets (first, end) of the payload that covers the SPAN characters from `start` on, or None if none
    does.

    A payload is a long run of base64 text. It may begin before `start`.
    """
    block = text[start : start + SPAN]
    if len(set(block)) < DISTINCT:
        return None
    if _RUN.fullmatch(block):
        return _before(text, start), _end_of(_RUN, text, start)
    if not _WRAPPED.fullmatch(block):
        return None
    lines = block.splitlines()
    width = len(lines[1]) if len(lines) > 2 else 0
    if width < SHORT - 4 or any(len(line) != width for line in lines[1:-1]):
        return None
    row = rf"[A-Za-z0-9+/]{{{width}}}\r?\n"
    first = _before(text, start)
    above = re.compile(row)
    while (found := above.match(text, text.rfind("\n", 0, max(0, first - 1)) + 1)) and found.end() == first:
        first = found.start()
    rows = re.compile(rf"[A-Za-z0-9+/]*\r?\n(?:{row})*(?:[A-Za-z0-9+/]*={{1,2}})?")
    return first, _end_of(rows, text, start)


def _before(text: str, start: int) -> int:
    """Return the offset at which the consecutive base64 characters before `start` begin, at most 1024 characters
    back.
    """
    before = text[max(0, start - SPAN) : start]
    return start - (len(before) - len(before.rstrip(_ALPHABET)))


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start + SPAN
