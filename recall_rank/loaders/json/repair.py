"""Parse damaged JSON that a strict parser refuses, and state the reason for missing values."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

MAX_SALVAGE = 64  # attempts a line; a record glued to a torn one starts near the tear

_ESCAPES = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_BLANK = re.compile(r"[ \t\r\n\0\ufeff]*")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 4000 else float(digits)


# strict=False keeps raw control characters; numbers that JSON does not know become null.
_DECODER = json.JSONDecoder(strict=False, parse_int=_integer, parse_constant=lambda _: None)


def decode_json(raw: bytes | bytearray) -> str:
    """Return the bytes of a JSON text as str; invalid UTF-8 and lone surrogates become U+FFFD."""
    text = raw.decode("utf-8", "replace")
    if "\\ud" in text or "\\uD" in text:
        text = _ESCAPES.sub(lambda found: "\\ufffd" if found["lone"] else found[0], text)
    return text


def repair_values(raw: bytes | bytearray, starts: tuple[str, ...] = ()) -> tuple[list[Any], str | None]:
    """Return (values, problem): every whole JSON value of a damaged line, which orjson has refused, and the reason when
    something is missing, else None.

    These are read without loss: invalid UTF-8, lone surrogates, NaN and numbers out of range, control characters, a
    byte order mark, several values on one line. `starts` are texts with which a record can begin: when a record is cut
    off, they serve to find the next record on the line.
    """
    text = decode_json(raw)
    if not raw.isascii() or "\\u" in text:  # else it is what orjson has refused
        try:
            return [orjson.loads(text)], None
        except orjson.JSONDecodeError:
            pass
    values: list[Any] = []
    at = _after_blank(text, 0)
    nul = "\0" in text[:at]
    while at < len(text):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except RecursionError:
            return values, "nested too deeply"
        except json.JSONDecodeError as error:
            reason = f"not JSON: {error.msg.removesuffix(' at')} at column {error.pos + 1}"
            return values + _salvage(text, at, starts), reason
        values.append(value)
        at = _after_blank(text, end)
        nul = nul or "\0" in text[end:at]
    return values, "NUL bytes" if nul else None


def _salvage(text: str, at: int, starts: tuple[str, ...]) -> list[Any]:
    """Return a list with the record that follows a cut-off one and ends exactly at the end of the line; an empty list
    when there is none.
    """
    end = len(text.rstrip(" \t\r\n\0"))
    places = sorted({place for start in starts for place in _places(text, start, at + 1)})
    for place in places[:MAX_SALVAGE]:
        try:
            value, stop = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        if stop == end:
            return [value]
    return []


def _places(text: str, start: str, at: int) -> list[int]:
    found: list[int] = []
    while len(found) < MAX_SALVAGE and (at := text.find(start, at)) >= 0:
        found.append(at)
        at += 1
    return found


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
